/** CORS: https://fetch.spec.whatwg.org/#http-cors-protocol; and OPTIONS, of which its preflight is one. */
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { askMcp } from '../support/mcp.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const APP = 'https://app.example'
const PREFLIGHT = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization,if-match' }

let closed: TestServer
let open: TestServer
let any: TestServer
beforeAll(async () => {
  closed = await startServer()
  open = await startServer({ CORS_ORIGINS: `${APP},http://localhost:5173` })
  any = await startServer({ CORS_ORIGINS: '*' })
})
afterAll(() => Promise.all([closed.close(), open.close(), any.close()]))

const preflight = (server: TestServer, origin: string, path = '/Patient/1') =>
  request(server.url, 'OPTIONS', path, undefined, { origin, ...PREFLIGHT })

const corsHeaders = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')))

test('/metadata says whether pages of other origins may use the server', async () => {
  const declared = async ({ url }: TestServer) => (await request(url, 'GET', '/metadata')).body.rest[0].security.cors
  expect([await declared(closed), await declared(open), await declared(any)]).toEqual([false, true, true])
})

describe('where no origin is configured', () => {
  test('no page of another origin may read an answer', async () => {
    for (const path of ['/Patient?_count=1', '/metadata', '/Patient/nobody']) {
      const { headers } = await closed.fhir('GET', path, undefined, { origin: APP })
      expect([corsHeaders(headers), headers.get('vary')]).toEqual([{}, expect.not.stringContaining('Origin')])
    }
  })

  test('a preflight is allowed nothing', async () => {
    const { status, headers } = await preflight(closed, APP)
    expect([status, corsHeaders(headers)]).toEqual([204, {}])
  })
})

describe('a page of a configured origin', () => {
  test.each([APP, 'http://localhost:5173'])('%s may send what a preflight asks for, with its token', async (origin) => {
    for (const path of ['/Patient/1', '/session', '/metadata', '/clinics/demo-clinic/settings', '/Nonsense']) {
      const { status, headers } = await preflight(open, origin, path)
      expect(status).toBe(204)
      expect(corsHeaders(headers)).toEqual({
        'access-control-allow-origin': origin,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        'access-control-allow-headers': 'authorization,if-match',
        'access-control-expose-headers': expect.stringContaining('ETag, Location'),
        'access-control-max-age': '7200',
      })
    }
  })

  test.each([
    ['a search', 'GET', '/Patient?_count=1', 200],
    ['/metadata', 'GET', '/metadata', 200],
    ['an error', 'GET', '/Patient/nobody', 404],
    ['what is not there', 'GET', '/Nonsense/1', 404],
    ['a method that is not offered', 'PUT', '/metadata', 405],
  ])('may read %s, and its headers', async (_what, method, path, status) => {
    const answer = await open.fhir(method, path, undefined, { origin: APP })
    expect(answer.status).toBe(status)
    expect(corsHeaders(answer.headers)).toEqual({
      'access-control-allow-origin': APP,
      'access-control-expose-headers': expect.stringContaining('ETag, Location'),
    })
    expect(answer.headers.get('vary')).toMatch(/Accept.*, Origin$/)
  })

  test('may read the answer without a token, which is 401', async () => {
    const { status, headers } = await request(open.url, 'GET', '/Patient/1', undefined, { origin: APP })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, APP])
  })
})

