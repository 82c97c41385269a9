/**
 * Texts of a transaction that equal the fullUrl of an entry but are not links to it:
 * https://hl7.org/fhir/R4/http.html#trules.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Resource = { readonly resourceType: string } & Record<string, unknown>
interface Entry {
  readonly fullUrl?: string
  readonly resource: Resource
  readonly request: object
}

const post = (fullUrl: string | undefined, resource: Resource): Entry => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  request: { method: 'POST', url: resource.resourceType },
})

/** The resources as the server has stored them, without the elements it adds. */
async function stored(entry: readonly Entry[]): Promise<readonly Record<string, unknown>[]> {
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry }
  const { status, body } = await server.fhir('POST', '/', bundle, { prefer: 'return=representation' })
  expect([status, body.issue]).toEqual([200, undefined])
  return body.entry.map(({ resource: { id, meta, ...resource } }: { resource: Record<string, unknown> }) => {
    const { versionId: _version, lastUpdated: _updated, ...rest } = (meta ?? {}) as Record<string, unknown>
    return Object.keys(rest).length === 0 ? resource : { ...resource, meta: rest }
  })
}

const concept = (system: string) => ({ coding: [{ system, code: 'a' }] })

/** A definition that is known by `name`, and a resource that names it. */
const NAMED: readonly (readonly [string, (name: string) => Resource])[] = [
  ['Coding.system', (name) => ({ resourceType: 'Basic', code: concept(name) })],
  [
    'Quantity.system',
    (name) => ({
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'a' },
      valueQuantity: { value: 1, system: name, code: 'a' },
    }),
  ],
  ['Identifier.system', (name) => ({ resourceType: 'Patient', identifier: [{ system: name, value: '1' }] })],
  ['Extension.url', (name) => ({ resourceType: 'Patient', extension: [{ url: name, valueBoolean: true }] })],
  [
    'Extension.url of a primitive',
    (name) => ({ resourceType: 'Patient', _birthDate: { extension: [{ url: name, valueBoolean: true }] } }),
  ],
  ['meta.profile', (name) => ({ resourceType: 'Patient', meta: { profile: [name] } })],
  ['meta.tag.system', (name) => ({ resourceType: 'Patient', meta: { tag: [{ system: name, code: 'a' }] } })],
  ['meta.source', (name) => ({ resourceType: 'Patient', meta: { source: name } })],
  [
    'ValueSet.compose.include.system',
    (name) => ({ resourceType: 'ValueSet', status: 'draft', compose: { include: [{ system: name }] } }),
  ],
  [
    'ValueSet.compose.include.valueSet',
    (name) => ({ resourceType: 'ValueSet', status: 'draft', compose: { include: [{ valueSet: [name] }] } }),
  ],
  [
    'ConceptMap.group.source',
    (name) => ({
      resourceType: 'ConceptMap',
      status: 'draft',
      sourceUri: name,
      group: [{ source: name, target: name, element: [{ code: 'a', target: [{ code: 'b', equivalence: 'equal' }] }] }],
    }),
  ],
  [
    'CodeSystem.supplements',
    (name) => ({ resourceType: 'CodeSystem', status: 'draft', content: 'supplement', supplements: name }),
  ],
  [
    'StructureDefinition.baseDefinition and a binding',
    (name) => ({
      resourceType: 'StructureDefinition',
      url: `${name}/profile`,
      name: 'Named',
      status: 'draft',
      kind: 'resource',
      abstract: false,
      type: 'Patient',
      baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
      derivation: 'constraint',
      differential: {
        element: [
          {
            id: 'Patient.maritalStatus',
            path: 'Patient.maritalStatus',
            binding: { strength: 'required', valueSet: name },
          },
        ],
      },
    }),
  ],
  [
    'QuestionnaireResponse.questionnaire',
    (name) => ({ resourceType: 'QuestionnaireResponse', status: 'completed', questionnaire: name }),
  ],
  [
    'valueCanonical',
    (name) => ({
      resourceType: 'Basic',
      code: { text: 'a' },
      extension: [{ url: 'http://example.org/x', valueCanonical: name }],
    }),
  ],
  [
    'valueUri',
    (name) => ({
      resourceType: 'Basic',
      code: { text: 'a' },
      extension: [{ url: 'http://example.org/x', valueUri: name }],
    }),
  ],
  [
    'valueString',
    (name) => ({
      resourceType: 'Basic',
      code: { text: 'a' },
      extension: [{ url: 'http://example.org/x', valueString: name }],
    }),
  ],
]

const codeSystem = (url: string): Resource => ({
  resourceType: 'CodeSystem',
  url,
  status: 'draft',
  content: 'complete',
  concept: [{ code: 'a' }],
})

describe('the fullUrl of a definition that is its url', () => {
  const forms: readonly (readonly [string, () => string])[] = [
    ['http', () => `http://example.org/CodeSystem/${randomUUID()}`],
    ['urn:oid', () => `urn:oid:2.25.${BigInt(`0x${randomUUID().replaceAll('-', '')}`)}`],
    ['urn:uuid', () => `urn:uuid:${randomUUID()}`],
  ]
  const cases = NAMED.flatMap(([element, named]) => forms.map(([form, make]) => [element, form, named, make] as const))
  test.each(cases)('stays in %s (%s)', async (_element, _form, named, make) => {
    const name = make()
    const definition = codeSystem(name)
    expect(await stored([post(name, definition), post(undefined, named(name))])).toEqual([definition, named(name)])
  })

  test('is replaced in a Reference to it', async () => {
    const name = `urn:oid:1.2.${Date.now()}`
    const list = (reference: string) => ({
      resourceType: 'List',
      status: 'current',
      mode: 'working',
      entry: [{ item: { reference } }],
    })
    const [, { entry } = {}] = await stored([post(name, codeSystem(name)), post(undefined, list(name))])
    expect(entry).toEqual([{ item: { reference: expect.stringMatching(/^CodeSystem\/[\w-]+$/) } }])
  })
})

