/** How a server ends. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { drainable } from '../../src/http/connections.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function listening(answer: RequestListener): Promise<Server> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return server
}

async function open(server: Server, sent = ''): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  sockets.push(socket)
  const [accepted] = await Promise.all([once(server, 'connection'), once(socket, 'connect')])
  socket.write(sent)
  return accepted[0]
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

test('connections that have sent nothing, half a request or all of one do not hold it up', async () => {
  const server = await listening((_request, response) => response.end('done'))
  const end = drainable(server)
  await open(server)
  await Promise.all([open(server, 'GET / HTTP/1.1\r\nHo'), open(server, REQUEST)])
  await once(sockets.at(-1) as Socket, 'data')
  await end()
  expect(server.listening).toBe(false)
})

test('a request under way is answered in full, as the last one of its connection, and no new one is taken', async () => {
  let finish = (): void => {}
  let begun = (): void => {}
  const beginning = new Promise<void>((resolve) => (begun = resolve))
  const server = await listening((_request, response) => {
    finish = () => response.end('done')
    begun()
  })
  const end = drainable(server)
  await open(server, REQUEST)
  const answer = text(sockets.at(-1) as Socket)
  await beginning
  const { port } = server.address() as AddressInfo
  const ended = end()
  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
  finish()
  await ended
  expect(await answer).toMatch(/^HTTP\/1.1 200 OK\r\nconnection: close\r\n(.*\r\n)*done/)
})

describe('with time to linger', () => {
  test('requests on idle and on new connections are answered as the last ones of them, and no new one is taken afterwards', async () => {
    const server = await listening((_request, response) => response.end('done'))
    const end = drainable(server)
    await open(server, REQUEST)
    const socket = sockets.at(-1) as Socket
    await once(socket, 'data')
    const { port } = server.address() as AddressInfo
    const ended = end({ lingerMs: 2_000 })
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect([response.headers.get('connection'), await response.text()]).toEqual(['close', 'done'])
    socket.write(REQUEST)
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK\r\nconnection: close\r\n(.*\r\n)*done/)
    await ended
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow()
  })

  test('a server that nobody uses ends at once', async () => {
    const server = await listening((_request, response) => response.end('done'))
    await drainable(server)({ lingerMs: 3_600_000 })
    expect(server.listening).toBe(false)
  })

  test('idle connections are closed when it is over', async () => {
    const server = await listening((_request, response) => response.end('done'))
    const end = drainable(server)
    await open(server)
    await open(server, REQUEST)
    await once(sockets.at(-1) as Socket, 'data')
    await end({ lingerMs: 10 })
    expect(server.listening).toBe(false)
  })

  test('a request under way is answered as the last one of its connection', async () => {
    let finish = (): void => {}
    const begun = Promise.withResolvers<void>()
    const server = await listening((_request, response) => {
      finish = () => response.end('done')
      begun.resolve()
    })
    const end = drainable(server)
    await open(server, REQUEST)
    const answer = text(sockets.at(-1) as Socket)
    await begun.promise
    const ended = end({ lingerMs: 10 })
    finish()
    await ended
    expect(await answer).toMatch(/connection: close\r\n(.*\r\n)*done/)
  })
})

test('an upload that does not move on is given up when its time is over', async () => {
  let aborted = (): void => {}
  const abort = new Promise<void>((resolve) => (aborted = resolve))
  let begun = (): void => {}
  const beginning = new Promise<void>((resolve) => (begun = resolve))
  const server = await listening((request) => {
    request.resume().once('error', aborted)
    begun()
  })
  const end = drainable(server, 10)
  await open(server, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{')
  await beginning
  await end()
  await abort
})
