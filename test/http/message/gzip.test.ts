/** Bodies with `Content-Encoding: gzip`, wherever a body is read, by servers with and without work threads. */
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { request, type TestServer } from '../../support/server.ts'
import { logInAs, PASSWORD, startTwoClinics, withToken } from '../../support/two-clinics.ts'

const LIMIT = 400_000
const BINARY_LIMIT = 2_000_000
const SECRET = 'secret-key-of-a-credential'
const NUMBER = '+12125550301'
const GZIP = { 'content-encoding': 'gzip' }
const FHIR = { ...GZIP, 'content-type': 'application/fhir+json' }

const patient = (more: object = {}) => ({ resourceType: 'Patient', name: [{ family: 'Berg' }], ...more })
const packed = (value: unknown): Buffer => gzipSync(typeof value === 'string' ? value : JSON.stringify(value))

/** JSON of so many characters that hardly get shorter. */
const long = (length: number): string =>
  JSON.stringify(patient({ address: [{ text: randomBytes(length / 2).toString('hex') }] }))

describe.each([
  ['without work threads', 0],
  ['with work threads', 2],
] as const)('a server %s', (_, workThreads) => {
  let server: TestServer
  let admin: TestServer['fhir']
  beforeAll(async () => {
    const env = { MAX_BODY_BYTES: String(LIMIT), MAX_BINARY_BYTES: String(BINARY_LIMIT) }
    const started = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl(), ...env }, { workThreads })
    server = started.server
    admin = withToken(server, await logInAs(server, { username: 'ada', clinic: DEMO_CLINIC, role: 'admin' })).fhir
    await createClinic(server.app.repository, 'signed', {
      ...{ name: 'signed', timeZone: 'UTC', defaultRegion: 'US', dialedNumbers: [NUMBER] },
      policies: { overbooking: false, slotTakenStatus: 409 },
      callSecurity: { method: 'hmac', secrets: [SECRET] },
    })
  })
  afterAll(() => server.close())

  const post = (body: Buffer, headers: Record<string, string> = FHIR, path = '/Patient') =>
    server.fhir('POST', path, body, headers)

  test.each([
    ['JSON', JSON.stringify(patient()), 'application/fhir+json'],
    [
      'XML',
      '<Patient xmlns="http://hl7.org/fhir"><name><family value="Berg"/></name></Patient>',
      'application/fhir+xml',
    ],
    ['JSON that a work thread reads', long(200_000), 'application/fhir+json'],
  ])('reads a resource in %s', async (_form, text, type) => {
    const created = await post(packed(text), { ...GZIP, 'content-type': type })
    expect(created.status).toBe(201)
    const { body } = await server.fhir(
      'GET',
      `/Patient/${created.body?.id ?? /id value="([^"]+)/.exec(created.text)?.[1]}`,
    )
    expect(body.name).toEqual([{ family: 'Berg' }])
  })

  test('reads a body that comes in chunks and consists of two members, and a name in capitals', async () => {
    const text = JSON.stringify(patient())
    const parts = [gzipSync(text.slice(0, 20)), gzipSync(text.slice(20))]
    const sent = httpRequest(`${server.url}/Patient`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, ...FHIR, 'content-encoding': 'X-GZIP' },
    })
    for (const part of parts) sent.write(part)
    sent.end()
    const [{ statusCode }] = await once(sent, 'response')
    expect(statusCode).toBe(201)
  })

  test('reads a transaction, a form of a search and a login', async () => {
    const family = `F${randomUUID()}`
    const entry = [{ resource: patient({ name: [{ family }] }), request: { method: 'POST', url: 'Patient' } }]
    const done = await post(packed({ resourceType: 'Bundle', type: 'transaction', entry }), FHIR, '/')
    expect(done.status).toBe(200)
    const form = { ...GZIP, 'content-type': 'application/x-www-form-urlencoded' }
    const found = await post(packed(`family=${family}`), form, '/Patient/_search')
    expect(found.body.total).toBe(1)
    const json = { ...GZIP, 'content-type': 'application/json' }
    const login = await request(server.url, 'POST', '/session', packed({ username: 'ada', password: PASSWORD }), json)
    expect(login.status).toBe(200)
  })

  test('reads the file of a clinic, line by line', async () => {
    const lines = [0, 1, 2].map((n) => JSON.stringify(patient({ id: `line-${n}` }))).join('\n')
    const headers = { ...GZIP, 'content-type': 'application/fhir+ndjson' }
    const answer = await admin('POST', `/clinics/${DEMO_CLINIC}/import`, packed(lines), headers)
    expect(answer.body).toMatchObject({ refused: [] })
    expect((await server.fhir('GET', '/Patient/line-2')).status).toBe(200)
  })

  test.each([
    ['short', Buffer.from('plain text')],
    ['long', randomBytes(900_000)],
    ['longer than a body', Buffer.concat([randomBytes(600_000), Buffer.alloc(600_000)])],
  ])('stores a Binary as the bytes before gzip: %s', async (_length, bytes) => {
    const created = await post(gzipSync(bytes), { ...GZIP, 'content-type': 'image/png' }, '/Binary')
    expect(created.status).toBe(201)
    const read = await fetch(`${server.url}/Binary/${created.body.id}`, {
      headers: { authorization: `Bearer ${server.token}`, accept: 'image/png' },
    })
    expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
  })

  test.each([200, 200_000])('takes a Binary as a resource with %d bytes', async (length) => {
    const data = randomBytes(length).toString('base64')
    const created = await post(packed({ resourceType: 'Binary', contentType: 'image/png', data }), FHIR, '/Binary')
    expect(created.status).toBe(201)
    const read = await server.fhir('GET', `/Binary/${created.body.id}?_format=json`)
    expect(read.body.data).toBe(data)
  })

  test.each([
    ['short', ''],
    ['for a work thread', ' '.repeat(40_000)],
  ])('checks the signature of a voice platform over the bytes as they were sent: %s', async (_length, space) => {
    const text = JSON.stringify({
      message: { toolCalls: [{ id: randomUUID(), function: { arguments: { reason: 'a bill' } } }] },
    })
    const body = packed(`${text}${space}`)
    const call = async (signed: Buffer | string) => {
      const answer = await request(server.url, 'POST', '/patient-journey/escalate_billing', body, {
        ...{ 'x-voice-secret': 'demo-secret', 'x-call-id': randomUUID(), 'x-call-to': NUMBER },
        ...{ ...GZIP, 'content-type': 'application/json' },
        'x-vapi-signature': createHmac('sha256', SECRET).update(signed).digest('hex'),
      })
      return JSON.parse(answer.body.results?.[0].result ?? answer.text)
    }
    expect(await call(body)).toMatchObject({ success: true })
    expect(await call(`${text}${space}`)).toMatchObject({ code: 'call-not-signed' })
  })

  test.each([
    ['is larger than a body may be', packed(long(LIMIT + 10)), 413, /larger than 400000 bytes/],
    ['inflates to far more than was sent', gzipSync(' '.repeat(LIMIT - 1)), 413, /more than 100 bytes for each byte/],
    ['inflates to far more than memory has', gzipSync(Buffer.alloc(50_000_000, 32)), 413, /more than 100 bytes/],
    ['is no gzip', Buffer.from(JSON.stringify(patient())), 400, /is not gzip, or ends too early/],
    ['ends in the middle', packed(long(1_000)).subarray(0, 300), 400, /is not gzip, or ends too early/],
    ['is empty', Buffer.alloc(0), 400, /is not gzip, or ends too early/],
    ['has a checksum that is wrong', withWrongChecksum(packed(patient())), 400, /is not gzip, or ends too early/],
    ['is empty inside', packed(''), 400, /is empty/],
  ])('refuses a body that %s', async (_why, body, status, diagnostics) => {
    const refused = await post(body)
    expect(refused.status).toBe(status)
    expect(refused.body.issue[0].diagnostics).toMatch(diagnostics)
  })

  test.each([
    ['inflates to more than a Binary may have', Buffer.alloc(BINARY_LIMIT).map(() => Math.random() * 256), 413],
    ['inflates to far more than was sent', Buffer.alloc(1_500_000), 413],
  ])('refuses a Binary that %s', async (_why, bytes, status) => {
    const twice = Buffer.concat([bytes, bytes.subarray(0, 1)])
    const refused = await post(gzipSync(twice), { ...GZIP, 'content-type': 'image/png' }, '/Binary')
    expect(refused.status).toBe(status)
  })

  test('refuses a Binary that ends in the middle, and keeps nothing of it', async () => {
    const whole = gzipSync(randomBytes(500_000))
    const refused = await post(whole.subarray(0, 300_000), { ...GZIP, 'content-type': 'image/png' }, '/Binary')
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([400, expect.stringMatching(/is not gzip/)])
  })

  test.each(['br', 'deflate', 'gzip, gzip', 'zstd'])(
    'refuses the encoding %s, and names the one it takes',
    async (name) => {
      const refused = await post(packed(patient()), { ...FHIR, 'content-encoding': name })
      expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'gzip'])
      expect(refused.body.issue[0].diagnostics).toContain(`'${name}' is not supported`)
    },
  )
})

/** The checksum of gzip is among its last eight bytes. */
function withWrongChecksum(body: Buffer): Buffer {
  const changed = Buffer.from(body)
  changed.writeUInt8(changed.readUInt8(changed.length - 6) ^ 0xff, changed.length - 6)
  return changed
}
