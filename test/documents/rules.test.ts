/** The rules for a DocumentReference under each strictness: src/documents/rules.ts. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { STRICTNESS, type Strictness } from '../../src/clinics/document-settings.ts'
import { SIMPLIFIED_PUBLISH } from '../../src/documents/mhd/provide-bundle.ts'
import { DOCUMENT_RULES, type DocumentRuleId, documentRule } from '../../src/documents/rules.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { base64, type DocumentClinic, documentClinic, note } from './clinics.ts'

let server: TestServer
const clinics = new Map<Strictness, DocumentClinic>()
beforeAll(async () => {
  server = await startServer()
  for (const profile of STRICTNESS)
    clinics.set(profile, await documentClinic(server, profile, { profile, maxBytes: 2000 }))
})
afterAll(() => server.close())

function clinicOf(strictness: Strictness): DocumentClinic {
  const clinic = clinics.get(strictness)
  if (clinic === undefined) throw new Error(strictness)
  return clinic
}

const CDA = '<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1"/></ClinicalDocument>'
const without = (document: object, name: string) =>
  Object.fromEntries(Object.entries(document).filter(([key]) => key !== name))
const linked = (url: string, contentType: string | null = 'application/pdf') => ({
  content: [{ attachment: { ...(contentType && { contentType }), url } }],
})
const xml = (text: string, contentType = 'application/xml') => ({ contentType, data: base64(text) })
const relatesTo = (id: string, code = 'replaces') => ({
  relatesTo: [{ code, target: { reference: `DocumentReference/${id}` } }],
})

interface Sample {
  readonly element: string
  readonly document: (clinic: DocumentClinic) => object | Promise<object>
}

async function stored({ fhir, patient }: DocumentClinic, more: object = {}): Promise<string> {
  const { status, text, body } = await fhir('POST', '/DocumentReference', note(patient, {}, more))
  if (status !== 201) throw new Error(text)
  return body.id
}

async function binary({ fhir }: DocumentClinic): Promise<string> {
  const resource = { resourceType: 'Binary', contentType: 'text/plain', data: base64('Seen today') }
  return `Binary/${(await fhir('POST', '/Binary', resource)).body.id}`
}

const attachment = 'content[0].attachment'

/** A document that breaks one rule, or under some strictness more of those that hold there. */
const SAMPLES: Readonly<Record<DocumentRuleId, Sample>> = {
  'too-many': {
    element: 'relatesTo',
    document: ({ patient }) =>
      note(patient, {}, { relatesTo: Array.from({ length: 101 }, () => relatesTo('nowhere').relatesTo[0]) }),
  },
  'subject-missing': { element: 'subject', document: ({ patient }) => without(note(patient), 'subject') },
  'subject-not-found': { element: 'subject', document: () => note('nobody') },
  'subject-not-patient': {
    element: 'subject.reference',
    document: async ({ fhir, patient }) => {
      const { id } = (await fhir('POST', '/Group', { resourceType: 'Group', type: 'person', actual: true })).body
      return note(patient, {}, { subject: { reference: `Group/${id}` } })
    },
  },
  'subject-elsewhere': {
    element: 'subject',
    document: ({ patient }) => note(patient, {}, { subject: { identifier: { system: 'urn:mrn', value: '1' } } }),
  },
  'type-missing': { element: 'type', document: ({ patient }) => without(note(patient), 'type') },
  'category-missing': { element: 'category', document: ({ patient }) => without(note(patient), 'category') },
  'time-missing': {
    element: 'context.period.start',
    document: ({ patient }) => note(patient, {}, { context: { period: { start: '2026-03-01' } } }),
  },
  'content-missing': {
    element: attachment,
    document: ({ patient }) => note(patient, {}, { content: [{ attachment: { contentType: 'application/pdf' } }] }),
  },
  'content-not-inline': {
    element: attachment,
    document: ({ patient }) => note(patient, {}, linked('https://files.example/1.pdf')),
  },
  'publish-not-inline': {
    element: 'content',
    document: ({ patient }) =>
      note(patient, {}, { meta: { profile: [SIMPLIFIED_PUBLISH] }, ...linked('https://files.example/1.pdf') }),
  },
  'content-empty': {
    element: `${attachment}.url`,
    document: async ({ fhir, patient }) => {
      const { id } = (await fhir('POST', '/Binary', { resourceType: 'Binary', contentType: 'application/pdf' })).body
      return note(patient, {}, linked(`Binary/${id}`))
    },
  },
  'content-too-long': {
    element: attachment,
    document: ({ patient }) => note(patient, { data: base64('x'.repeat(2001)) }),
  },
  'size-wrong': { element: `${attachment}.size`, document: ({ patient }) => note(patient, { size: 4 }) },
  'hash-wrong': { element: `${attachment}.hash`, document: ({ patient }) => note(patient, { hash: base64('other') }) },
  'content-type-missing': {
    element: `${attachment}.contentType`,
    document: ({ patient }) => note(patient, {}, linked('https://files.example/1', null)),
  },
  'content-type-refused': {
    element: `${attachment}.contentType`,
    document: ({ patient }) => note(patient, { contentType: 'application/x-own' }),
  },
  'content-type-wrong': {
    element: `${attachment}.contentType`,
    document: ({ patient }) => note(patient, { contentType: 'application/pdf' }),
  },
  'charset-other': {
    element: `${attachment}.contentType`,
    document: ({ patient }) => note(patient, { contentType: 'text/plain;charset=iso-8859-1' }),
  },
  'content-not-utf8': {
    element: `${attachment}.data`,
    document: ({ patient }) => note(patient, { data: base64(Buffer.from('é', 'latin1')) }),
  },
  'pdf-cut-off': {
    element: `${attachment}.data`,
    document: ({ patient }) => note(patient, { contentType: 'application/pdf', data: base64('%PDF-1.7 1 0 obj') }),
  },
  'xml-broken': { element: `${attachment}.data`, document: ({ patient }) => note(patient, xml(CDA.slice(0, -3))) },
  'xml-doctype': {
    element: `${attachment}.data`,
    document: ({ patient }) => note(patient, xml('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')),
  },
  'xml-not-checked': {
    element: `${attachment}.data`,
    document: ({ patient }) => note(patient, xml('<?xml version="1.0" encoding="ISO-8859-1"?><a/>')),
  },
  'cda-root': {
    element: `${attachment}.data`,
    document: ({ patient }) => note(patient, xml('<a/>', 'application/hl7-cda+xml')),
  },
  'link-unsafe': {
    element: `${attachment}.url`,
    document: ({ patient }) => note(patient, {}, linked('javascript:alert(1)')),
  },
  'link-not-found': {
    element: `${attachment}.url`,
    document: ({ patient }) => note(patient, {}, linked('Binary/nowhere')),
  },
  'link-type': {
    element: `${attachment}.contentType`,
    document: async (clinic) => note(clinic.patient, {}, linked(await binary(clinic))),
  },
  'relation-not-found': {
    element: 'relatesTo[0].target',
    document: ({ patient }) => note(patient, {}, relatesTo('nowhere', 'appends')),
  },
  'relation-to-itself': {
    element: 'relatesTo[0].target',
    document: ({ patient }) => note(patient, {}, { id: 'itself', ...relatesTo('itself') }),
  },
  'relation-of-other-subject': {
    element: 'relatesTo[0].target',
    document: async (clinic) => {
      const id = await stored(clinic)
      const other = (await clinic.fhir('POST', '/Patient', { resourceType: 'Patient' })).body.id
      return note(other, {}, relatesTo(id))
    },
  },
  'replaced-already': {
    element: 'relatesTo[0].target',
    document: async (clinic) => note(clinic.patient, {}, relatesTo(await stored(clinic, { status: 'superseded' }))),
  },
  'replaced-in-error': {
    element: 'relatesTo[0].target',
    document: async (clinic) =>
      note(clinic.patient, {}, relatesTo(await stored(clinic, { status: 'entered-in-error' }))),
  },
  'identifier-taken': {
    element: 'identifier',
    document: async (clinic) => {
      const identifier = [{ system: 'urn:documents', value: 'a,b|c' }]
      await clinic.fhir('POST', '/DocumentReference', note(clinic.patient, {}, { identifier }))
      return note(clinic.patient, {}, { identifier })
    },
  },
}

