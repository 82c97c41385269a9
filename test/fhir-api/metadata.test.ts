/** capabilities over HTTP: https://hl7.org/fhir/R4/http.html#capabilities; and the address of the server as clients see it. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { validate } from '../../src/fhir/validate/validate.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ TRUST_PROXY: 'loopback' })
})
afterAll(() => server.close())

const get = (path: string, headers?: Record<string, string>) => request(server.url, 'GET', path, undefined, headers)

interface RawResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
}

/** A request as written: fetch would set Host and decode the body. */
const raw = (path: string, headers: Record<string, string>, { app } = server): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const { port } = app.server.address() as AddressInfo
    const sent = http.get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
  })

const addressIn = ({ bytes }: RawResponse): string => JSON.parse(bytes.toString()).implementation.url

describe('/metadata', () => {
  test('needs no token, is no search for a resource type, and is answered as R4 JSON', async () => {
    const { status, headers, body } = await get('/metadata')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/fhir+json; charset=utf-8')
    expect(body).toMatchObject({ resourceType: 'CapabilityStatement', implementation: { url: server.url } })
  })

  test.each<[string, string, Record<string, string>, number, string]>([
    [
      'Accept: application/fhir+json',
      '/metadata',
      { accept: 'application/fhir+json' },
      200,
      'application/fhir+json; charset=utf-8',
    ],
    ['Accept: application/json', '/metadata', { accept: 'application/json' }, 200, 'application/json; charset=utf-8'],
    [
      'a browser',
      '/metadata',
      { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' },
      200,
      'application/fhir+json; charset=utf-8',
    ],
    [
      'fhirVersion=4.0',
      '/metadata',
      { accept: 'application/fhir+json; fhirVersion=4.0' },
      200,
      'application/fhir+json; charset=utf-8; fhirVersion=4.0',
    ],
    [
      '_format=json over Accept',
      '/metadata?_format=json',
      { accept: 'application/fhir+xml' },
      200,
      'application/fhir+json; charset=utf-8',
    ],
    ['Accept: text/turtle', '/metadata', { accept: 'text/turtle' }, 406, 'application/fhir+json; charset=utf-8'],
    ['_format=ttl', '/metadata?_format=ttl', {}, 406, 'application/fhir+json; charset=utf-8'],
    [
      'fhirVersion=5.0',
      '/metadata',
      { accept: 'application/fhir+json; fhirVersion=5.0' },
      406,
      'application/fhir+json; charset=utf-8',
    ],
  ])('%s is negotiated', async (_name, path, headers, status, contentType) => {
    const answer = await get(path, headers)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, contentType])
    expect(answer.body.resourceType).toBe(status === 200 ? 'CapabilityStatement' : 'OperationOutcome')
  })

  test('has an ETag, and is 304 without a body for a client that holds it', async () => {
    const etag = (await get('/metadata')).headers.get('etag') ?? ''
    expect(etag).toMatch(/^W\/".+"$/)
    const again = await get('/metadata', { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    expect(again.headers.get('etag')).toBe(etag)
    expect((await get('/metadata', { 'if-none-match': `W/"other", ${etag}` })).status).toBe(304)
    expect((await get('/metadata', { 'if-none-match': 'W/"other"' })).status).toBe(200)
  })

  test('HEAD has the headers of GET and no body', async () => {
    const plain = { 'accept-encoding': 'identity' }
    const [head, whole] = [
      await request(server.url, 'HEAD', '/metadata', undefined, plain),
      await get('/metadata', plain),
    ]
    expect([head.status, head.text]).toEqual([200, ''])
    for (const name of ['etag', 'content-type', 'content-length', 'vary'])
      expect(head.headers.get(name)).toBe(whole.headers.get(name))
  })

  test('_pretty=true is the same statement with line breaks', async () => {
    const pretty = await get('/metadata?_pretty=true')
    expect(pretty.text).toContain('\n  "')
    expect(pretty.body).toEqual((await get('/metadata')).body)
  })

  test.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ])('compressed with %s it is the plain one', async (encoding, decompress) => {
    const plain = await raw('/metadata', {})
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['vary']).toContain('Accept-Encoding')
    let encoded = await raw('/metadata', { 'accept-encoding': encoding })
    // Compressed in the background after the first request.
    while (encoded.headers['content-encoding'] === undefined)
      encoded = await raw('/metadata', { 'accept-encoding': encoding })
    expect(encoded.headers['content-encoding']).toBe(encoding)
    expect(encoded.bytes.length).toBeLessThan(plain.bytes.length / 5)
    expect(decompress(encoded.bytes).equals(plain.bytes)).toBe(true)
    const refused = await raw('/metadata', { 'accept-encoding': `${encoding};q=0` })
    expect(refused.headers['content-encoding']).toBeUndefined()
  })

  test.each([
    ['full', 200, 'CapabilityStatement'],
    ['normative', 200, 'CapabilityStatement'],
    ['terminology', 200, 'TerminologyCapabilities'],
    ['everything', 400, 'OperationOutcome'],
  ])('mode=%s is %d with a %s', async (mode, status, resourceType) => {
    const answer = await get(`/metadata?mode=${mode}`)
    expect([answer.status, answer.body.resourceType]).toEqual([status, resourceType])
    expect(validate(answer.body)).toEqual([])
  })

  test('other methods are 405 and say GET', async () => {
    const answer = await server.fhir('POST', '/metadata', {})
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })
})

