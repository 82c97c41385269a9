/** IHE MHD: ITI-65 Provide Document Bundle, ITI-105 Simplified Publish, ITI-66 and ITI-67 searches, ITI-68 retrieve. */
import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  LIST_TYPES,
  METADATA,
  type Metadata,
  provideBundle,
  SIMPLIFIED_PUBLISH,
} from '../../../src/documents/mhd/provide-bundle.ts'
import { readXml } from '../../../src/fhir/xml/read.ts'
import { writeXml } from '../../../src/fhir/xml/write.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'
import { base64 } from '../clinics.ts'

const STRUCTURES = 'https://profiles.ihe.net/ITI/MHD/StructureDefinition'
const TEXT = 'Seen today, all well.'
const SHA1 = createHash('sha1').update(TEXT).digest('base64')

let clinics: TwoClinics
let patient: string
let other: string
beforeAll(async () => {
  clinics = await startTwoClinics()
  patient = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
  other = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
})
afterAll(() => clinics.server.close())

type Json = Record<string, unknown>

interface BundleEntry {
  readonly fullUrl: string
  readonly resource: Json
  readonly request: { readonly method: string; readonly url: string }
}

interface Submission {
  readonly set: BundleEntry
  readonly document: BundleEntry
  readonly binary: BundleEntry
  readonly folder: BundleEntry
}

const entry = (resource: Json): BundleEntry => ({
  fullUrl: `urn:uuid:${randomUUID()}`,
  resource,
  request: { method: 'POST', url: String(resource['resourceType']) },
})
const code = (value: string) => ({ coding: [{ system: 'http://loinc.org', code: value }] })
const uniqueId = () => ({ use: 'usual', system: 'urn:ietf:rfc:3986', value: `urn:uuid:${randomUUID()}` })
const extension = (name: string, value: object) => ({ url: `${STRUCTURES}/${name}`, ...value })

/** Good under Comprehensive, and so under each. */
function submission(more: Json = {}): Submission {
  const subject = { reference: `Patient/${patient}` }
  const binary = entry({ resourceType: 'Binary', contentType: 'text/plain', data: base64(TEXT) })
  const document = entry({
    resourceType: 'DocumentReference',
    contained: [
      { resourceType: 'Practitioner', id: 'author', name: [{ family: 'House' }] },
      { resourceType: 'Patient', id: 'patient', name: [{ family: 'Seen' }] },
    ],
    masterIdentifier: uniqueId(),
    status: 'current',
    type: code('11506-3'),
    category: [code('47042-7')],
    subject,
    date: '2026-03-01T09:00:00Z',
    author: [{ reference: '#author' }],
    securityLabel: [{ coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'N' }] }],
    content: [
      {
        attachment: {
          contentType: 'text/plain',
          language: 'en-US',
          url: binary.fullUrl,
          size: TEXT.length,
          hash: SHA1,
          creation: '2026-03-01T09:00:00Z',
        },
        format: {
          system: 'http://ihe.net/fhir/ihe.formatcode.fhir/CodeSystem/formatcode',
          code: 'urn:ihe:pcc:xphr:2007',
        },
      },
    ],
    context: {
      period: { start: '2026-03-01T08:00:00Z', end: '2026-03-01T09:00:00Z' },
      facilityType: code('225732001'),
      practiceSetting: code('394802001'),
      sourcePatientInfo: { reference: '#patient' },
    },
    ...more,
  })
  const designation = extension('ihe-designationType', { valueCodeableConcept: code('11488-4') })
  const folder = entry({
    resourceType: 'List',
    extension: [designation],
    identifier: [uniqueId()],
    status: 'current',
    mode: 'working',
    title: 'Cardiology',
    code: { coding: [{ system: LIST_TYPES, code: 'folder' }] },
    subject,
    entry: [{ item: { reference: document.fullUrl } }],
  })
  const set = entry({
    resourceType: 'List',
    contained: [{ resourceType: 'Practitioner', id: 'source', name: [{ family: 'House' }] }],
    extension: [extension('ihe-sourceId', { valueIdentifier: { value: 'urn:oid:1.2.3' } }), designation],
    identifier: [uniqueId()],
    status: 'current',
    mode: 'working',
    code: { coding: [{ system: LIST_TYPES, code: 'submissionset' }] },
    subject,
    date: '2026-03-01T09:00:00Z',
    source: { reference: '#source' },
    entry: [{ item: { reference: document.fullUrl } }, { item: { reference: folder.fullUrl } }],
  })
  return { set, document, binary, folder }
}

