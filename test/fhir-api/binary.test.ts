/** Binary over HTTP as the bytes that it is, and as a resource: https://hl7.org/fhir/R4/binary.html#rest. */
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { until } from '../support/server-process.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const LIMIT = 3 * 1024 * 1024

let clinics: TwoClinics
let url = ''
beforeAll(async () => {
  clinics = await startTwoClinics({ MAX_BINARY_BYTES: String(LIMIT) })
  url = clinics.server.url
})
afterAll(() => clinics.server.close())

type Headers = Readonly<Record<string, string>>

interface Sent {
  readonly method?: string
  readonly body?: Uint8Array | string
  readonly headers?: Headers
}

/** By staff of the demo clinic. */
async function send(path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${clinics.server.token}`, ...headers },
    ...(body === undefined ? {} : { body: body as BodyInit }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into bodies of every shape
  const json: any = isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
  return { status: response.status, headers: response.headers, bytes, json }
}

const post = (body: Uint8Array | string, type: string, headers: Headers = {}) =>
  send('/Binary', { method: 'POST', body, headers: { 'content-type': type, ...headers } })
const put = (id: string, body: Uint8Array | string, type: string, headers: Headers = {}) =>
  send(`/Binary/${id}`, { method: 'PUT', body, headers: { 'content-type': type, ...headers } })

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(700_000)])
const asFhir = { accept: 'application/fhir+json' }

/** Contents, and uploads that are under way, of all clinics. */
async function kept(): Promise<number> {
  const { repository } = clinics.server.app
  const all = { limit: 1_000, clinic: DEMO_CLINIC }
  const uploads = await repository.records(recordKind('content-upload'), all)
  return (await repository.records(CONTENT, all)).length + uploads.length
}

describe('a Binary that is sent as bytes', () => {
  test.each([
    ['short', Buffer.from('plain text, ü'), 'text/plain; charset=utf-8'],
    ['long', PNG, 'image/png'],
    ['at the limit', randomBytes(LIMIT), 'application/octet-stream'],
  ])('comes back as it was, where it is %s', async (_length, bytes, type) => {
    const created = await post(bytes, type)
    expect(created.status).toBe(201)
    expect(created.headers.get('etag')).toBe('W/"1"')
    expect(created.json).toMatchObject({ resourceType: 'Binary', contentType: type })
    expect(created.headers.get('location')).toBe(`${url}/Binary/${created.json.id}/_history/1`)
    const read = await send(`/Binary/${created.json.id}`)
    expect(read.status).toBe(200)
    expect(read.bytes.equals(bytes)).toBe(true)
    expect(Object.fromEntries(read.headers)).toMatchObject({
      'content-type': type,
      'content-length': String(bytes.length),
      'accept-ranges': 'bytes',
      etag: 'W/"1"',
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'attachment',
      'content-security-policy': "sandbox; default-src 'none'",
    })
  })

  test('is answered without its data, unless that is asked for', async () => {
    const usual = await post('short', 'text/plain')
    expect(usual.json.data).toBeUndefined()
    expect(usual.json.meta.tag[0].code).toBe('SUBSETTED')
    const minimal = await post('short', 'text/plain', { prefer: 'return=minimal' })
    expect([minimal.status, minimal.bytes.length]).toEqual([201, 0])
    const whole = await post('short', 'text/plain', { prefer: 'return=representation' })
    expect(whole.json.data).toBe(Buffer.from('short').toString('base64'))
    const outcome = await post('short', 'text/plain', { prefer: 'return=OperationOutcome' })
    expect(outcome.json.resourceType).toBe('OperationOutcome')
  })

  test('is kept once in its clinic, however often it comes', async () => {
    const before = await kept()
    const bytes = randomBytes(300_000)
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(bytes, 'image/png')))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    await until(async () => (await kept()) === before + 1)
    for (const { json } of answers) expect((await send(`/Binary/${json.id}`)).bytes.equals(bytes)).toBe(true)
  })

  test('is updated, and each version keeps its own bytes and type', async () => {
    expect((await put('versions', PNG, 'image/png')).status).toBe(201)
    const second = await put('versions', 'now a text', 'text/plain')
    expect([second.status, second.headers.get('etag')]).toEqual([200, 'W/"2"'])
    const first = await send('/Binary/versions/_history/1')
    expect([first.headers.get('content-type'), first.bytes.equals(PNG)]).toEqual(['image/png', true])
    expect((await send('/Binary/versions')).bytes.toString()).toBe('now a text')
    const history = await send('/Binary/versions/_history')
    expect(history.json.total).toBe(2)
    await send('/Binary/versions', { method: 'DELETE' })
    expect((await send('/Binary/versions')).status).toBe(410)
    expect((await send('/Binary/versions/_history/1')).bytes.equals(PNG)).toBe(true)
  })

  test.each([
    ['application/json', '{"some": "data"}', 'application/json'],
    [
      'application/json',
      '{"resourceType":"Bundle","entry":[{"resource":{"resourceType":"Binary"}}]}',
      'application/json',
    ],
    ['application/fhir+json', '{"resourceType":"Bundle","type":"document"}', 'application/fhir+json'],
    ['application/fhir+json', '{"some": "data"}', 'application/fhir+json'],
    ['application/fhir+json; charset=utf-8', '[1, 2]', 'application/fhir+json; charset=utf-8'],
    ['application/fhir+xml', '<Bundle xmlns="http://hl7.org/fhir"/>', 'application/fhir+xml'],
    ['text/xml', '<ClinicalDocument xmlns="urn:hl7-org:v3"><Binary/></ClinicalDocument>', 'text/xml'],
    ['application/xml', '<?xml version="1.0"?><!-- <Binary> --><html/>', 'application/xml'],
    ['application/x-www-form-urlencoded', 'a=b', 'application/x-www-form-urlencoded'],
    ['APPLICATION/PDF;  name="x"', '%PDF-1.7', 'APPLICATION/PDF; name="x"'],
  ])('may be %s: %s', async (type, body, stored) => {
    const { status, json } = await post(body, type)
    expect(status).toBe(201)
    const read = await send(`/Binary/${json.id}`)
    expect([read.bytes.toString(), read.headers.get('content-type')]).toEqual([body, stored])
  })

  test.each([
    ['application/json', '{"resourceType":"Binary","contentType":"text/plain","data":"YQ=="}'],
    ['text/json', '\n{ "contentType" : "text/plain", "data":"YQ==", "resourceType" : "Binary" }'],
    ['application/fhir+json', '{"resourceType":"Binary","contentType":"text/plain","data":"YQ=="}'],
    [
      'application/xml',
      '<?xml version="1.0"?>\n<!-- x --><Binary xmlns="http://hl7.org/fhir"><contentType value="text/plain"/><data value="YQ=="/></Binary>',
    ],
  ])('is a resource where it is one, as %s', async (type, body) => {
    const { status, json } = await post(body, type)
    expect(status).toBe(201)
    const read = await send(`/Binary/${json.id}`)
    expect([read.bytes.toString(), read.headers.get('content-type')]).toEqual(['a', 'text/plain'])
  })

  test('whose beginning is full of comments is looked at in one go', async () => {
    // Each comment that could be read in two ways would double the work.
    const comments = '<!---->'.repeat(2000)
    const file = await post(`${comments}<note/>`, 'application/xml')
    expect([file.status, file.json.contentType]).toEqual([201, 'application/xml'])
    const resource = `${comments}<Binary xmlns="http://hl7.org/fhir"><contentType value="text/plain"/></Binary>`
    const read = await post(resource, 'text/xml')
    expect([read.status, read.json.contentType]).toEqual([201, 'text/plain'])
  })

  test('as a long resource, is read whole though its beginning was looked at', async () => {
    const data = Buffer.from('x'.repeat(30_000)).toString('base64')
    const body = JSON.stringify({ resourceType: 'Binary', contentType: 'text/plain', data })
    const { status, json } = await post(body, 'application/json')
    expect(status).toBe(201)
    expect((await send(`/Binary/${json.id}`)).bytes.toString()).toBe('x'.repeat(30_000))
  })

  test('obeys If-Match, If-None-Match and If-None-Exist, and what is refused leaves nothing', async () => {
    const bytes = randomBytes(50_000)
    await put('guarded', 'first', 'text/plain')
    const before = await kept()
    expect((await put('guarded', bytes, 'image/png', { 'if-match': 'W/"7"' })).status).toBe(412)
    expect((await put('guarded', bytes, 'image/png', { 'if-none-match': '*' })).status).toBe(412)
    const exists = await post(bytes, 'image/png', { 'if-none-exist': '_id=guarded' })
    expect([exists.status, exists.json.id]).toEqual([200, 'guarded'])
    expect(await kept()).toBe(before)
    expect((await send('/Binary/guarded')).bytes.toString()).toBe('first')
    expect((await put('guarded', bytes, 'image/png', { 'if-match': 'W/"1"' })).status).toBe(200)
    expect(await kept()).toBe(before + 1)
  })
})

describe('a Binary that is read', () => {
  let path = ''
  beforeAll(async () => {
    path = `/Binary/${(await post(PNG, 'image/png')).json.id}`
  })

  test.each([
    ['*/*', 'image/png'],
    ['image/png', 'image/png'],
    ['image/*', 'image/png'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'image/png'],
    ['application/json, text/plain, */*', 'image/png'],
    ['application/fhir+json;q=0.5, image/png', 'image/png'],
  ])('is bytes by Accept: %s', async (accept, type) => {
    const read = await send(path, { headers: { accept } })
    expect([read.status, read.headers.get('content-type')]).toEqual([200, type])
    expect(read.bytes.equals(PNG)).toBe(true)
  })

  test.each([
    ['application/fhir+json', '', 'application/fhir+json; charset=utf-8'],
    ['application/fhir+xml', '', 'application/fhir+xml; charset=utf-8'],
    ['application/json', '', 'application/json; charset=utf-8'],
    ['application/fhir+json, */*; q=0.1', '', 'application/fhir+json; charset=utf-8'],
    ['*/*', '?_format=json', 'application/fhir+json; charset=utf-8'],
    ['image/png', '?_format=xml', 'application/fhir+xml; charset=utf-8'],
    ['*/*', '?_elements=contentType', 'application/fhir+json; charset=utf-8'],
  ])('is a resource by Accept: %s%s', async (accept, query, type) => {
    const read = await send(`${path}${query}`, { headers: { accept } })
    expect([read.status, read.headers.get('content-type')]).toEqual([200, type])
    expect(read.bytes.toString()).toContain('image/png')
  })

  test.each(['application/pdf', 'text/*', 'image/png;q=0'])(
    'is 406 by Accept: %s, naming what there is',
    async (accept) => {
      const read = await send(path, { headers: { accept } })
      expect(read.status).toBe(406)
      expect(read.json.issue[0].diagnostics).toContain('this content is image/png')
    },
  )

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=5-9', 5, 10],
    ['bytes=699999-', 699_999, PNG.length],
    ['bytes=-8', PNG.length - 8, PNG.length],
    ['bytes=261119-261121', 261_119, 261_122],
    ['bytes=5-99999999', 5, PNG.length],
    ['bytes=-99999999', 0, PNG.length],
  ])('in part by Range: %s', async (range, start, end) => {
    const read = await send(path, { headers: { range } })
    expect(read.status).toBe(206)
    expect(read.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${PNG.length}`)
    expect(read.headers.get('content-length')).toBe(String(end - start))
    expect(read.bytes.equals(PNG.subarray(start, end))).toBe(true)
  })

  test.each([
    ...['bytes=0-1,5-9', 'items=0-1', 'bytes=9-5', 'bytes=x-', 'bytes=0 - 1'],
    // A naive pattern could match the spaces in two places, and would try each.
    `bytes=${' '.repeat(4000)}-${' '.repeat(4000)}x`,
  ])('is whole by Range: %s', async (range) => {
    const read = await send(path, { headers: { range } })
    expect([read.status, read.bytes.length]).toEqual([200, PNG.length])
  })

  test.each([`bytes=${PNG.length}-`, 'bytes=-0'])('is 416 by Range: %s, saying how long it is', async (range) => {
    const read = await send(path, { headers: { range } })
    expect([read.status, read.headers.get('content-range')]).toEqual([416, `bytes */${PNG.length}`])
    expect(read.headers.get('content-disposition')).toBeNull()
  })

  test('goes on from a part only while it is the same version', async () => {
    const range = 'bytes=0-1'
    const modified = (await send(path)).headers.get('last-modified') ?? ''
    for (const [ifRange, status] of [
      ['W/"1"', 206],
      ['W/"2"', 200],
      ['"else"', 200],
      [modified, 206],
      [new Date(0).toUTCString(), 200],
    ] as const) {
      expect((await send(path, { headers: { range, 'if-range': ifRange } })).status).toBe(status)
    }
  })

  test('is 304 to a client that has it', async () => {
    const read = await send(path, { headers: { 'if-none-match': 'W/"1"' } })
    expect([read.status, read.bytes.length, read.headers.get('etag')]).toEqual([304, 0, 'W/"1"'])
    for (const [version, status] of [
      [1, 304],
      [2, 200],
    ]) {
      const headers = { 'if-none-match': `W/"${version}"` }
      expect((await send(`${path}/_history/1`, { headers })).status).toBe(status)
    }
  })

  test('by HEAD has the headers without the bytes', async () => {
    const head = await send(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })
    expect([head.status, head.bytes.length]).toEqual([200, 0])
    expect(head.headers.get('content-length')).toBe(String(PNG.length))
    expect(head.headers.get('content-type')).toBe('image/png')
  })

  test('has no part in the other clinic', async () => {
    expect((await clinics.theirs('GET', path)).status).toBe(404)
    expect((await clinics.theirs('GET', `${path}/_history/1`)).status).toBe(404)
  })

  test('whose type cannot be said in a header is bytes of unknown type', async () => {
    const binary = { resourceType: 'Binary', id: 'odd', contentType: 'text/plain; name=ü', data: 'YQ==' }
    expect((await clinics.ours('PUT', '/Binary/odd', binary)).status).toBe(201)
    const read = await send('/Binary/odd')
    expect([read.headers.get('content-type'), read.bytes.toString()]).toEqual(['application/octet-stream', 'a'])
  })

  test('whose type is longer than a header should be is bytes of unknown type', async () => {
    const contentType = `text/plain; ${'a'.repeat(20_000)}`
    const binary = { resourceType: 'Binary', id: 'long-type', contentType, data: 'YQ==' }
    expect((await clinics.ours('PUT', '/Binary/long-type', binary)).status).toBe(201)
    expect((await send('/Binary/long-type')).headers.get('content-type')).toBe('application/octet-stream')
  })

  test('without data is no bytes', async () => {
    await clinics.ours('PUT', '/Binary/none', { resourceType: 'Binary', id: 'none', contentType: 'text/plain' })
    const read = await send('/Binary/none')
    expect([read.status, read.bytes.length, read.headers.get('content-length')]).toEqual([200, 0, '0'])
  })
})