interface ExchangeFacts {
  readonly severity: string
  readonly expression?: readonly string[]
  readonly diagnostics: string
  readonly details?: { readonly coding?: readonly { readonly code: string }[] }
}

const write = ({ fhir }: DocumentClinic, document: object) => {
  const { id } = document as { id?: string }
  const [method, path] = id === undefined ? ['POST', '/DocumentReference'] : ['PUT', `/DocumentReference/${id}`]
  return fhir(method, path, document, { prefer: 'return=OperationOutcome' })
}

test('each rule is in docs/document-reference.md, with what it is under each strictness', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/document-reference.md'), 'utf8')
  for (const rule of Object.keys(DOCUMENT_RULES) as DocumentRuleId[]) {
    const { severity, asks } = documentRule(rule)
    const columns = STRICTNESS.map((strictness) => severity[strictness] ?? '–')
    expect(page).toContain(`| ${[`\`${rule}\``, ...columns, asks].join(' | ')} |`)
  }
})

describe.each(STRICTNESS)('%s', (strictness) => {
  test.each(Object.keys(DOCUMENT_RULES) as DocumentRuleId[])('%s', async (rule) => {
    const clinic = clinicOf(strictness)
    const { element, document } = SAMPLES[rule]
    const sample = await document(clinic)
    const validated = (await clinic.fhir('POST', '/DocumentReference/$validate', sample)).body
    const answer = await write(clinic, sample)
    const severity = documentRule(rule).severity[strictness]
    // A list of accepted types is a setting of its own; only strict has one by default.
    const expected = rule === 'content-type-refused' && strictness !== 'strict' ? undefined : severity
    const told = (issues: readonly ExchangeFacts[] = []) =>
      issues.filter(({ details }) => details?.coding?.some(({ code }) => code === rule)).map((issue) => issue.severity)
    expect(told(answer.body.issue)).toEqual(expected === undefined ? [] : [expected])
    expect(told(validated.issue)).toEqual(told(answer.body.issue))
    const issue = (answer.body.issue ?? []).find(({ details }: ExchangeFacts) => details?.coding?.[0]?.code === rule)
    if (expected !== undefined) {
      expect(issue.expression).toEqual([`DocumentReference.${element}`])
      expect(issue.diagnostics).toContain(documentRule(rule).example)
    }
    if (expected === 'error') expect(answer.status).toBe(422)
    const others = (answer.body.issue ?? []).filter((one: ExchangeFacts) => one.severity === 'error')
    if (others.length === 0) expect(answer.status).toBe(201)
  })

  test.each<[string, object]>([
    ['plain text', {}],
    ['a PDF', { contentType: 'application/pdf', data: base64('%PDF-1.7\n%%EOF') }],
    ['RTF', { contentType: 'application/rtf', data: base64('{\\rtf1 Seen}') }],
    ['HTML', { contentType: 'text/html', data: base64('<!doctype html><p>Seen') }],
    ['CDA', xml(CDA)],
    ['XHTML', xml('<html xmlns="http://www.w3.org/1999/xhtml"><body/></html>', 'application/xhtml+xml')],
  ])('takes a note as %s without a word', async (_name, content) => {
    const clinic = clinicOf(strictness)
    const answer = await write(clinic, note(clinic.patient, content))
    expect([
      answer.status,
      (answer.body.issue ?? []).map(({ diagnostics }: ExchangeFacts) => diagnostics).slice(1),
    ]).toEqual([201, []])
  })
})

describe('under any strictness', () => {
  const refused: readonly (readonly [string, (patient: string) => object, DocumentRuleId, string])[] = [
    [
      'a subject by a condition',
      () => note('', {}, { subject: { reference: 'Patient?identifier=a' } }),
      'subject-not-found',
      'subject.reference',
    ],
    [
      'a subject of no type',
      () => note('', {}, { subject: { reference: 'patient/1' } }),
      'subject-not-found',
      'subject.reference',
    ],
    [
      'a subject by a path',
      () => note('', {}, { subject: { reference: 'Patient/../Patient/1' } }),
      'subject-not-found',
      'subject.reference',
    ],
    [
      'a relation by a condition',
      (patient) =>
        note(patient, {}, { relatesTo: [{ code: 'replaces', target: { reference: 'DocumentReference?_id=1' } }] }),
      'relation-not-found',
      'relatesTo[0].target',
    ],
    [
      'a hash that is none, of a content elsewhere',
      (patient) =>
        note(
          patient,
          {},
          {
            content: [
              { attachment: { contentType: 'text/plain', url: 'https://files.example/1', hash: base64('short') } },
            ],
          },
        ),
      'hash-wrong',
      `${attachment}.hash`,
    ],
    [
      'a contained Binary that is not there',
      (patient) => note(patient, {}, linked('#none', 'text/plain')),
      'link-not-found',
      `${attachment}.url`,
    ],
    [
      'a package that is none',
      (patient) =>
        note(patient, { contentType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' }),
      'content-type-wrong',
      `${attachment}.contentType`,
    ],
  ]

  test.each(refused)('%s is refused', async (_what, document, rule, element) => {
    const clinic = clinicOf('lenient')
    const { status, body } = await write(clinic, document(clinic.patient))
    const [issue] = body.issue
    expect([status, issue.details.coding[0].code, issue.expression]).toEqual([
      422,
      rule,
      [`DocumentReference.${element}`],
    ])
  })

  test('a hash is the same with white space in it', async () => {
    const clinic = clinicOf('lenient')
    const hash = createHash('sha1').update('Patient feels well.').digest('base64')
    const written = `${hash.slice(0, 10)}\n${hash.slice(10)}`
    expect((await write(clinic, note(clinic.patient, { hash: written }))).status).toBe(201)
  })

  test('a contained Binary is the content of its document', async () => {
    const clinic = clinicOf('lenient')
    const contained = [{ resourceType: 'Binary', id: 'b', contentType: 'text/plain', data: base64('Seen') }]
    const document = note(clinic.patient, {}, { contained, ...linked('#b', 'text/plain') })
    const { status, body } = await clinic.fhir('POST', '/DocumentReference', document)
    const { attachment: stored } = body.content[0]
    expect([status, stored.url, stored.size, stored.hash]).toEqual([
      ...[201, '#b', 4],
      createHash('sha1').update('Seen').digest('base64'),
    ])
  })

  test.each([
    ['a zip without files', 'application/zip', Buffer.concat([Buffer.from('PK\u0005\u0006'), Buffer.alloc(18)])],
    [
      'a document of Office',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      Buffer.from('PK\u0003\u0004…'),
    ],
  ])('%s is taken', async (_what, contentType, bytes) => {
    const clinic = clinicOf('lenient')
    expect((await write(clinic, note(clinic.patient, { contentType, data: base64(bytes) }))).status).toBe(201)
  })
})