const bundle = (entries: readonly BundleEntry[], metadata: Metadata = 'Comprehensive') => ({
  resourceType: 'Bundle',
  meta: { profile: [provideBundle(metadata)] },
  type: 'transaction',
  entry: entries,
})
const entriesOf = ({ set, document, binary, folder }: Submission) => [set, document, binary, folder]
const provide = (body: unknown) => clinics.ours('POST', '/', body)
const idsOf = (answer: { readonly body: { readonly entry: readonly { readonly response: { location: string } }[] } }) =>
  answer.body.entry.map(({ response }) => response.location.split('/_history')[0]?.split('/').slice(-2).join('/') ?? '')

/** The clinic's number of resources of each type in a submission. */
const stored = async () => {
  const types = ['List', 'DocumentReference', 'Binary', 'Patient']
  const counts = types.map(async (type) => (await clinics.ours('GET', `/${type}?_summary=count`)).body.total)
  return Promise.all(counts)
}

describe('ITI-65', () => {
  test.each(METADATA)(
    '%s: stores the SubmissionSet, the Folder, the document and its content together',
    async (metadata) => {
      const given = submission()
      const answer = await provide(bundle(entriesOf(given), metadata))
      expect([answer.status, answer.body.type]).toEqual([200, 'transaction-response'])
      const [set = '', document = '', binary = '', folder = ''] = idsOf(answer)
      const read = async (path: string) => (await clinics.ours('GET', `/${path}`)).body
      expect((await read(document)).content[0].attachment).toMatchObject({ url: binary, size: TEXT.length, hash: SHA1 })
      const items = async (path: string) =>
        (await read(path)).entry.map(({ item }: { item: { reference: string } }) => item.reference)
      expect([await items(set), await items(folder)]).toEqual([[document, folder], [document]])
      expect((await read(document)).subject.reference).toBe(`Patient/${patient}`)
    },
  )

  test('in XML as in JSON, whatever the order of the entries', async () => {
    const given = submission()
    const { document, set, folder, binary } = given
    const headers = { 'content-type': 'application/fhir+xml', accept: 'application/fhir+xml' }
    const xml = writeXml(bundle([document, set, folder, binary]))
    const answer = await clinics.ours('POST', '/', xml, headers)
    expect(answer.status).toBe(200)
    const { entry: answers = [] } = readXml(answer.text) as unknown as { entry?: { response: { status: string } }[] }
    expect(answers.map(({ response }) => response.status)).toEqual(Array.from({ length: 4 }, () => '201 Created'))
  })

  test('size and hash of the content are filled in where they are absent', async () => {
    const given = submission()
    const [content] = given.document.resource['content'] as { attachment: Json }[]
    const { size: _size, hash: _hash, ...attachment } = content?.attachment ?? {}
    given.document.resource['content'] = [{ ...content, attachment }]
    const [, document = ''] = idsOf(await provide(bundle(entriesOf(given))))
    expect((await clinics.ours('GET', `/${document}`)).body.content[0].attachment).toMatchObject({
      size: TEXT.length,
      hash: SHA1,
    })
  })

  test('what replaces a document supersedes it in the same transaction', async () => {
    const [, old = ''] = idsOf(await provide(bundle(entriesOf(submission()))))
    const next = submission({ relatesTo: [{ code: 'replaces', target: { reference: old } }] })
    expect((await provide(bundle(entriesOf(next)))).status).toBe(200)
    expect((await clinics.ours('GET', `/${old}`)).body.status).toBe('superseded')
  })

  type Spoil = (given: Submission) => readonly BundleEntry[] | undefined
  const remove =
    (part: keyof Submission, name: string): Spoil =>
    (given) => {
      delete given[part].resource[name]
      return undefined
    }
  const set =
    (part: keyof Submission, name: string, value: unknown): Spoil =>
    (given) => {
      given[part].resource[name] = value
      return undefined
    }
  const inAttachment =
    (more: Json): Spoil =>
    ({ document }) => {
      const [content] = document.resource['content'] as { attachment: Json }[]
      document.resource['content'] = [{ ...content, attachment: { ...content?.attachment, ...more } }]
      return undefined
    }

  test.each<[string, Metadata, Spoil, string]>([
    ['no SubmissionSet', 'Minimal', ({ document, binary }) => [document, binary], 'Bundle.entry'],
    ['two SubmissionSets', 'Minimal', (given) => [...entriesOf(given), submission().set], 'Bundle.entry'],
    ['no sourceId', 'Minimal', remove('set', 'extension'), 'Bundle.entry[0].resource.extension'],
    ['no identifier', 'Minimal', remove('set', 'identifier'), 'Bundle.entry[0].resource.identifier'],
    ['no uniqueId', 'Minimal', set('set', 'identifier', [{ value: '1' }]), 'Bundle.entry[0].resource.identifier'],
    ['a snapshot', 'Minimal', set('set', 'mode', 'snapshot'), 'Bundle.entry[0].resource.mode'],
    ['no date', 'Minimal', remove('set', 'date'), 'Bundle.entry[0].resource.date'],
    [
      'a note of an encounter',
      'Minimal',
      set('set', 'encounter', { reference: 'Encounter/1' }),
      'Bundle.entry[0].resource.encounter',
    ],
    [
      'a SubmissionSet without subject',
      'UnContained.Comprehensive',
      remove('set', 'subject'),
      'Bundle.entry[0].resource.subject',
    ],
    [
      'a source that is not contained',
      'Comprehensive',
      set('set', 'source', { reference: 'Practitioner/1' }),
      'Bundle.entry[0].resource.source',
    ],
    ['a document that is not listed', 'Minimal', set('set', 'entry', undefined), 'Bundle.entry[1].fullUrl'],
    [
      'no masterIdentifier',
      'Minimal',
      remove('document', 'masterIdentifier'),
      'Bundle.entry[1].resource.masterIdentifier.system',
    ],
    ['no subject', 'Minimal', remove('document', 'subject'), 'Bundle.entry[1].resource.subject'],
    ['a docStatus', 'Minimal', set('document', 'docStatus', 'final'), 'Bundle.entry[1].resource.docStatus'],
    [
      'inline data',
      'Minimal',
      inAttachment({ data: base64(TEXT) }),
      'Bundle.entry[1].resource.content.attachment.data',
    ],
    ['no link', 'Minimal', inAttachment({ url: undefined }), 'Bundle.entry[1].resource.content.attachment.url'],
    [
      'a link to no entry',
      'Minimal',
      inAttachment({ url: `urn:uuid:${randomUUID()}` }),
      'Bundle.entry[1].resource.content[0].attachment.url',
    ],
    ['no type', 'UnContained.Comprehensive', remove('document', 'type'), 'Bundle.entry[1].resource.type'],
    [
      'no securityLabel',
      'Comprehensive',
      remove('document', 'securityLabel'),
      'Bundle.entry[1].resource.securityLabel',
    ],
    [
      'an author that is not contained',
      'Comprehensive',
      set('document', 'author', [{ reference: 'Practitioner/1' }]),
      'Bundle.entry[1].resource.author',
    ],
    ['a Folder without title', 'Comprehensive', remove('folder', 'title'), 'Bundle.entry[3].resource.title'],
    [
      'another patient',
      'Minimal',
      (given) => set('document', 'subject', { reference: `Patient/${other}` })(given),
      'Bundle.entry[1].resource.subject',
    ],
    [
      'a hash of other content',
      'Minimal',
      inAttachment({ hash: base64('other') }),
      'Bundle.entry[1].resource.content[0].attachment.hash',
    ],
    [
      'a size of other content',
      'Minimal',
      inAttachment({ size: 1 }),
      'Bundle.entry[1].resource.content[0].attachment.size',
    ],
    [
      'content of another type',
      'Minimal',
      inAttachment({ contentType: 'application/pdf' }),
      'Bundle.entry[1].resource.content[0].attachment.contentType',
    ],
  ])(
    '%s is 422 under %s that names entry and element, and nothing is stored',
    async (_name, metadata, spoil, element) => {
      const before = await stored()
      const given = submission()
      const entries = spoil(given) ?? entriesOf(given)
      const { status, body } = await provide(bundle(entries, metadata))
      const told = body.issue.flatMap(({ expression }: { expression: string[] }) => expression)
      expect([status, told]).toEqual([422, expect.arrayContaining([expect.stringMatching(startingWith(element))])])
      expect(await stored()).toEqual(before)
    },
  )

  test('a weaker profile does not ask for what a stronger one does', async () => {
    const given = submission()
    for (const name of ['type', 'category', 'securityLabel']) delete given.document.resource[name]
    expect((await provide(bundle(entriesOf(given), 'Minimal'))).status).toBe(200)
    const again = submission()
    again.document.resource['author'] = [{ reference: '#author' }, { reference: 'Practitioner/1' }]
    expect((await provide(bundle(entriesOf(again), 'UnContained.Comprehensive'))).status).toBe(200)
  })

  test('one patient may be written with our address and without it', async () => {
    const given = submission()
    given.folder.resource['subject'] = { reference: `${clinics.server.url}/Patient/${patient}` }
    expect((await provide(bundle(entriesOf(given)))).status).toBe(200)
  })

  test('a client may supersede by a patch what it replaces, as MHD has it', async () => {
    const [, old = ''] = idsOf(await provide(bundle(entriesOf(submission()))))
    const next = submission({ relatesTo: [{ code: 'replaces', target: { reference: old } }] })
    const part = [
      { name: 'type', valueCode: 'replace' },
      { name: 'path', valueString: 'DocumentReference.status' },
      { name: 'value', valueCode: 'superseded' },
    ]
    const patch = {
      fullUrl: `urn:uuid:${randomUUID()}`,
      resource: { resourceType: 'Parameters', parameter: [{ name: 'operation', part }] },
      request: { method: 'PATCH', url: old },
    }
    expect((await provide(bundle([...entriesOf(next), patch]))).status).toBe(200)
    const { status, meta } = (await clinics.ours('GET', `/${old}`)).body
    expect([status, meta.versionId]).toEqual(['superseded', '2'])
  })

  test('a batch is refused, as it would not be all or nothing', async () => {
    const { status, body } = await provide({ ...bundle(entriesOf(submission())), type: 'batch' })
    expect([status, body.issue[0].expression]).toEqual([422, ['Bundle.type']])
  })

  test('a transaction that declares no such profile is held to none', async () => {
    const { document, binary } = submission()
    const { meta: _meta, ...plain } = bundle([document, binary])
    expect((await provide(plain)).status).toBe(200)
  })

  test("another clinic's patient looks like one that does not exist", async () => {
    const theirs = (await clinics.theirs('POST', '/Patient', { resourceType: 'Patient' })).body.id
    const refusal = async (id: string) => {
      const given = submission()
      for (const one of [given.set, given.document, given.folder])
        one.resource['subject'] = { reference: `Patient/${id}` }
      const { status, text } = await provide(bundle(entriesOf(given)))
      return [status, text.replaceAll(id, '…')]
    }
    const expected = await refusal('nobody')
    expect(expected[0]).toBe(422)
    expect(await refusal(theirs)).toEqual(expected)
  })
})

