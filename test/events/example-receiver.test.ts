/** The receiver in examples/ verifies what the server sends, and drops repeats. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'
import { eventually, patient, subscribe, wanted } from './support.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/receivers/subscription-receiver.ts')
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

let server: TestServer
let example: ChildProcess
let printed = ''

beforeAll(async () => {
  server = await startServer()
  example = spawn(process.execPath, [EXAMPLE, '0'], { env: { PATH: process.env.PATH, EVENT_SECRET: SECRET } })
  example.stdout?.on('data', (chunk) => {
    printed += String(chunk)
  })
})
afterAll(async () => {
  example.kill()
  await server.close()
})

const line = (wanted: RegExp) => eventually(() => wanted.exec(printed)?.[1], String(wanted))

async function signWith(eventSecret: string): Promise<void> {
  const headers = {
    authorization: `Bearer ${await server.login('admin', 'admin')}`,
    'content-type': 'application/json',
  }
  const settings = (method: string, body?: object) =>
    request(server.url, method, '/clinics/demo-clinic/settings', body, headers)
  const { body } = await settings('GET')
  expect((await settings('PUT', { ...body, eventSecret })).status).toBe(200)
}

test('it takes signed notifications, with and without a body, and refuses those that another secret has signed', async () => {
  const endpoint = await line(/listens at (\S+)/)
  await signWith(SECRET)
  const id = await subscribe(server, wanted('Patient?family=Example', { endpoint, payload: 'application/fhir+json' }))
  const empty = await subscribe(server, wanted('Patient?family=Example', { endpoint }))
  await server.fhir('POST', '/Patient', patient('Example'))
  await line(new RegExp(`PUT /Patient/\\S+ ${id}.1 ({"resourceType":"Patient")`))
  await line(new RegExp(`POST / (${empty}.1)`))
  await signWith(`whsec_${Buffer.alloc(32, 1).toString('base64')}`)
  await server.fhir('POST', '/Patient', patient('Example'))
  await line(new RegExp(`refused (${id}.2)`))
})
