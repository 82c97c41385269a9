import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { drainable, HttpResponse, limitPipelining } from '../../../src/http/connections.ts'
import { until } from '../../support/server-process.ts'

const servers: Server[] = []
const sockets: Socket[] = []

interface Begun {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A server that sends no response by itself. */
async function listening() {
  const begun: Begun[] = []
  const taken: IncomingMessage[] = []
  const server = createServer(
    { ServerResponse: HttpResponse },
    limitPipelining((request, response) => begun.push({ request, response })),
  )
  servers.push(server)
  server.on('request', (request) => taken.push(request))
  const shutDown = drainable(server, 60_000)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connected = (): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    return socket
  }
  return { begun, taken, connected, shutDown }
}

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const requests = (count: number): string =>
  Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')

/** No further request begins, even after the responses to all that have begun. */
async function expectNothingMoreBegins(begun: readonly Begun[]): Promise<void> {
  for (const { response } of begun) response.end()
  await sleep(50)
  expect(begun.length).toBe(4)
}

const paths = (begun: readonly Begun[]) => begun.map(({ request }) => request.url)

describe('pipelined requests', () => {
  test('four of a connection are worked on at a time, and each answer lets the next one begin', async () => {
    const { begun, connected } = await listening()
    connected().write(requests(7))
    await until(() => begun.length === 4)
    await sleep(50)
    expect(paths(begun)).toEqual(['/0', '/1', '/2', '/3'])
    begun[0]?.response.end()
    await until(() => begun.length === 5)
    expect(begun[4]?.request.url).toBe('/4')
  })

  test('the requests of one connection do not hold up those of another one', async () => {
    const { begun, connected } = await listening()
    connected().write(requests(20))
    await until(() => begun.length === 4)
    connected().write('GET /another HTTP/1.1\r\nHost: x\r\n\r\n')
    await until(() => begun.length === 5)
    expect(begun[4]?.request.url).toBe('/another')
  })

  test('64 are all answered in their order, whichever answer is ready first', async () => {
    const { begun, connected } = await listening()
    const socket = connected()
    socket.write(`${requests(63)}GET /63 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    let answered = 0
    const answerAll = async () => {
      for (; answered < 64; answered += 4) {
        await until(() => begun.length >= Math.min(answered + 4, 64))
        for (const { request, response } of begun.slice(answered, answered + 4).reverse()) response.end(request.url)
      }
    }
    const [received] = await Promise.all([text(socket), answerAll()])
    expect(received.match(/^\/\d+/gm)).toEqual(Array.from({ length: 64 }, (_, n) => `/${n}`))
  })

  test('a body that comes behind requests that wait is complete when its own request begins', async () => {
    const { begun, connected } = await listening()
    const body = 'x'.repeat(300_000)
    connected().write(`${requests(4)}POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await until(() => begun.length === 4)
    begun[0]?.response.end()
    await until(() => begun.length === 5)
    const [, , , , last] = begun
    if (last === undefined) throw new Error('the fifth has not begun')
    expect(await text(last.request)).toBe(body)
  })

  test('a client that sends a 65th loses its connection, and nothing more of it begins', async () => {
    const { begun, connected } = await listening()
    const socket = connected()
    socket.write(requests(65))
    expect(await text(socket)).toBe('')
    await expectNothingMoreBegins(begun)
  })

  test('what such a client has sent besides is not even taken in', async () => {
    const { taken, connected } = await listening()
    const socket = connected()
    socket.write(requests(500))
    expect(await text(socket)).toBe('')
    expect(taken.length).toBe(65)
  })

  test('a shutdown does not wait for what such a client has sent', async () => {
    const { begun, connected, shutDown } = await listening()
    const socket = connected()
    socket.write(requests(200))
    await text(socket)
    await shutDown()
    expect(begun.length).toBe(4)
  })

  test('requests of a client that has left do not begin', async () => {
    const { begun, connected } = await listening()
    const socket = connected()
    socket.write(requests(10))
    await until(() => begun.length === 4)
    socket.destroy()
    await until(() => begun.every(({ response }) => response.destroyed))
    await expectNothingMoreBegins(begun)
  })

  test('errors keep their stacks after such a connection has closed', async () => {
    const { begun, connected } = await listening()
    const socket = connected()
    socket.write(requests(65))
    await text(socket)
    await until(() => begun.every(({ response }) => response.destroyed))
    expect(new Error('one of ours').stack).toContain('pipelining.test')
  })
})
