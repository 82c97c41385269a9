import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { HttpResponse, whenClosed } from '../../src/http/connections.ts'

const servers: Server[] = []

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer({ ServerResponse: HttpResponse }, listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const get = async (port: number, path: string) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return { status: response.status, body: await response.text() }
}

describe('HttpResponse', () => {
  test('many clients at once each get their own answer', async () => {
    const port = await listening((request, response) => response.end(request.url))
    const paths = Array.from({ length: 50 }, (_, n) => `/${n}`)
    const answers = await Promise.all(paths.map((path) => get(port, path)))
    expect(answers).toEqual(paths.map((body) => ({ status: 200, body })))
  })

  test('answers to pipelined requests keep their order, whichever is ready first', async () => {
    const port = await listening((request, response) => {
      if (request.url === '/slow') setTimeout(() => response.end('[slow]'), 20)
      else response.end('[fast]')
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /fast HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await text(socket)).toMatch(/\[slow\].*\[fast\]/s)
  })

  test('work for the end of a response whose client has left before is done at once', async () => {
    const { promise: response, resolve } = Promise.withResolvers<ServerResponse>()
    const port = await listening((_request, given) => resolve(given))
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const left = await response
    await new Promise<void>((resolve) => {
      whenClosed(left, resolve)
      socket.destroy()
    })
    let ended = 0
    whenClosed(left, () => {
      ended += 1
    })
    expect(ended).toBe(1)
  })

  test('a body that is written in parts is complete', async () => {
    const port = await listening((_request, response) => {
      response.write('one, ')
      response.write('two, ')
      response.end('three')
    })
    expect(await get(port, '/')).toEqual({ status: 200, body: 'one, two, three' })
  })

  test('what follows an answer is not part of another request that is answered with it', async () => {
    const store = new AsyncLocalStorage<string>()
    const seen: (string | undefined)[] = []
    const waiting: (() => void)[] = []
    const port = await listening((request, response) => {
      response.once('finish', () => seen.push(store.getStore()))
      waiting.push(() => store.run(request.url ?? '', () => response.end()))
      if (waiting.length === 2) for (const answer of waiting) answer()
    })
    await Promise.all([get(port, '/1'), get(port, '/2')])
    expect(seen).toEqual([undefined, undefined])
  })

  test('says when it has been sent, and when its client has left before', async () => {
    const closed: string[] = []
    let begun = (): void => undefined
    const arrived = new Promise<void>((resolve) => (begun = resolve))
    const port = await listening((request, response) => {
      whenClosed(response, () => closed.push(request.url ?? ''))
      if (request.url === '/sent') response.end()
      else begun()
    })
    await get(port, '/sent')
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /left HTTP/1.1\r\nHost: x\r\n\r\n')
    await arrived
    socket.destroy()
    for (let tries = 0; tries < 200 && closed.length < 2; tries++)
      await new Promise((resolve) => setTimeout(resolve, 5))
    expect(closed).toEqual(['/sent', '/left'])
  })
})
