/** Long base64 in resources: it comes and goes as it would without a limit of bodies, and is never in their texts. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'
import type { FhirResponse } from '../support/server.ts'

let clinics: TwoClinics
let ours: TwoClinics['ours']

beforeAll(async () => {
  clinics = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl(), MAX_BODY_BYTES: String(LIMIT) }, { workThreads: 2 })
  ours = clinics.ours
  await ours('PUT', '/Patient/pat', { resourceType: 'Patient', id: 'pat' })
})
afterAll(() => clinics.server.close())

const MEGABYTE = 1024 * 1024
/** Of bodies without their contents. */
const LIMIT = MEGABYTE

/** Bytes of which no two pieces are the same. */
function pdf(size: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(size)
  for (let block = 0; block * 32 < size; block++) {
    createHash('sha256').update(`${seed} ${block}`).digest().copy(bytes, block * 32)
  }
  bytes.write('%PDF-1.7\n')
  return bytes
}

const note = (bytes: Buffer, more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  subject: { reference: 'Patient/pat' },
  ...more,
  content: [{ attachment: { contentType: 'application/pdf', data: bytes.toString('base64') } }],
})

const dataOf = (resource: { content: { attachment: { data: string } }[] }) => resource.content[0]?.attachment.data

const inXml = (bytes: Buffer, quote = '"') =>
  `<DocumentReference xmlns="http://hl7.org/fhir"><status value="current"/><subject><reference value="Patient/pat"/></subject><content><attachment><contentType value="application/pdf"/><data value=${quote}${bytes.toString('base64')}${quote}/></attachment></content></DocumentReference>`

const XML = { 'content-type': 'application/fhir+xml', accept: 'application/fhir+xml' }

/** What the server has stored. */
const stored = async (type: string, id: string): Promise<string> =>
  (await clinics.server.app.repository.reader('demo-clinic').read(type, id))?.text ?? ''

const SMALL = pdf(40_000)

describe('a document of 20 MiB', () => {
  const large = pdf(20 * MEGABYTE)

  test.each([
    ['JSON', {}],
    ['XML', XML],
  ])('is taken in %s, and given back in either format, pretty or not', async (_format, headers) => {
    const body = headers === XML ? inXml(large) : note(large)
    const created = await ours('POST', '/DocumentReference', body, { ...headers, prefer: 'return=minimal' })
    expect([created.status, created.text]).toEqual([201, ''])
    const path = `/DocumentReference/${created.headers.get('location')?.split('/').at(-3)}`
    const read = await ours('GET', path)
    expect(dataOf(read.body) === large.toString('base64')).toBe(true)
    expect(Number(read.headers.get('content-length'))).toBe(Buffer.byteLength(read.text))
    const xml = await ours('GET', `${path}?_pretty=true`, undefined, { accept: 'application/fhir+xml' })
    expect(xml.text.includes(`<data value="${large.toString('base64')}"/>`)).toBe(true)
    expect(Number(xml.headers.get('content-length'))).toBe(Buffer.byteLength(xml.text))
  })

  test('is not in the text of its resource', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(large))
    expect(dataOf(body) === large.toString('base64')).toBe(true)
    expect((await stored('DocumentReference', body.id)).length).toBeLessThan(1_000)
  })
})

