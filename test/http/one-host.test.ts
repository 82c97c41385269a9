/** Requests that name several hosts: https://www.rfc-editor.org/rfc/rfc9112#section-3.2. */
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

function send(head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => {
      socket.write(`${head}\r\nConnection: close\r\n\r\n`)
    })
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}

test.each([
  ['two', 'Host: one.example\r\nHost: two.example'],
  ['the same twice', 'Host: one.example\r\nhost: one.example'],
  ['one of them empty', 'HOST: one.example\r\nHost: '],
])('with %s are 400 at every address', async (_what, hosts) => {
  for (const address of ['/metadata', '/Patient', '/session', '/health/live', '/nothing/here']) {
    const answer = await send(`GET ${address} HTTP/1.1\r\n${hosts}`)
    expect([address, answer.slice(0, 12)]).toEqual([address, 'HTTP/1.1 400'])
    expect(answer).toContain('several Host headers')
  }
})

test('one is served, whatever other headers end in its name', async () => {
  const answer = await send(
    'GET /health/live HTTP/1.1\r\nHost: one.example\r\nX-Forwarded-Host: two.example\r\nghost: x',
  )
  expect(answer.slice(0, 12)).toBe('HTTP/1.1 200')
})
