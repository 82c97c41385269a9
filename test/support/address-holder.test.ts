/** Requests of a test file to the main process of its run. */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'
import { heldAddress, holderOf } from './address-holder.ts'

let holder: Server

async function listening(address: () => Promise<string>): Promise<string> {
  holder = holderOf(address).listen(0, '127.0.0.1')
  await once(holder, 'listening')
  return `http://127.0.0.1:${(holder.address() as AddressInfo).port}`
}

afterEach(async () => {
  await new Promise((resolve) => holder.close(resolve))
})

test('each question comes on a connection of its own, so that none is asked on one that was closed meanwhile', async () => {
  const url = await listening(async () => 'mongodb://127.0.0.1')
  let connections = 0
  holder.on('connection', () => connections++)
  for (let question = 0; question < 3; question++) expect(await heldAddress(url)).toBe('mongodb://127.0.0.1')
  expect(connections).toBe(3)
})

test('where there is no address, whoever asks is told why', async () => {
  const url = await listening(async () => {
    throw new Error('no room')
  })
  await expect(heldAddress(url)).rejects.toThrow('no room')
})