const startingWith = (text: string): RegExp => new RegExp(`^${RegExp.escape(text)}`)

describe('ITI-105', () => {
  const publish = (attachment: Json) =>
    clinics.ours('POST', '/DocumentReference', {
      resourceType: 'DocumentReference',
      meta: { profile: [SIMPLIFIED_PUBLISH] },
      status: 'current',
      subject: { reference: `Patient/${patient}` },
      content: [{ attachment: { contentType: 'text/plain', ...attachment } }],
    })

  test('takes one document with its content', async () => {
    const { status, body } = await publish({ data: base64(TEXT) })
    expect([status, body.content[0].attachment]).toEqual([
      201,
      { contentType: 'text/plain', data: base64(TEXT), size: TEXT.length, hash: SHA1 },
    ])
  })

  test('refuses one that is only a link', async () => {
    expect((await publish({ url: 'https://files.example/1' })).status).toBe(422)
  })
})

describe('what was provided', () => {
  let ids: readonly string[]
  beforeAll(async () => {
    ids = idsOf(await provide(bundle(entriesOf(submission()))))
  })
  const foundBy = async (query: string) =>
    ((await clinics.ours('GET', `/${query}&_sort=-_lastUpdated&_count=200`)).body.entry ?? []).map(
      ({ resource }: { resource: { resourceType: string; id: string } }) => `${resource.resourceType}/${resource.id}`,
    )

  test('SubmissionSets and Folders are found (ITI-66)', async () => {
    expect(await foundBy(`List?code=${LIST_TYPES}|submissionset&subject=Patient/${patient}`)).toContain(ids[0])
    expect(await foundBy(`List?code=${LIST_TYPES}|folder&item=${ids[1]}&status=current`)).toEqual([ids[3]])
  })

  test.each([
    'status=current',
    'type=http://loinc.org|11506-3',
    'category=http://loinc.org|47042-7',
    'facility=225732001',
    'setting=394802001',
    'format=urn:ihe:pcc:xphr:2007',
    'security-label=N',
    'period=ge2026-03-01&period=lt2026-03-02',
    'date=2026-03-01',
    'author.family=House',
  ])('documents are found by patient and %s (ITI-67)', async (query) => {
    expect(await foundBy(`DocumentReference?patient=Patient/${patient}&${query}`)).toContain(ids[1])
  })

  test('the content is read where the document says (ITI-68)', async () => {
    const { body } = await clinics.ours('GET', `/${ids[1]}`)
    const binary = await clinics.ours('GET', `/${body.content[0].attachment.url}`, undefined, {
      accept: 'application/fhir+json',
    })
    expect([binary.status, binary.body.data]).toEqual([200, base64(TEXT)])
  })
})