describe('a page of any other origin', () => {
  test.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    '%s may send and read nothing',
    async (origin) => {
      const asked = await preflight(open, origin)
      expect([asked.status, corsHeaders(asked.headers)]).toEqual([204, {}])
      const { headers } = await open.fhir('GET', '/Patient?_count=1', undefined, { origin })
      expect([corsHeaders(headers), headers.get('vary')]).toEqual([{}, 'Accept, Origin'])
    },
  )

  test('is allowed by *, without credentials of the browser', async () => {
    expect(corsHeaders((await preflight(any, 'null')).headers)).toMatchObject({ 'access-control-allow-origin': '*' })
    const { headers } = await any.fhir('GET', '/Patient?_count=1', undefined, { origin: 'https://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBe(null)
    expect(headers.get('vary')).toBe('Accept')
  })

  test('a request that comes from no page gets no headers for one, but caches are told that it might', async () => {
    const { headers } = await open.fhir('GET', '/Patient?_count=1')
    expect([corsHeaders(headers), headers.get('vary')]).toEqual([{}, 'Accept, Origin'])
  })
})

describe('OPTIONS', () => {
  test.each([
    ['/Patient', 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/Patient/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/Patient/1/_history/1', 'GET, HEAD, OPTIONS'],
    ['/Patient/1/Observation', 'GET, HEAD, OPTIONS'],
    ['/Patient/$match', 'GET, POST, HEAD, OPTIONS'],
    ['/Patient/1/$meta-add', 'POST, OPTIONS'],
    ['/', 'GET, POST, HEAD, OPTIONS'],
    ['/metadata', 'GET, HEAD, OPTIONS'],
    ['/session', 'POST, DELETE, OPTIONS'],
    ['/clinics/demo-clinic/settings', 'HEAD, GET, PUT, OPTIONS'],
  ])('of %s says %s without a token', async (path, allow) => {
    const { status, headers, text } = await request(closed.url, 'OPTIONS', path)
    expect([status, headers.get('allow'), text]).toEqual([204, allow, ''])
  })

  test('of * is about the server as a whole', async () => {
    const { port } = new URL(closed.url)
    const sent = httpRequest({ host: '127.0.0.1', port, method: 'OPTIONS', path: '*', agent: false }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    expect([answer.statusCode, answer.headers.allow]).toEqual([204, 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'])
  })

  test('names the kinds of patch', async () => {
    const { headers } = await request(closed.url, 'OPTIONS', '/Patient/1')
    expect(headers.get('accept-patch')).toContain('application/json-patch+json')
    expect((await request(closed.url, 'OPTIONS', '/metadata')).headers.get('accept-patch')).toBe(null)
  })

  test.each(['/Nonsense', '/Patient/$nonsense', '/session/x', '/clinics/x/nonsense', '/Patient/1/2/3/4'])(
    'of %s, where there is nothing, is 404',
    async (path) => {
      expect((await request(closed.url, 'OPTIONS', path)).status).toBe(404)
    },
  )

  test('of interactions that are switched off does not name them', async () => {
    const less = await startServer({ DISABLED_INTERACTIONS: 'Patient.delete,system.history-system' })
    try {
      expect((await request(less.url, 'OPTIONS', '/Patient/1')).headers.get('allow')).toBe(
        'GET, PUT, PATCH, HEAD, OPTIONS',
      )
      expect((await request(less.url, 'OPTIONS', '/_history')).headers.get('allow')).toBe('OPTIONS')
      const answer = await less.fhir('GET', '/_history')
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, ''])
    } finally {
      await less.close()
    }
  })
})

describe('an MCP client in a page', () => {
  const listTools = ({ url, token }: TestServer, path: string, origin: string) =>
    askMcp(
      { url, path, headers: { origin, 'x-voice-secret': 'demo-secret', authorization: `Bearer ${token}` } },
      '2025-11-25',
      'tools/list',
    )

  test.each(['/mcp', '/mcp/fhir'])(
    'is served at %s where its origin is configured, or that of this machine',
    async (path) => {
      const local = 'http://localhost:6274'
      for (const [server, origin] of [
        [open, APP],
        [any, APP],
        [closed, local],
        [open, local],
      ] as const)
        expect((await listTools(server, path, origin)).status).toBe(200)
    },
  )

  test.each(['/mcp', '/mcp/fhir'])(
    'is refused at %s otherwise, also where its own name leads to this server',
    async (path) => {
      for (const origin of ['https://evil.example', 'http://localhost.evil.example', `${APP}:8443`, 'null']) {
        const { status, text } = await listTools(open, path, origin)
        expect([status, text]).toEqual([403, expect.stringContaining('CORS_ORIGINS')])
      }
    },
  )
})