describe('the security context of a Binary', () => {
  test('is stored, and told with the bytes', async () => {
    const patient = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
    const created = await post(PNG, 'image/png', { 'x-security-context': `Patient/${patient}` })
    expect(created.status).toBe(201)
    expect(created.json.securityContext).toEqual({ reference: `Patient/${patient}` })
    const read = await send(`/Binary/${created.json.id}`)
    expect([read.status, read.headers.get('x-security-context')]).toEqual([200, `Patient/${patient}`])
  })

  test.each(['Patient/none', 'http://elsewhere.example/Patient/1', 'nonsense', 'Patient/x/_history/1'])(
    'is 422 where it is no resource of the clinic: %s',
    async (context) => {
      const before = await kept()
      const refused = await post(randomBytes(20_000), 'image/png', { 'x-security-context': context })
      expect(refused.status).toBe(422)
      expect(refused.json.issue[0].expression).toEqual(['Binary.securityContext.reference'])
      expect(await kept()).toBe(before)
    },
  )

  test('cannot be of another clinic, and what is deleted keeps its Binary from being read', async () => {
    const patient = (await clinics.theirs('POST', '/Patient', { resourceType: 'Patient' })).body.id
    expect((await post('x', 'text/plain', { 'x-security-context': `Patient/${patient}` })).status).toBe(422)
    await clinics.ours('PUT', '/Basic/guard', { resourceType: 'Basic', id: 'guard', code: { text: 'x' } })
    const { json } = await post('x', 'text/plain', { 'x-security-context': 'Basic/guard' })
    expect((await send(`/Binary/${json.id}`)).status).toBe(200)
    await clinics.ours('DELETE', '/Basic/guard')
    expect((await send(`/Binary/${json.id}`)).status).toBe(403)
    expect((await send(`/Binary/${json.id}`, { headers: asFhir })).status).toBe(403)
    expect((await send(`/Binary/${json.id}/_history/1`)).status).toBe(403)
  })
})

