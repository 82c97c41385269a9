/** Fair shares between clinics, tokens and addresses, and bodies that are not read. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { logInAs, startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const LARGEST = 1_000_000

let clinics: TwoClinics
/** A second token of our clinic. */
let admin: string
beforeAll(async () => {
  clinics = await startTwoClinics({
    MAX_REQUESTS_PER_CLINIC: '3',
    MAX_REQUESTS_PER_TOKEN: '2',
    MAX_BODY_BYTES: String(LARGEST),
  })
  admin = await logInAs(clinics.server, { username: 'admin', clinic: 'demo-clinic', role: 'admin' })
})
afterAll(() => clinics.server.close())

const sockets = new Set<Socket>()
afterEach(async () => {
  await Promise.all([...sockets].map(leave))
})

/** A connection, and the text received so far. */
interface Exchange {
  readonly socket: Socket
  readonly received: () => string
}

async function open(...lines: readonly string[]): Promise<Exchange> {
  const socket = connect(Number(new URL(clinics.server.url).port), '127.0.0.1')
  sockets.add(socket)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  await once(socket, 'connect')
  socket.write(['POST /Patient HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n'))
  return { socket, received: () => received }
}

async function leave(socket: Socket): Promise<void> {
  sockets.delete(socket)
  if (socket.closed) return
  const closed = once(socket, 'close')
  socket.destroy()
  await closed
}

const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5))
}

const bearer = (token: string): string => `Authorization: Bearer ${token}`

/** A request under way: the server has asked for its body, which never comes. */
async function underWay(token = clinics.server.token): Promise<Socket> {
  const { socket, received } = await open(
    bearer(token),
    'Content-Type: application/fhir+json',
    'Content-Length: 1000',
    'Expect: 100-continue',
  )
  await until(() => received().startsWith('HTTP/1.1 100 Continue'))
  return socket
}

const RATE_LIMIT = ['retry-after', 'ratelimit-policy', 'ratelimit']

describe('a token with as many requests under way as it may have', () => {
  test('is refused with 429, an OperationOutcome and the fields of a rate limit; another token of the clinic is not', async () => {
    await underWay()
    await underWay()
    const { status, headers, body } = await clinics.ours('GET', '/Patient')
    expect([status, body.issue[0].code]).toEqual([429, 'throttled'])
    expect(body.issue[0].diagnostics).toMatch(/^Concurrency limit reached: 2 requests of this token are in progress/)
    expect(RATE_LIMIT.map((name) => headers.get(name))).toEqual([
      '1',
      '"token";q=2;qu="concurrent-requests"',
      '"token";r=0;t=1',
    ])
    const authorization = `Bearer ${admin}`
    expect((await clinics.ours('GET', '/Patient', undefined, { authorization })).status).toBe(200)
  })

  test('is served again when one of them has ended', async () => {
    await underWay()
    await leave(await underWay())
    await until(async () => (await clinics.ours('GET', '/Patient')).status === 200)
  })
})

describe('a clinic with as many requests under way as it may have', () => {
  test('is refused with 429, whatever the token; another clinic notices nothing', async () => {
    await underWay()
    await underWay()
    await underWay(admin)
    const refused = await clinics.ours('GET', '/Patient', undefined, { authorization: `Bearer ${admin}` })
    expect([refused.status, refused.headers.get('ratelimit')]).toEqual([429, '"clinic";r=0;t=1'])
    expect((await clinics.theirs('GET', '/Patient')).status).toBe(200)
  })

  test('has its calls refused in the result of the tool, as a platform looks at nothing else', async () => {
    await underWay()
    await underWay()
    await underWay(admin)
    const result = await clinics.server.tool('/patient-intake/validate_intake_field', {
      fieldName: 'email',
      value: 'jane at example dot com',
    })
    expect(result).toMatchObject({ code: 'throttled', say: expect.any(String) })
  })
})

describe('an address with as many requests without a token under way as it may have', () => {
  test('is refused with 429 in plain JSON; those with a token are served, and so is health', async () => {
    const { url } = clinics.server
    const held = Array.from({ length: 3 }, async () => {
      const { socket, received } = await open('Content-Length: 0')
      // A second request on the same connection; the first one is refused, as it has no token.
      socket.write('POST /session HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n')
      await until(() => received().includes('HTTP/1.1 100 Continue'))
    })
    await Promise.all(held)
    const refused = await fetch(`${url}/session`, { method: 'POST', body: '{}' })
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: expect.stringMatching(/^Concurrency limit reached: 3 requests of this address are in progress/) },
    ])
    expect((await fetch(`${url}/metadata`)).status).toBe(429)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    expect((await clinics.ours('GET', '/Patient')).status).toBe(200)
  })
})

test('a server is quiet when no request is under way, and none has come since it was asked; health checks do not count', async () => {
  const { url, app } = clinics.server
  await until(() => app.isQuiet())
  await fetch(`${url}/health/ready`)
  expect(app.isQuiet()).toBe(true)
  await clinics.ours('GET', '/Patient')
  expect([app.isQuiet(), app.isQuiet()]).toEqual([false, true])
  const socket = await underWay()
  expect([app.isQuiet(), app.isQuiet()]).toEqual([false, false])
  await leave(socket)
  await until(() => app.isQuiet())
})

describe('a body that is not read', () => {
  test('is not sent by a client that waits until it is wanted', async () => {
    const { received } = await open('Content-Length: 1000', 'Expect: 100-continue')
    await until(() => received() !== '')
    expect(received()).toMatch(/^HTTP\/1\.1 401 /)
  })

  test.each([
    ['for the size it announces', `Content-Length: ${3 * LARGEST}`, (body: string) => body, 413],
    ['for the size it turns out to have', 'Transfer-Encoding: chunked', inChunks, 413],
    ['for its encoding', `Content-Length: ${3 * LARGEST}\r\nContent-Encoding: br`, (body: string) => body, 415],
  ])('does not keep a client that reads last from the answer: refused %s', async (_why, header, framed, status) => {
    const { socket, received } = await open(bearer(clinics.server.token), header)
    socket.pause()
    for (const part of [framed('x'.repeat(3 * LARGEST)), 'GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n']) {
      if (!socket.write(part)) await once(socket, 'drain')
    }
    socket.resume()
    await until(() => received().includes('"live"'))
    expect(received().match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`, 'HTTP/1.1 200'])
  })
})

function inChunks(body: string): string {
  const half = body.slice(0, body.length / 2)
  const chunk = `${half.length.toString(16)}\r\n${half}\r\n`
  return `${chunk}${chunk}0\r\n\r\n`
}