test('a terminology package comes back as it was sent, and its value set expands', async () => {
  const base = `http://example.org/${randomUUID()}`
  const url = (name: string) => `${base}/${name}`
  const valueSet = (id: string, include: object): Resource => ({
    resourceType: 'ValueSet',
    url: url(`ValueSet/${id}`),
    status: 'active',
    compose: { include: [include] },
  })
  const resources: readonly Resource[] = [
    { ...codeSystem(url('CodeSystem/c')), valueSet: url('ValueSet/all') },
    valueSet('all', { system: url('CodeSystem/c') }),
    valueSet('more', { valueSet: [url('ValueSet/all')] }),
    {
      resourceType: 'NamingSystem',
      name: 'C',
      status: 'active',
      kind: 'codesystem',
      date: '2026-01-01',
      uniqueId: [{ type: 'uri', value: url('CodeSystem/c') }],
    },
    {
      resourceType: 'ConceptMap',
      url: url('ConceptMap/m'),
      status: 'active',
      sourceCanonical: url('ValueSet/all'),
      group: [
        {
          source: url('CodeSystem/c'),
          target: url('CodeSystem/c'),
          element: [{ code: 'a', target: [{ code: 'a', equivalence: 'equal' }] }],
        },
      ],
    },
  ]
  expect(await stored(resources.map((one) => post(one.url as string | undefined, one)))).toEqual(resources)
  const { status, body } = await server.fhir('GET', `/ValueSet/$expand?url=${encodeURIComponent(url('ValueSet/more'))}`)
  expect([status, body.expansion?.contains]).toEqual([200, [{ system: url('CodeSystem/c'), code: 'a' }]])
})

describe('a Bundle that is stored as the resource of an entry has a scope of its own', () => {
  const patient = `urn:uuid:${randomUUID()}`
  const inner = (reference: string): Resource => ({
    resourceType: 'Bundle',
    type: 'document',
    identifier: { system: 'urn:ietf:rfc:3986', value: patient },
    timestamp: '2026-01-01T00:00:00Z',
    entry: [
      {
        fullUrl: `urn:uuid:${randomUUID()}`,
        resource: {
          resourceType: 'Composition',
          status: 'final',
          type: { text: 'note' },
          subject: { reference },
          date: '2026-01-01',
          author: [{ reference }],
          title: 'A note',
        },
      },
      { fullUrl: patient, resource: { resourceType: 'Patient', active: true } },
    ],
    signature: {
      type: [{ system: 'urn:iso-astm:E1762-95:2013', code: '1.2.840.10065.1.12.1.1' }],
      when: '2026-01-01T00:00:00Z',
      who: { reference },
      data: 'c2lnbmVk',
    },
  })

  test.each([
    ['an entry of both', patient],
    ['no entry of the transaction', `urn:uuid:${randomUUID()}`],
    ['criteria', 'Patient?identifier=urn:nobody|1'],
    ['a relative address', 'Patient/1'],
  ])('so a document with a signature comes back as it was sent where it refers to %s', async (_what, reference) => {
    const document = inner(reference)
    const outer: Resource = { resourceType: 'Patient', active: false }
    expect(await stored([post(patient, outer), post(undefined, document)])).toEqual([outer, document])
  })
})

test('a bundle of a synthetic patient has its links replaced, and all else comes back as it was sent', async () => {
  const [patient, encounter, condition, report, claim] = Array.from({ length: 5 }, () => `urn:uuid:${randomUUID()}`)
  const identifier = [{ system: 'https://github.com/synthetichealth/synthea', value: String(patient).slice(9) }]
  const subject = { reference: patient }
  const entries = [
    post(patient, {
      resourceType: 'Patient',
      text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">Synthetic</div>' },
      extension: [
        { url: 'http://synthetichealth.github.io/synthea/disability-adjusted-life-years', valueDecimal: 0.4 },
      ],
      identifier,
      gender: 'female',
    }),
    post(encounter, {
      resourceType: 'Encounter',
      status: 'finished',
      class: { code: 'AMB' },
      subject,
      identifier: [{ value: encounter }],
    }),
    post(condition, {
      resourceType: 'Condition',
      subject,
      encounter: { reference: encounter },
      code: concept('http://snomed.info/sct'),
    }),
    post(report, {
      resourceType: 'DiagnosticReport',
      status: 'final',
      code: { text: 'note' },
      subject,
      presentedForm: [{ contentType: 'text/plain', url: `${claim}` }],
    }),
    post(claim, { resourceType: 'Binary', contentType: 'text/plain', data: 'eA==' }),
  ]
  const sent = JSON.stringify(entries.map(({ resource }) => resource))
  const back = await stored(entries)
  const text = JSON.stringify(back)
  expect(text).not.toContain(`"reference":"urn:uuid:`)
  const links = [...text.matchAll(/"reference":"([^"]+)"/g), ...text.matchAll(/"url":"(Binary[^"]+)"/g)].map(
    ([, link = '']) => link,
  )
  expect(links.map((link) => link.split('/')[0])).toEqual(['Patient', 'Patient', 'Encounter', 'Patient', 'Binary'])
  const placeholders = [patient, encounter, claim] as const
  const undone = [...new Set(links)].reduce(
    (all, link, at) => all.replaceAll(`"${link}"`, `"${placeholders[at]}"`),
    text,
  )
  expect(JSON.parse(undone)).toEqual(JSON.parse(sent))
})
