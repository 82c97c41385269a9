/** Requests that a client sends on one connection without waiting for the answers. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.close())

/** What comes back on one connection for so many requests, until it ends. */
async function answersTo(requests: number): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  await once(socket, 'connect')
  const request = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'
  socket.write(request.repeat(requests - 1) + request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  return await text(socket).catch(() => '')
}

test('some requests at once on one connection are all answered', async () => {
  expect((await answersTo(50)).match(/HTTP\/1\.1 200/g)).toHaveLength(50)
})

test('a connection with more requests than may wait is closed, and the server goes on', async () => {
  expect((await answersTo(500)).match(/HTTP\/1\.1 200/g)?.length ?? 0).toBeLessThan(65)
  expect((await answersTo(1)).match(/HTTP\/1\.1 200/g)).toHaveLength(1)
})
