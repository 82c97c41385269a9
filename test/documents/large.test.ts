/** Documents whose content is too long to stay in their text are held to the same rules, wherever the content is kept. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { writeXml } from '../../src/fhir/xml/write.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { base64, type DocumentClinic, documentClinic, note } from './clinics.ts'

let server: TestServer
let clinic: DocumentClinic
let apart: DocumentClinic
beforeAll(async () => {
  server = await startServer()
  clinic = await documentClinic(server, 'large', { maxBytes: 1_000_000 })
  apart = await documentClinic(server, 'apart', { content: 'reference' })
})
afterAll(() => server.close())

const LENGTH = 300_000
const pdf = (): Buffer => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(LENGTH), Buffer.from('\n%%EOF')])
const xml = (end: string) => ({
  contentType: 'application/xml',
  data: base64(`<?xml version="1.0"?><a>${'<b>text</b>'.repeat(LENGTH / 10)}${end}`),
})
const sha1 = (bytes: Buffer | string): string => createHash('sha1').update(bytes).digest('base64')
const create = ({ fhir }: DocumentClinic, document: object) => fhir('POST', '/DocumentReference', document)
const count = async () => (await clinic.fhir('GET', '/DocumentReference?_summary=count')).body.total

test.each<[string, () => object, string]>([
  [
    'a PDF that is none',
    () => ({ contentType: 'application/pdf', data: base64(randomBytes(LENGTH)) }),
    'content-type-wrong',
  ],
  [
    'text that is not UTF-8 at its end',
    () => ({ data: base64(Buffer.concat([Buffer.alloc(LENGTH, 'x'), Buffer.from([0xe9])])) }),
    'content-not-utf8',
  ],
  ['XML that is cut off', () => xml(''), 'xml-broken'],
  ['a wrong size', () => ({ data: base64('x'.repeat(LENGTH)), size: LENGTH - 1 }), 'size-wrong'],
  ['a wrong hash', () => ({ data: base64('x'.repeat(LENGTH)), hash: sha1('other') }), 'hash-wrong'],
  ['more than the clinic takes', () => ({ data: base64('x'.repeat(1_000_001)) }), 'content-too-long'],
])('%s is 422, also for $validate, and nothing is stored', async (_name, attachment, rule) => {
  const before = await count()
  const document = note(clinic.patient, attachment())
  const { status, body } = await create(clinic, document)
  expect([status, body.issue[0].details.coding[0].code]).toEqual([422, rule])
  const validated = (await clinic.fhir('POST', '/DocumentReference/$validate', document)).body
  const [error] = validated.issue.filter(({ severity }: { severity: string }) => severity === 'error')
  expect(error.details.coding[0].code).toBe(rule)
  expect(await count()).toBe(before)
})

describe('what is stored', () => {
  let bytes: Buffer
  let id: string
  beforeAll(async () => {
    bytes = pdf()
    const { status, body } = await create(
      clinic,
      note(clinic.patient, { contentType: 'application/pdf', data: base64(bytes) }),
    )
    expect(status).toBe(201)
    id = body.id
  })
  const read = async () => (await clinic.fhir('GET', `/DocumentReference/${id}`)).body

  test('has its size and hash, and comes back whole', async () => {
    const { attachment } = (await read()).content[0]
    expect([attachment.size, attachment.hash]).toEqual([bytes.length, sha1(bytes)])
    expect(Buffer.from(attachment.data, 'base64').equals(bytes)).toBe(true)
  })

  test('is updated as it was read, patched, and withdrawn with its content', async () => {
    const path = `/DocumentReference/${id}`
    expect((await clinic.fhir('PUT', path, { ...(await read()), description: 'x' })).status).toBe(200)
    expect((await clinic.fhir('PATCH', path, [{ op: 'add', path: '/description', value: 'y' }])).status).toBe(200)
    const subject = { reference: `Patient/${clinic.patient}` }
    const withdrawn = { resourceType: 'DocumentReference', id, status: 'entered-in-error', subject }
    expect((await clinic.fhir('PUT', path, withdrawn)).status).toBe(200)
    const after = await read()
    expect([after.status, after.description]).toEqual(['entered-in-error', 'y'])
    expect(Buffer.from(after.content[0].attachment.data, 'base64').equals(bytes)).toBe(true)
  })

  test('came in XML too', async () => {
    const document = note(clinic.patient, { contentType: 'application/pdf', data: base64(bytes) })
    const headers = { 'content-type': 'application/fhir+xml' }
    const { status, body } = await clinic.fhir('POST', '/DocumentReference', writeXml(document), headers)
    expect([status, body.content[0].attachment.hash]).toEqual([201, sha1(bytes)])
  })
})

test('by reference: the Binary has the content', async () => {
  const bytes = pdf()
  const document = note(apart.patient, { contentType: 'application/pdf', data: base64(bytes) })
  const { status, body } = await create(apart, document)
  expect(status).toBe(201)
  const { attachment } = body.content[0]
  expect(attachment).toEqual({
    contentType: 'application/pdf',
    url: expect.stringMatching(/^Binary\//),
    size: bytes.length,
    hash: sha1(bytes),
  })
  const binary = await apart.fhir('GET', `/${attachment.url}`, undefined, { accept: 'application/fhir+json' })
  expect(Buffer.from(binary.body.data, 'base64').equals(bytes)).toBe(true)
  // A document as it was read is valid for an update.
  expect((await apart.fhir('PUT', `/DocumentReference/${body.id}`, body)).body.content).toEqual(body.content)
})

test('a transaction with a Binary and its document, in either order', async () => {
  const bytes = pdf()
  const fullUrl = `urn:uuid:${randomUUID()}`
  const binary = {
    fullUrl,
    resource: { resourceType: 'Binary', contentType: 'application/pdf', data: base64(bytes) },
    request: { method: 'POST', url: 'Binary' },
  }
  const document = (hash: string) => ({
    resource: note(
      clinic.patient,
      {},
      { content: [{ attachment: { contentType: 'application/pdf', url: fullUrl, hash } }] },
    ),
    request: { method: 'POST', url: 'DocumentReference' },
  })
  const send = (entry: readonly object[]) =>
    clinic.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect((await send([document(sha1(bytes)), binary])).status).toBe(200)
  expect((await send([binary, document(sha1(bytes))])).status).toBe(200)
  const { status, body } = await send([document(sha1('other')), binary])
  expect([status, body.issue[0].expression]).toEqual([422, ['Bundle.entry[0].resource.content[0].attachment.hash']])
})

test('what was stored as bytes is what a document leads to', async () => {
  const bytes = pdf()
  const headers = { 'content-type': 'application/pdf', authorization: `Bearer ${clinic.token}` }
  const made = await fetch(`${server.url}/Binary`, { method: 'POST', headers, body: new Uint8Array(bytes) })
  expect(made.status).toBe(201)
  const [id] = (made.headers.get('location') ?? '').split('/Binary/')[1]?.split('/') ?? []
  const content = [{ attachment: { contentType: 'application/pdf', url: `Binary/${id}` } }]
  const { status, body } = await create(clinic, note(clinic.patient, {}, { content }))
  expect([status, body.content[0].attachment]).toMatchObject([201, { size: bytes.length, hash: sha1(bytes) }])
  const read = await fetch(`${server.url}/${body.content[0].attachment.url}`, { headers })
  expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true)
})
