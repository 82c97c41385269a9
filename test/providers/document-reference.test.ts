/** Storing clinical documents: https://hl7.org/fhir/R4/documentreference.html. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let patient: string
let theirPatient: string
beforeAll(async () => {
  clinics = await startTwoClinics()
  patient = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
  theirPatient = (await clinics.theirs('POST', '/Patient', { resourceType: 'Patient' })).body.id
})
afterAll(() => clinics.server.close())

const NOTE = Buffer.from('Patient feels well.')
const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('base64')
const base64 = (bytes: Buffer): string => bytes.toString('base64')

const document = (attachment: object = {}, more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  type: { coding: [{ system: 'http://loinc.org', code: '11488-4' }] },
  subject: { reference: `Patient/${patient}` },
  date: '2026-03-01T09:00:00Z',
  content: [{ attachment: { contentType: 'text/plain;charset=utf-8', data: base64(NOTE), ...attachment } }],
  ...more,
})
const post = (body: unknown, headers?: Record<string, string>) =>
  clinics.ours('POST', '/DocumentReference', body, headers)

describe('create', () => {
  test('computes size and hash of the decoded data where they are absent, and keeps the data', async () => {
    const { status, body } = await post(document())
    expect(status).toBe(201)
    expect(body.content[0].attachment).toEqual({
      contentType: 'text/plain;charset=utf-8',
      data: base64(NOTE),
      size: NOTE.length,
      hash: sha1(NOTE),
    })
  })

  test('takes right ones', async () => {
    expect((await post(document({ size: NOTE.length, hash: sha1(NOTE) }))).status).toBe(201)
  })

  test('measures every attachment, and leaves one that is only a link alone', async () => {
    const pdf = randomBytes(300)
    const { body } = await post(
      document(undefined, {
        content: [
          { attachment: { contentType: 'application/pdf', data: base64(pdf) } },
          { attachment: { contentType: 'application/pdf', url: 'https://files.example/1.pdf' } },
        ],
      }),
    )
    expect(body.content[0].attachment).toMatchObject({ size: 300, hash: sha1(pdf) })
    expect(body.content[1].attachment).toEqual({ contentType: 'application/pdf', url: 'https://files.example/1.pdf' })
  })

  test.each<[string, () => object, string, RegExp]>([
    ['data that is not base64', () => document({ data: 'not base64!' }), 'content[0].attachment.data', /base64/],
    ['base64 that is cut off', () => document({ data: 'SGVsbG8' }), 'content[0].attachment.data', /base64/],
    ['a wrong size', () => document({ size: 4 }), 'content[0].attachment.size', /is 4.*is 19/],
    ['a wrong hash', () => document({ hash: sha1(Buffer.from('other')) }), 'content[0].attachment.hash', /SHA-1/],
    ['no subject', () => document({}, { subject: undefined }), 'subject', /Patient\/<id>/],
    [
      'a subject that is only a name',
      () => document({}, { subject: { display: 'Ann' } }),
      'subject.reference',
      /Patient\/<id>/,
    ],
    [
      'a subject that does not exist',
      () => document({}, { subject: { reference: 'Patient/nobody' } }),
      'subject',
      /'nobody'/,
    ],
    ['no content', () => document({}, { content: undefined }), 'content', /content/],
  ])('%s is 422 that names the element, and nothing is stored', async (_name, make, element, message) => {
    const count = async () => (await clinics.ours('GET', '/DocumentReference?_summary=count')).body.total
    const before = await count()
    const { status, body } = await post(make())
    expect(status).toBe(422)
    expect(body.issue[0].expression).toEqual([`DocumentReference.${element}`])
    expect(body.issue[0].diagnostics).toMatch(message)
    expect(await count()).toBe(before)
  })

  test('a deleted patient and one of another clinic look like one who does not exist', async () => {
    const gone = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
    await clinics.ours('DELETE', `/Patient/${gone}`)
    const refusal = async (id: string) => {
      const { status, text } = await post(document({}, { subject: { reference: `Patient/${id}` } }))
      return [status, text.replaceAll(id, '…')]
    }
    const expected = await refusal('nobody')
    expect(expected[0]).toBe(422)
    expect(await refusal(gone)).toEqual(expected)
    expect(await refusal(theirPatient)).toEqual(expected)
  })

  test('takes an author and an encounter that nobody can resolve', async () => {
    const contained = [{ resourceType: 'Practitioner', id: 'author', name: [{ family: 'House' }] }]
    const more = {
      contained,
      author: [{ reference: '#author' }],
      context: { encounter: [{ reference: 'Encounter/unknown' }] },
    }
    expect((await post(document({}, more))).status).toBe(201)
  })

  test('If-None-Exist makes one of it, however often it is sent', async () => {
    const value = randomUUID()
    const send = () => post(document({}, { identifier: [{ value }] }), { 'if-none-exist': `identifier=${value}` })
    const answers = await Promise.all([send(), send(), send(), send()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
  })

  test.each([
    ['patient', () => ''],
    ['patient and type', () => '&type=http://loinc.org|11488-4'],
    ['patient and status', () => '&status=current'],
    ['patient, type and a range of dates', () => '&type=11488-4&date=ge2026-03-01&date=lt2026-03-02'],
  ])('is found by %s as soon as it is answered', async (_name, more) => {
    const { body } = await post(document())
    const found = await clinics.ours(
      'GET',
      `/DocumentReference?patient=${patient}${more()}&_sort=-_lastUpdated&_count=50`,
    )
    expect(found.body.entry.map((entry: { resource: { id: string } }) => entry.resource.id)).toContain(body.id)
  })

  test('5 MiB of inline data are stored and come back whole', async () => {
    const bytes = randomBytes(5 * 1024 * 1024)
    const { status, body } = await post(document({ contentType: 'application/pdf', data: base64(bytes) }))
    expect(status).toBe(201)
    expect(body.content[0].attachment.size).toBe(bytes.length)
    const read = (await clinics.ours('GET', `/DocumentReference/${body.id}`)).body.content[0].attachment
    expect(Buffer.from(read.data, 'base64').equals(bytes)).toBe(true)
  })

  test('in a transaction the patient may be created beside it, after it', async () => {
    const urn = `urn:uuid:${randomUUID()}`
    const entry = [
      {
        resource: document({}, { subject: { reference: urn } }),
        request: { method: 'POST', url: 'DocumentReference' },
      },
      { fullUrl: urn, resource: { resourceType: 'Patient' }, request: { method: 'POST', url: 'Patient' } },
    ]
    const answer = await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
  })
})

describe('update and patch', () => {
  test('new data are measured anew, and a hash of the old ones is refused', async () => {
    const { body } = await post(document())
    const path = `/DocumentReference/${body.id}`
    const other = Buffer.from('Patient feels better.')
    const changed = { ...body, content: [{ attachment: { ...body.content[0].attachment, data: base64(other) } }] }
    expect((await clinics.ours('PUT', path, changed)).status).toBe(422)
    const { size: _size, hash: _hash, ...attachment } = changed.content[0].attachment
    const updated = await clinics.ours('PUT', path, { ...changed, content: [{ attachment }] })
    expect(updated.body.content[0].attachment).toMatchObject({ size: other.length, hash: sha1(other) })
    const patch = [{ op: 'replace', path: '/content/0/attachment/size', value: 1 }]
    expect((await clinics.ours('PATCH', path, patch)).status).toBe(422)
  })

  test('a document can be withdrawn although its patient was deleted, but not handed to somebody unknown', async () => {
    const { id } = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body
    const { body } = await post(document({}, { subject: { reference: `Patient/${id}` } }))
    await clinics.ours('DELETE', `/Patient/${id}`)
    const path = `/DocumentReference/${body.id}`
    expect((await clinics.ours('PUT', path, { ...body, status: 'entered-in-error' })).status).toBe(200)
    expect((await clinics.ours('PUT', path, { ...body, subject: { reference: 'Patient/nobody' } })).status).toBe(422)
  })
})
