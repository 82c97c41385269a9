/** Storing clinical documents: https://hl7.org/fhir/R4/documentreference.html. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const BASE = 'https://emr.example/fhir'

let clinics: TwoClinics
let patient: string
let theirPatient: string
beforeAll(async () => {
  clinics = await startTwoClinics({ BASE_URL: BASE })
  patient = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
  theirPatient = (await clinics.theirs('POST', '/Patient', { resourceType: 'Patient' })).body.id
})
afterAll(() => clinics.server.close())

const NOTE = Buffer.from('Patient feels well.')
const sha1 = (bytes: Buffer): string => createHash('sha1').update(bytes).digest('base64')
const base64 = (bytes: Buffer): string => bytes.toString('base64')

/** A file of so many bytes that looks like a whole PDF. */
const pdfOf = (size: number): Buffer =>
  Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(size - 15), Buffer.from('\n%%EOF')])

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

test('the references that must resolve are told in /metadata', async () => {
  const { rest } = (await clinics.ours('GET', '/metadata')).body
  const { referencePolicy, documentation } = rest[0].resource.find(
    ({ type }: { type: string }) => type === 'DocumentReference',
  )
  expect(referencePolicy).toEqual(expect.arrayContaining(['literal', 'logical', 'enforced']))
  for (const name of ['subject', 'relatesTo.target', 'content.attachment.url']) expect(documentation).toContain(name)
})

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
    const pdf = pdfOf(300)
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
    ['a wrong size', () => document({ size: 4 }), 'content[0].attachment.size', /is 4.* 19 bytes/],
    ['a wrong hash', () => document({ hash: sha1(Buffer.from('other')) }), 'content[0].attachment.hash', /SHA-1/],
    [
      'a subject that does not exist',
      () => document({}, { subject: { reference: 'Patient/nobody' } }),
      'subject',
      /Patient\/nobody/,
    ],
    [
      'a PDF that is none',
      () => document({ contentType: 'application/pdf' }),
      'content[0].attachment.contentType',
      /is application\/pdf, but the content is no such file/,
    ],
    [
      'text that is not UTF-8',
      () => document({ data: base64(Buffer.from('caf\xE9', 'latin1')) }),
      'content[0].attachment.data',
      /UTF-8/,
    ],
    [
      'a link that would be one of ours',
      () => document({ data: undefined, url: 'files/1.txt' }),
      'content[0].attachment.url',
      /relative/,
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

  test.each<[string, object | undefined]>([
    ['none', undefined],
    ['an identifier', { identifier: { system: 'urn:mrn', value: '4711' } }],
    ['a name', { display: 'Ann' }],
    ['a patient of another server', { reference: 'https://other.example/fhir/Patient/1' }],
  ])('takes a subject that is %s, as R4 does', async (_name, subject) => {
    const { status, body } = await post(document({}, { subject }))
    expect([status, body.subject]).toEqual([201, subject])
  })

  test("takes R4's own example, which appends to itself", async () => {
    const example = {
      id: 'example',
      masterIdentifier: { system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.3.6.1.4.1.21367.2005.3.7' },
      relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/example' } }],
      author: [{ reference: 'Practitioner/xcda1' }, { reference: '#a2' }],
      contained: [{ resourceType: 'Practitioner', id: 'a2', name: [{ family: 'Smitty' }] }],
      content: [
        {
          attachment: {
            contentType: 'application/hl7-v3+xml',
            url: 'http://example.org/xds/mhd/Binary/07a6483f-732b-461e-86b6-edb665c45510',
            size: 3654,
            hash: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
          },
        },
      ],
    }
    const answer = await clinics.ours('PUT', '/DocumentReference/example', document({}, example))
    expect([answer.status, answer.body]).toEqual([201, expect.objectContaining(example)])
  })

  test("a client's link is kept as it is, and leads to where it led", async () => {
    const url = 'https://files.example/a/../1.pdf?x=1'
    const { body } = await post(document({ data: undefined, contentType: 'application/pdf', url }))
    expect((await clinics.ours('GET', `/DocumentReference/${body.id}`)).body.content[0].attachment.url).toBe(url)
  })

  test('a Binary of another clinic looks like one that does not exist', async () => {
    const binary = { resourceType: 'Binary', contentType: 'text/plain', data: base64(NOTE) }
    const { id } = (await clinics.theirs('POST', '/Binary', binary)).body
    const refusal = async (name: string) =>
      (await post(document({ data: undefined, url: `Binary/${name}` }))).text.replaceAll(name, '…')
    expect(await refusal(id)).toBe(await refusal('nowhere'))
  })

  test('what leads to a Binary of ours gets its size and hash', async () => {
    const binary = { resourceType: 'Binary', contentType: 'text/plain', data: base64(NOTE) }
    const { id } = (await clinics.ours('POST', '/Binary', binary)).body
    const attachment = { data: undefined, contentType: 'text/plain', url: `Binary/${id}` }
    const { body } = await post(document(attachment))
    expect(body.content[0].attachment).toEqual({
      contentType: 'text/plain',
      url: `Binary/${id}`,
      size: NOTE.length,
      hash: sha1(NOTE),
    })
    expect((await post(document({ ...attachment, size: 1 }))).status).toBe(422)
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
    const bytes = pdfOf(5 * 1024 * 1024)
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

describe('withdrawal by {id, status: entered-in-error, subject}', () => {
  const withdraw = (id: string, more: object = {}) => ({
    resourceType: 'DocumentReference',
    id,
    status: 'entered-in-error',
    subject: { reference: `Patient/${patient}` },
    ...more,
  })

  test('keeps all else of the document', async () => {
    const { body } = await post(document({}, { description: 'A note' }))
    const path = `/DocumentReference/${body.id}`
    const answer = await clinics.ours('PUT', path, withdraw(body.id))
    expect([answer.status, answer.body]).toEqual([
      200,
      { ...body, status: 'entered-in-error', meta: { versionId: '2', lastUpdated: expect.any(String) } },
    ])
    expect((await clinics.ours('GET', path)).body).toEqual(answer.body)
  })

  test.each<[string, (id: string) => object, number]>([
    ['another subject', (id) => withdraw(id, { subject: { reference: 'Patient/other' } }), 422],
    ['no subject', (id) => withdraw(id, { subject: undefined }), 422],
    ['another status', (id) => withdraw(id, { status: 'superseded' }), 422],
    ['one element more', (id) => withdraw(id, { description: 'x' }), 422],
    ['another id', () => withdraw('another'), 422],
  ])('with %s it is an update without content, which is refused', async (_name, make, status) => {
    const { body } = await post(document())
    const path = `/DocumentReference/${body.id}`
    expect((await clinics.ours('PUT', path, make(body.id))).status).toBe(status)
    expect((await clinics.ours('GET', path)).body).toEqual(body)
  })

  test('of a document of another clinic is that of one that does not exist', async () => {
    const { body } = await post(document())
    const refusal = async (id: string) => {
      const { status, text } = await clinics.theirs('PUT', `/DocumentReference/${id}`, withdraw(id))
      return [status, text.replaceAll(id, '…')]
    }
    expect(await refusal(body.id)).toEqual(await refusal('nowhere'))
    expect((await clinics.ours('GET', `/DocumentReference/${body.id}`)).body).toEqual(body)
  })

  test('with If-Match is held to the version', async () => {
    const { body } = await post(document())
    const path = `/DocumentReference/${body.id}`
    const send = (version: number) => clinics.ours('PUT', path, withdraw(body.id), { 'if-match': `W/"${version}"` })
    expect([(await send(7)).status, (await send(1)).status]).toEqual([412, 200])
  })

  test('is made of XML too', async () => {
    const { body } = await post(document())
    const xml = `<DocumentReference xmlns="http://hl7.org/fhir"><id value="${body.id}"/><status value="entered-in-error"/><subject><reference value="Patient/${patient}"/></subject></DocumentReference>`
    const headers = { 'content-type': 'application/fhir+xml' }
    expect((await clinics.ours('PUT', `/DocumentReference/${body.id}`, xml, headers)).status).toBe(200)
  })
})

describe('replaces', () => {
  const replacing = (id: string, more: object = {}) =>
    document({}, { relatesTo: [{ code: 'replaces', target: { reference: `DocumentReference/${id}` } }], ...more })
  const read = async (id: string) => (await clinics.ours('GET', `/DocumentReference/${id}`)).body

  test('supersedes the old document in the same change, and keeps all else of it', async () => {
    const old = (await post(document({}, { description: 'old' }))).body
    const { status, body } = await post(replacing(old.id))
    expect(status).toBe(201)
    expect(body.relatesTo).toEqual(replacing(old.id)['relatesTo' as never])
    expect(await read(old.id)).toEqual({
      ...old,
      status: 'superseded',
      meta: { versionId: '2', lastUpdated: expect.any(String) },
    })
    const current = await clinics.ours('GET', `/DocumentReference?patient=${patient}&status=current&_count=200`)
    const ids = current.body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)
    expect([ids.includes(old.id), ids.includes(body.id)]).toEqual([false, true])
  })

  test('with our own address before it, and by update and patch too', async () => {
    const [one, other, third] = [
      (await post(document())).body,
      (await post(document())).body,
      (await post(document())).body,
    ]
    const absolute = { relatesTo: [{ code: 'replaces', target: { reference: `${BASE}/DocumentReference/${one.id}` } }] }
    const { id } = (await post(document({}, absolute))).body
    expect((await read(one.id)).status).toBe('superseded')
    const path = `/DocumentReference/${id}`
    await clinics.ours('PUT', path, { ...replacing(other.id), id })
    expect((await read(other.id)).status).toBe('superseded')
    const target = { reference: `DocumentReference/${third.id}` }
    await clinics.ours('PATCH', path, [{ op: 'add', path: '/relatesTo/-', value: { code: 'replaces', target } }])
    expect((await read(third.id)).status).toBe('superseded')
  })

  test('$validate of what has replaced another one finds nothing wrong with that', async () => {
    const old = (await post(document())).body
    const { id } = (await post(replacing(old.id))).body
    const { body } = await clinics.ours('GET', `/DocumentReference/${id}/$validate`)
    expect(JSON.stringify(body)).not.toContain('replaced-already')
  })

  test('a refused document supersedes nothing', async () => {
    const old = (await post(document())).body
    expect((await post({ ...replacing(old.id), content: [{ attachment: {} }] })).status).toBe(422)
    const entry = [
      { resource: replacing(old.id), request: { method: 'POST', url: 'DocumentReference' } },
      { resource: document({ size: 1 }), request: { method: 'POST', url: 'DocumentReference' } },
    ]
    expect((await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(422)
    expect(await read(old.id)).toEqual(old)
  })

  test('one that is not current, or only drafted as withdrawn, supersedes nothing', async () => {
    const old = (await post(document())).body
    await post(replacing(old.id, { status: 'entered-in-error' }))
    expect((await read(old.id)).status).toBe('current')
  })

  test('one that was withdrawn and is current again supersedes what is current again too', async () => {
    const old = (await post(document())).body
    const next = (await post(replacing(old.id))).body
    const put = (body: { readonly id: string }) => clinics.ours('PUT', `/DocumentReference/${body.id}`, body)
    expect((await put({ ...next, status: 'entered-in-error' })).status).toBe(200)
    expect((await put(old)).status).toBe(200)
    expect((await read(old.id)).status).toBe('current')
    expect((await put(next)).status).toBe(200)
    expect((await read(old.id)).status).toBe('superseded')
  })

  test('of a document of another clinic is that of one that does not exist', async () => {
    const theirs = (await clinics.theirs('POST', '/DocumentReference', document({}, { subject: undefined }))).body
    const refusal = async (id: string) => {
      const { status, text } = await post(replacing(id))
      return [status, text.replaceAll(id, '…')]
    }
    expect(await refusal(theirs.id)).toEqual(await refusal('nowhere'))
    expect((await clinics.theirs('GET', `/DocumentReference/${theirs.id}`)).body.status).toBe('current')
  })

  test('by several at once loses none of them', async () => {
    const old = (await post(document())).body
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(replacing(old.id))))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(await read(old.id)).toMatchObject({ status: 'superseded', meta: { versionId: '2' } })
  })

  test('a document that is deleted meanwhile does not stop an update of what replaced it', async () => {
    const old = (await post(document())).body
    const { body } = await post(replacing(old.id))
    await clinics.ours('DELETE', `/DocumentReference/${old.id}`)
    expect((await clinics.ours('PUT', `/DocumentReference/${body.id}`, { ...body, description: 'x' })).status).toBe(200)
  })
})
