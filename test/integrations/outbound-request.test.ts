/** Connectors reach the address that a clinic has set, but nothing in the private network of the server. */
import type { LookupAddress, LookupAllOptions } from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from '@jest/globals'
import {
  isPublicAddress,
  type Outbound,
  type OutboundFailure,
  sendOutbound,
} from '../../src/integrations/outbound-request.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

const PUBLIC_ONLY: Outbound = { deadlineMs: 2_000, allowPrivate: false }
const ANYWHERE: Outbound = { deadlineMs: 2_000, allowPrivate: true }

const post = (url: string, outbound: Outbound) =>
  sendOutbound({ url, method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' }, outbound)

const failure = (reason: OutboundFailure['reason']) => expect.objectContaining({ name: 'OutboundFailure', reason })

/** Resolves to one list of addresses after the other, and counts the lookups. */
function resolver(...answers: readonly (readonly string[])[]) {
  let asked = 0
  const resolve = (
    _name: string,
    _options: LookupAllOptions,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ): void => {
    const addresses = answers[Math.min(asked++, answers.length - 1)] ?? []
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { resolve: resolve as unknown as NonNullable<Outbound['resolve']>, asked: () => asked }
}

describe('an address', () => {
  test.each(['93.184.215.14', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:2800:21f:cb07::1', '2a00:1450:4001::200e'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  test.each([
    ...['0.0.0.0', '127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ...['169.254.169.254', '100.64.0.1', '192.0.0.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '64:ff9b::7f00:1', 'fe80::1', 'fe80::1%eth0', 'fd00::1'],
    ...['fc00::1', 'ff02::1', '2001:db8::1', '2002:7f00:1::', '2001::1', '100::1'],
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))
})

describe('where private addresses are not allowed', () => {
  test.each([
    ...['http://127.0.0.1:PORT/', 'http://0x7f000001:PORT/', 'http://2130706433:PORT/', 'http://0177.0.0.1:PORT/'],
    ...['http://127.1:PORT/', 'http://localhost:PORT/', 'http://[::1]:PORT/'],
    ...['http://[::ffff:127.0.0.1]:PORT/', 'http://0.0.0.0:PORT/', 'http://user:secret@127.0.0.1:PORT/'],
  ])('%s is refused, and nothing is sent', async (url) => {
    let received = 0
    const port = await serve((_request, response) => {
      received++
      response.end()
    })
    await expect(post(url.replace('PORT', String(port)), PUBLIC_ONLY)).rejects.toEqual(failure('address-not-allowed'))
    expect(received).toBe(0)
  })

  test('a name that leads to a public and to a private address is refused', async () => {
    const { resolve } = resolver(['93.184.215.14', '10.0.0.1'])
    await expect(post('http://crm.example/', { ...PUBLIC_ONLY, resolve })).rejects.toEqual(
      failure('address-not-allowed'),
    )
  })

  test('a user name in the address is refused wherever it leads', async () => {
    const port = await serve((_request, response) => response.end())
    await expect(post(`http://user@127.0.0.1:${port}/`, ANYWHERE)).rejects.toEqual(failure('address-not-allowed'))
  })
})

describe('where they are allowed', () => {
  test('the request arrives as it was given, under the name that was asked for', async () => {
    const received: unknown[] = []
    const port = await serve(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString()
      received.push([request.method, request.url, request.headers.host, request.headers['content-type'], body])
      response.writeHead(202, { 'retry-after': '7' }).end('{"ok":true}')
    })
    const { resolve } = resolver(['127.0.0.1'])
    const answer = await post(`http://crm.example:${port}/hook?x=1`, { ...ANYWHERE, resolve })
    expect([answer.status, answer.headers.get('retry-after'), answer.text]).toEqual([202, '7', '{"ok":true}'])
    expect(received).toEqual([['POST', '/hook?x=1', `crm.example:${port}`, 'application/json', '{"a":1}']])
  })

  test('a name is resolved once, so one that changes in between leads to what was checked', async () => {
    const port = await serve((_request, response) => response.end('checked'))
    const { resolve, asked } = resolver(['127.0.0.1'], ['127.0.0.2'])
    const { text } = await post(`http://crm.example:${port}/`, { ...ANYWHERE, resolve })
    expect([text, asked()]).toEqual(['checked', 1])
  })

  test('a redirection is an answer, and is not followed', async () => {
    let followed = 0
    const port = await serve((request, response) => {
      if (request.url === '/next') followed++
      response.writeHead(307, { location: '/next' }).end()
    })
    expect((await post(`http://127.0.0.1:${port}/`, ANYWHERE)).status).toBe(307)
    expect(followed).toBe(0)
  })

  test('of a long answer nothing is kept, and its end is not waited for', async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1)
      response.on('close', () => clearInterval(timer))
    })
    const { status, text } = await post(`http://127.0.0.1:${port}/`, ANYWHERE)
    expect([status, text]).toEqual([200, undefined])
  })

  test('who does not answer, or answers and never ends, is late', async () => {
    const outbound = { ...ANYWHERE, deadlineMs: 150 }
    const silent = await serve(() => {})
    await expect(post(`http://127.0.0.1:${silent}/`, outbound)).rejects.toEqual(failure('late'))
    const endless = await serve((_request, response) => void response.writeHead(200).write('{'))
    await expect(post(`http://127.0.0.1:${endless}/`, outbound)).rejects.toEqual(failure('late'))
  })

  test('what is not there cannot be reached', async () => {
    const port = await serve(() => {})
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
    await expect(post(`http://127.0.0.1:${port}/`, ANYWHERE)).rejects.toEqual(failure('unreachable'))
  })
})