describe('an upload that cannot be taken', () => {
  let head = ''
  beforeAll(() => {
    head = `POST /Binary HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${clinics.server.token}\r\nContent-Type: image/png\r\n`
  })

  test('is 400 where it is empty, naming the element', async () => {
    const refused = await post('', 'image/png')
    expect([refused.status, refused.json.issue[0].expression]).toEqual([400, ['Binary.data']])
  })

  test.each([
    ['an announced length', true],
    ['chunks', false],
  ])(
    'is 413 beyond the limit, with %s, and the answer reaches a client that sends it all first',
    async (_how, isAnnounced) => {
      const before = await kept()
      const body = Buffer.alloc(LIMIT + 5_000_000)
      const length = isAnnounced ? `Content-Length: ${body.length}` : 'Transfer-Encoding: chunked'
      const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
      socket.write(`${head}${length}\r\n\r\n`)
      const chunk = isAnnounced ? body : Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body])
      await new Promise((resolve) => socket.write(chunk, resolve))
      socket.resume()
      const [answer] = await once(socket, 'data')
      socket.destroy()
      expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /)
      expect(await kept()).toBe(before)
    },
  )

  test('is never sent by a client that asks first', async () => {
    const { port } = new URL(url)
    const upload = httpRequest({
      ...{ host: '127.0.0.1', port, path: '/Binary', method: 'POST' },
      headers: {
        authorization: `Bearer ${clinics.server.token}`,
        ...{ 'content-type': 'image/png', 'content-length': LIMIT + 1, expect: '100-continue' },
      },
    })
    upload.flushHeaders()
    let isInvited = false
    upload.on('continue', () => {
      isInvited = true
    })
    const [response] = await once(upload, 'response')
    expect([response.statusCode, isInvited]).toEqual([413, false])
    upload.destroy()
  })

  test('that breaks off is not stored, nor anything of it', async () => {
    const before = await kept()
    const total = async () => (await send('/Binary/_history?_count=0', { headers: asFhir })).json.total
    const versions = await total()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`${head}Content-Length: 1000000\r\n\r\n`)
    socket.write(randomBytes(400_000))
    await until(async () => (await kept()) > before)
    socket.destroy()
    await until(async () => (await kept()) === before)
    expect(await total()).toBe(versions)
  })

  test.each([
    ['its length', 'Content-Length: 1000000\r\n\r\n'],
    ['its last chunk', 'Transfer-Encoding: chunked\r\n\r\nf4240\r\n'],
  ])('that ends before %s is 400 to a client that still listens, and not stored', async (_what, begun) => {
    const before = await kept()
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.write(`${head}${begun}`)
    socket.end(randomBytes(400_000))
    const answer = Buffer.concat(await Array.fromAsync(socket)).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"resourceType":"OperationOutcome"/s)
    expect(answer).toContain('ended before its announced length')
    await until(async () => (await kept()) === before)
  })

  test('whose chunks are broken is 400, though its client sends all of it before it reads, and not stored', async () => {
    const before = await kept()
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' }).pause()
    const good = randomBytes(400_000)
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${good.length.toString(16)}\r\n`)
    const broken = Buffer.concat([good, Buffer.from('\r\nno length\r\n'), randomBytes(5_000_000)])
    await new Promise((resolve) => socket.write(broken, resolve))
    const answer = Buffer.concat(await Array.fromAsync(socket)).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"resourceType":"OperationOutcome"/s)
    expect(answer).toContain('its chunks are broken')
    await until(async () => (await kept()) === before)
  })

  test('in a coding that is undone on the way is 501, as nobody would undo it', async () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`${head}Transfer-Encoding: gzip, chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
    const [answer] = await once(socket, 'data')
    socket.destroy()
    expect(String(answer)).toMatch(/^HTTP\/1\.1 501 /)
  })

  test.each([
    ['PUT', '/Binary/..%2F..%2Fetc%2Fpasswd', {}, 422],
    ['PUT', '/Binary/a%00b', {}, 422],
    ['POST', '/Binary', { 'content-encoding': 'br' }, 415],
    ['POST', '/Binary', { 'content-type': 'nonsense' }, 400],
    ['POST', '/Binary', { 'content-type': 'text/*' }, 400],
    ['POST', '/Binary', { accept: 'application/pdf' }, 406],
  ])('is refused with a reason: %s %s %j', async (method, path, headers, status) => {
    const before = await kept()
    const refused = await send(path, {
      method,
      body: randomBytes(20_000),
      headers: { 'content-type': 'image/png', ...(headers as Headers) },
    })
    expect(refused.status).toBe(status)
    expect(refused.json.resourceType).toBe('OperationOutcome')
    expect(await kept()).toBe(before)
  })

  test('to another type is 415 as before', async () => {
    const refused = await send('/Patient', { method: 'POST', body: 'x', headers: { 'content-type': 'image/png' } })
    expect(refused.status).toBe(415)
  })

  test('whose marker a client makes up is 422', async () => {
    const sha256 = createHash('sha256').update(randomBytes(9)).digest('hex')
    const extension = [{ url: 'urn:sandbox-emr:content', valueString: sha256 }]
    const binary = { resourceType: 'Binary', contentType: 'text/plain', _data: { extension } }
    expect((await clinics.ours('POST', '/Binary', binary)).status).toBe(422)
    const theirs = await clinics.theirs('POST', '/Binary', {
      ...binary,
      _data: { extension: [{ ...extension[0], valueString: createHash('sha256').update(PNG).digest('hex') }] },
    })
    expect(theirs.status).toBe(422)
  })
})

test('a client that leaves in the middle of a download takes nothing with it', async () => {
  const { json } = await post(randomBytes(LIMIT), 'image/png')
  for (let round = 0; round < 5; round++) {
    const left = new AbortController()
    const response = await fetch(`${url}/Binary/${json.id}`, {
      headers: { authorization: `Bearer ${clinics.server.token}` },
      signal: left.signal,
    })
    await response.body?.getReader().read()
    left.abort()
  }
  expect((await send(`/Binary/${json.id}`)).bytes.length).toBe(LIMIT)
})