describe('a content', () => {
  test('is in all answers that have its resource', async () => {
    const identifier = [{ system: 'urn:x', value: 'everywhere' }]
    const patient = (await ours('POST', '/Patient', { resourceType: 'Patient' })).body
    const subject = { reference: `Patient/${patient.id}` }
    const created = (await ours('POST', '/DocumentReference', note(SMALL, { identifier, subject }))).body
    const data = SMALL.toString('base64')
    expect(dataOf(created)).toBe(data)
    const path = `/DocumentReference/${created.id}`
    const answers: readonly (readonly [string, (answer: FhirResponse) => unknown])[] = [
      [path, ({ body }) => dataOf(body)],
      [`${path}/_history/1`, ({ body }) => dataOf(body)],
      [`${path}/_history`, ({ body }) => dataOf(body.entry[0].resource)],
      ['/DocumentReference?identifier=everywhere', ({ body }) => dataOf(body.entry[0].resource)],
      [`/Patient?_id=${patient.id}&_revinclude=DocumentReference:subject`, ({ body }) => dataOf(body.entry[1].resource)],
      [`/Patient/${patient.id}/$everything`, ({ body }) => dataOf(body.entry[1].resource)],
      [`${path}?_elements=content`, ({ body }) => dataOf(body)],
      [`${path}?_pretty=true`, ({ body }) => dataOf(body)],
    ]
    for (const [address, find] of answers) {
      const answer = await ours('GET', address)
      expect([address, find(answer) === data]).toEqual([address, true])
      expect(answer.text).not.toContain('urn:sandbox-emr:content')
      expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text))
      const head = await ours('HEAD', address)
      expect([address, head.text, head.headers.get('content-length')]).toEqual([address, '', answer.headers.get('content-length')])
    }
    expect((await ours('GET', `${path}?_elements=status`)).text).not.toContain('data')
    expect((await ours('GET', path, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304)
  })

  test('is given back without the white space and the escapes that it came with', async () => {
    const lines = SMALL.toString('base64').replace(/.{76}/g, '$&\\r\\n').replaceAll('/', '\\/')
    const text = JSON.stringify(note(SMALL)).replace(SMALL.toString('base64'), lines)
    const { status, body } = await ours('POST', '/DocumentReference', text)
    expect([status, dataOf(body)]).toEqual([201, SMALL.toString('base64')])
  })

  test('stays when another element is patched, and goes when it is patched itself', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(SMALL))
    const path = `/DocumentReference/${body.id}`
    const described = await ours('PATCH', path, [{ op: 'add', path: '/description', value: 'A letter' }])
    expect([described.status, dataOf(described.body)]).toEqual([200, SMALL.toString('base64')])
    const attachment = { contentType: 'application/pdf', data: pdf(50_000, 2).toString('base64') }
    const added = await ours('PATCH', path, [{ op: 'add', path: '/content/-', value: { attachment } }])
    expect(added.body.content[1].attachment).toEqual(attachment)
    const replaced = await ours('PATCH', path, [
      { op: 'copy', from: '/content/0/attachment/data', path: '/content/1/attachment/data' },
      { op: 'replace', path: '/content/0/attachment/data', value: 'SGVsbG8=' },
    ])
    expect(replaced.body.content.map(dataIn)).toEqual(['SGVsbG8=', SMALL.toString('base64')])
    const removed = await ours('PATCH', path, [{ op: 'remove', path: '/content/1' }])
    expect(removed.text).not.toContain('sandbox-emr:content')
    const xmlPatch = '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:DocumentReference/f:status/@value">superseded</replace></diff>'
    const one = await ours('POST', '/DocumentReference', note(SMALL))
    const patched = await ours('PATCH', `/DocumentReference/${one.body.id}`, xmlPatch, { 'content-type': 'application/xml-patch+xml' })
    expect([patched.body.status, dataOf(patched.body)]).toEqual(['superseded', SMALL.toString('base64')])
  })

  const dataIn = ({ attachment }: { attachment: { data: string } }) => attachment.data

  test('may come in each entry of a batch', async () => {
    const documents = [1, 2, 3, 4].map((seed) => pdf(100_000, seed))
    const entry = documents.map((bytes) => ({ request: { method: 'POST', url: 'DocumentReference' }, resource: note(bytes) }))
    const answer = await ours('POST', '/', { resourceType: 'Bundle', type: 'batch', entry }, { prefer: 'return=representation' })
    const found = answer.body.entry.map(({ resource }: { resource: Parameters<typeof dataOf>[0] }) => dataOf(resource))
    expect(found).toEqual(documents.map((bytes) => bytes.toString('base64')))
  })

  test('of a Binary may come in a transaction, with the document that refers to it', async () => {
    const entry = [
      {
        fullUrl: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11',
        request: { method: 'POST', url: 'Binary' },
        resource: { resourceType: 'Binary', contentType: 'application/pdf', data: SMALL.toString('base64') },
      },
      {
        request: { method: 'POST', url: 'DocumentReference' },
        resource: {
          resourceType: 'DocumentReference',
          status: 'current',
          subject: { reference: 'Patient/pat' },
          content: [{ attachment: { contentType: 'application/pdf', url: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11' } }],
        },
      },
    ]
    const answer = await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect(answer.status).toBe(200)
    const [binary] = answer.body.entry
    const path = new URL(binary.response.location).pathname
    const read = await ours('GET', path, undefined, { accept: 'application/fhir+json' })
    expect(read.body.data).toBe(SMALL.toString('base64'))
  })

  test('of a Binary that holds the patch of an entry is read', async () => {
    const { body } = await ours('POST', '/Basic', { resourceType: 'Basic', code: { text: 'x' } })
    const patch = [{ op: 'replace', path: '/code/text', value: 'y'.repeat(20_000) }]
    const data = Buffer.from(JSON.stringify(patch)).toString('base64')
    const entry = [
      {
        request: { method: 'PATCH', url: `Basic/${body.id}` },
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
      },
    ]
    await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect((await ours('GET', `/Basic/${body.id}`)).body.code.text).toHaveLength(20_000)
  })

  test('is validated like any other', async () => {
    const parameters = (resource: object) => ({ resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] })
    const good = await ours('POST', '/DocumentReference/$validate', parameters(note(SMALL)))
    expect(good.body.issue.map(({ severity }: { severity: string }) => severity)).toEqual(['information'])
    const { content } = note(SMALL)
    const untyped = { ...note(SMALL), content: [{ attachment: { data: content[0]?.attachment.data } }] }
    const bad = await ours('POST', '/DocumentReference', untyped)
    expect([bad.status, bad.body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('att-1')])
  })
})
