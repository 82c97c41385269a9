/** A clinic's own rules for documents: settings.documents. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { DocumentSettings } from '../../src/clinics/document-settings.ts'
import { parseSettings, writeSettings } from '../../src/clinics/settings.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { base64, type DocumentClinic, documentClinic, note } from './clinics.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let made = 0
const clinicWith = (documents: DocumentSettings) => documentClinic(server, `clinic-${++made}`, documents)
const create = ({ fhir }: DocumentClinic, document: object, headers: Record<string, string> = {}) =>
  fhir('POST', '/DocumentReference', document, headers)
const count = async ({ fhir }: DocumentClinic, type: string) =>
  (await fhir('GET', `/${type}?_summary=count`)).body.total

test.each<[string, unknown, RegExp]>([
  ['profile', 'loose', /documents\.profile must be one of lenient, us-core, strict/],
  ['content', 'apart', /documents\.content must be one of inline, reference/],
  ['duplicates', true, /documents\.duplicates must be one of allow, warn, refuse/],
  ['contentTypes', [], /documents\.contentTypes must be a list/],
  ['contentTypes', ['text/plain;charset=utf-8'], /without parameters/],
  ['maxBytes', 0, /documents\.maxBytes must be a whole number from 1 to/],
  ['strictness', 'strict', /'strictness' is not known in documents/],
])('%s: %j is refused with what would be right', (name, value, message) => {
  const parsed = parseSettings({ name: 'x', timeZone: 'UTC', defaultRegion: 'US', documents: { [name]: value } })
  expect('problems' in parsed && parsed.problems.join()).toMatch(message)
})

test('null is none', () => {
  const parsed = parseSettings({ name: 'x', timeZone: 'UTC', defaultRegion: 'US', documents: null })
  expect(parsed).not.toHaveProperty('problems')
})

describe('content: reference', () => {
  let clinic: DocumentClinic
  beforeAll(async () => {
    clinic = await clinicWith({ content: 'reference' })
  })

  test('inline content becomes a Binary, to which the document refers', async () => {
    const text = 'Patient feels well.'
    const { status, body } = await create(clinic, note(clinic.patient))
    expect(status).toBe(201)
    expect(body.content[0].attachment).toEqual({
      contentType: 'text/plain;charset=utf-8',
      url: expect.stringMatching(/^Binary\/[A-Za-z0-9.-]+$/),
      size: text.length,
      hash: createHash('sha1').update(text).digest('base64'),
    })
    const headers = { accept: 'application/fhir+json' }
    const binary = await clinic.fhir('GET', `/${body.content[0].attachment.url}`, undefined, headers)
    expect(binary.body).toMatchObject({ contentType: 'text/plain;charset=utf-8', data: base64(text) })
  })

  test('what was read can be written again, with new content too', async () => {
    const { body } = await create(clinic, note(clinic.patient))
    const path = `/DocumentReference/${body.id}`
    const again = await clinic.fhir('PUT', path, { ...body, description: 'x' })
    expect([again.status, again.body.content]).toEqual([200, body.content])
    const renewed = await clinic.fhir('PUT', path, { ...note(clinic.patient, { data: base64('better') }), id: body.id })
    expect(renewed.body.content[0].attachment.url).not.toBe(body.content[0].attachment.url)
  })

  test('content of a refused document is not kept', async () => {
    const before = await count(clinic, 'Binary')
    expect((await create(clinic, note(clinic.patient, { size: 1 }))).status).toBe(422)
    const entry = [note(clinic.patient), note('nobody')].map((resource) => ({
      resource,
      request: { method: 'POST', url: 'DocumentReference' },
    }))
    const answer = await clinic.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect([answer.status, await count(clinic, 'Binary')]).toEqual([422, before])
  })

  test('a link of the client stays beside its content', async () => {
    const url = 'https://files.example/1'
    const { body } = await create(clinic, note(clinic.patient, { url }))
    expect(body.content[0].attachment).toMatchObject({ url, data: base64('Patient feels well.') })
  })
})

test('contentTypes: others are refused, and parameters do not matter', async () => {
  const clinic = await clinicWith({ contentTypes: ['text/plain'] })
  expect((await create(clinic, note(clinic.patient))).status).toBe(201)
  const { status, body } = await create(clinic, note(clinic.patient, { contentType: 'text/markdown' }))
  expect([status, body.issue[0].details.coding[0].code]).toEqual([422, 'content-type-refused'])
})

test('maxBytes: of the decoded content', async () => {
  const clinic = await clinicWith({ maxBytes: 10 })
  const send = async (length: number) =>
    (await create(clinic, note(clinic.patient, { data: base64('x'.repeat(length)) }))).status
  expect([await send(10), await send(11)]).toEqual([201, 422])
})

describe('duplicates', () => {
  const identified = (patient: string, value: string, more: object = {}) =>
    note(patient, {}, { identifier: [{ system: 'urn:documents', value }], ...more })
  const wanted = { prefer: 'return=OperationOutcome' }

  test.each<[DocumentSettings, readonly string[]]>([
    [{}, ['warning']],
    [{ duplicates: 'warn' }, ['warning']],
    [{ duplicates: 'allow' }, []],
  ])('%j: stored, with %j', async (settings, severities) => {
    const clinic = await clinicWith(settings)
    await create(clinic, identified(clinic.patient, '1'))
    const { status, body } = await create(clinic, identified(clinic.patient, '1'), wanted)
    const told = (body.issue ?? []).filter((issue: { details?: object }) => issue.details !== undefined)
    expect([status, told.map(({ severity }: { severity: string }) => severity)]).toEqual([201, severities])
  })

  describe('refuse', () => {
    let clinic: DocumentClinic
    beforeAll(async () => {
      clinic = await clinicWith({ duplicates: 'refuse' })
    })

    test('of several at once, one is stored', async () => {
      const before = await count(clinic, 'DocumentReference')
      const send = () => create(clinic, identified(clinic.patient, 'at once'))
      const answers = await Promise.all([send(), send(), send(), send()])
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422])
      expect(await count(clinic, 'DocumentReference')).toBe(before + 1)
    })

    test('of two in a transaction too', async () => {
      const entry = [1, 2].map(() => ({
        resource: identified(clinic.patient, 'together'),
        request: { method: 'POST', url: 'DocumentReference' },
      }))
      const answer = await clinic.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
      expect(answer.status).toBe(422)
    })

    test.each(['before', 'behind'])(
      'of a document that the same transaction deletes, %s it, is free',
      async (place) => {
        const resource = identified(clinic.patient, `deleted ${place}`)
        const { id } = (await create(clinic, resource)).body
        const deletion = { request: { method: 'DELETE', url: `DocumentReference/${id}` } }
        const creation = { resource, request: { method: 'POST', url: 'DocumentReference' } }
        const entry = place === 'before' ? [deletion, creation] : [creation, deletion]
        const answer = await clinic.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
        expect([answer.status, answer.text]).toEqual([200, expect.anything()])
        const { body } = await clinic.fhir('GET', `/DocumentReference?identifier=urn:documents|deleted ${place}`)
        expect(body.total).toBe(1)
        expect(body.entry[0].resource.id).not.toBe(id)
      },
    )

    test('a master identifier counts as one, a document of another clinic does not', async () => {
      const masterIdentifier = { system: 'urn:documents', value: 'master' }
      await create(clinic, identified(clinic.patient, 'master'))
      expect((await create(clinic, note(clinic.patient, {}, { masterIdentifier }))).status).toBe(422)
      const other = await clinicWith({ duplicates: 'refuse' })
      expect((await create(other, note(other.patient, {}, { masterIdentifier }))).status).toBe(201)
    })

    test('the document itself, one that it replaces, and one that was withdrawn are none', async () => {
      const { body } = await create(clinic, identified(clinic.patient, 'self'))
      const path = `/DocumentReference/${body.id}`
      expect((await clinic.fhir('PUT', path, { ...body, description: 'x' })).status).toBe(200)
      const relatesTo = [{ code: 'replaces', target: { reference: `DocumentReference/${body.id}` } }]
      const next = await create(clinic, identified(clinic.patient, 'self', { relatesTo }))
      expect(next.status).toBe(201)
      await clinic.fhir('PUT', `/DocumentReference/${next.body.id}`, { ...next.body, status: 'entered-in-error' })
      expect((await create(clinic, identified(clinic.patient, 'self'))).status).toBe(201)
    })
  })
})

describe('profile: strict', () => {
  let clinic: DocumentClinic
  beforeAll(async () => {
    clinic = await clinicWith({ profile: 'strict' })
  })

  test('an update needs If-Match, and says so', async () => {
    const { body } = await create(clinic, note(clinic.patient))
    const path = `/DocumentReference/${body.id}`
    const refused = await clinic.fhir('PUT', path, body)
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
      428,
      expect.stringContaining('If-Match: W/"1"'),
    ])
    expect((await clinic.fhir('PUT', `/DocumentReference?_id=${body.id}`, body)).status).toBe(428)
    expect((await clinic.fhir('PUT', path, body, { 'if-match': 'W/"1"' })).status).toBe(200)
  })

  test('an update that creates needs none', async () => {
    const document = { ...note(clinic.patient), id: 'new' }
    expect((await clinic.fhir('PUT', '/DocumentReference/new', document)).status).toBe(201)
  })

  test('an update that brings back a deleted document needs none', async () => {
    const { body } = await create(clinic, note(clinic.patient))
    const path = `/DocumentReference/${body.id}`
    expect((await clinic.fhir('DELETE', path)).status).toBe(204)
    expect((await clinic.fhir('PUT', path, body)).status).toBe(201)
  })

  test('a document of before the clinic was strict can be withdrawn and replaced', async () => {
    const own = await clinicWith({})
    const plain = { ...note(own.patient), type: undefined, category: undefined }
    const [one, other] = [(await create(own, plain)).body, (await create(own, plain)).body]
    const settings = { name: 'x', timeZone: 'UTC', dialedNumbers: [], defaultRegion: 'US' }
    const policies = { overbooking: false, slotTakenStatus: 409 as const }
    await server.app.repository.change(`clinic-${made}`, (unit) =>
      writeSettings(unit, { ...settings, policies, documents: { profile: 'strict' } }),
    )
    const withdrawn = {
      resourceType: 'DocumentReference',
      id: one.id,
      status: 'entered-in-error',
      subject: one.subject,
    }
    const answer = await own.fhir('PUT', `/DocumentReference/${one.id}`, withdrawn, { 'if-match': 'W/"1"' })
    expect([answer.status, answer.text]).toEqual([200, expect.anything()])
    const relatesTo = [{ code: 'replaces', target: { reference: `DocumentReference/${other.id}` } }]
    expect((await create(own, note(own.patient, {}, { relatesTo }))).status).toBe(201)
    expect((await own.fhir('GET', `/DocumentReference/${other.id}`)).body.status).toBe('superseded')
  })
})