describe('the address of the server', () => {
  test.each<[string, Record<string, string>, string]>([
    ['Host', { host: 'emr.example:8080' }, 'http://emr.example:8080'],
    ['an IPv6 Host', { host: '[::1]:3000' }, 'http://[::1]:3000'],
    [
      'X-Forwarded-Proto and -Host',
      { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'fhir.example' },
      'https://fhir.example',
    ],
    [
      'the first of several proxies',
      {
        'x-forwarded-for': '203.0.113.5, 127.0.0.2',
        'x-forwarded-proto': 'https, http',
        'x-forwarded-host': 'outer.example, inner',
      },
      'https://outer.example',
    ],
    ['X-Forwarded-Prefix', { host: 'a.example', 'x-forwarded-prefix': '/emr/fhir/' }, 'http://a.example/emr/fhir'],
  ])('is taken from %s', async (_name, headers, address) => {
    expect(addressIn(await raw('/metadata', headers))).toBe(address)
  })

  test.each<[string, Record<string, string>]>([
    ['a Host with markup', { 'x-forwarded-host': '"><script>' }],
    ['a Host with a path', { 'x-forwarded-host': 'evil.example/a?b' }],
    ['a Host with a user', { 'x-forwarded-host': 'good@evil.example' }],
    ['a Host with spaces', { 'x-forwarded-host': 'a b' }],
    ['a scheme that is none', { host: 'localhost', 'x-forwarded-proto': 'javascript' }],
    ['a prefix with markup', { host: 'localhost', 'x-forwarded-prefix': '/"onload=x' }],
    ['a prefix that leaves the host', { host: 'localhost', 'x-forwarded-prefix': '//evil.example' }],
  ])('forged as %s is not echoed', async (_name, headers) => {
    expect(addressIn(await raw('/metadata', headers))).toBe('http://localhost')
  })

  test('behind a proxy stands in self, next, fullUrl and Location too', async () => {
    const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'fhir.example', 'x-forwarded-prefix': '/r4' }
    const { body } = await server.fhir('GET', '/Patient?_count=1', undefined, proxied)
    expect(body.link[0].url).toBe('https://fhir.example/r4/Patient?_count=1')
    expect(body.link[1].url).toMatch(/^https:\/\/fhir\.example\/r4\/Patient\?_count=1&_cursor=/)
    expect(body.entry[0].fullUrl).toBe(`https://fhir.example/r4/Patient/${body.entry[0].resource.id}`)
    const created = await server.fhir('POST', '/Basic', { resourceType: 'Basic', code: { text: 'x' } }, proxied)
    expect(created.headers.get('location')).toBe(`https://fhir.example/r4/Basic/${created.body.id}/_history/1`)
    const history = await server.fhir('GET', `/Basic/${created.body.id}/_history`, undefined, proxied)
    expect(history.body.link[0].url).toBe(`https://fhir.example/r4/Basic/${created.body.id}/_history`)
  })

  test('is not taken from a proxy that TRUST_PROXY does not name', async () => {
    const unproxied = await startServer()
    try {
      const headers = { host: 'a.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
      expect(addressIn(await raw('/metadata', headers, unproxied))).toBe('http://a.example')
    } finally {
      await unproxied.close()
    }
  })

  test('BASE_URL wins over every header', async () => {
    const fixed = await startServer({ BASE_URL: 'https://emr.example/fhir/' })
    try {
      const headers = { host: 'a.example', 'x-forwarded-host': 'b.example', 'x-forwarded-proto': 'http' }
      expect(addressIn(await raw('/metadata', headers, fixed))).toBe('https://emr.example/fhir')
      const { body } = await fixed.fhir('GET', '/Patient?_count=1')
      expect(body.link[0].url).toBe('https://emr.example/fhir/Patient?_count=1')
    } finally {
      await fixed.close()
    }
  })
})
