/**
 * Resources in which an extension stands in place of a primitive value, as R4 allows everywhere
 * (https://hl7.org/fhir/R4/json.html#primitive): they can be stored, read, searched, changed and given to every
 * operation without a fault of the server.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Declared, minimal, startDeclared } from '../capability/declared.ts'
import { officialExamples } from '../support/official-examples.ts'
import { randomRuns, sampled, tryProperty } from '../support/random-runs.ts'

let declared: Declared
beforeAll(async () => {
  declared = await startDeclared()
})
afterAll(() => declared.server.close())

const ABSENT = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}

type Json = Readonly<Record<string, unknown>>
type Choice = (path: string) => boolean

const isPrimitive = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value)

/** Elements that have no extensions. */
const PLAIN = new Set(['resourceType', 'id', 'reference', 'div', 'url'])

/** The same with an extension in place of each primitive that is chosen. */
function withAbsent(value: unknown, isChosen: Choice, path = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withAbsent(item, isChosen, path))
  if (typeof value !== 'object' || value === null) return value
  const isExtension = 'url' in value && Object.keys(value).some((name) => name.startsWith('value'))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
      const at = `${path}.${name}`
      const isPlain = name === 'resourceType' || name === 'id' || name === 'div' || (isExtension && name === 'url')
      if (isPlain || name.startsWith('_')) return [[name, member]]
      const list: readonly unknown[] = Array.isArray(member) ? member : [member]
      if (!list.every(isPrimitive)) return [[name, withAbsent(member, isChosen, at)]]
      if (`_${name}` in value || !isChosen(at)) return [[name, member]]
      return [[`_${name}`, Array.isArray(member) ? list.map(() => ABSENT) : ABSENT]]
    }),
  )
}

/** Requests that have been sent, and those that met a fault. */
class Requests {
  sent = 0
  readonly faults: string[] = []

  async send(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    this.sent++
    const answer = await declared.server.fhir(method, path, body, headers)
    if (answer.status >= 500)
      this.faults.push(`${method} ${path} ${answer.status} ${JSON.stringify(body)?.slice(0, 600)}`)
    return answer
  }

  /** The life of a resource: created if the server accepts it, then used in every interaction. */
  async live(resource: Json): Promise<void> {
    const type = String(resource['resourceType'])
    const id = randomUUID()
    const at = `/${type}/${id}`
    await this.send('POST', `/${type}/$validate`, resource)
    const { status } = await this.send('PUT', at, { ...resource, id })
    if (status !== 201) return
    await this.send('GET', at)
    if (type === 'Binary') await this.send('GET', at, undefined, { accept: '*/*' })
    for (const query of ['_summary=true', '_elements=id,status', '_format=xml'])
      await this.send('GET', `${at}?${query}`)
    await this.send('GET', `/${type}?_id=${id}&_include=*&_revinclude=*&_sort=-_lastUpdated`)
    await this.send('GET', `${at}/_history`)
    await this.send('PATCH', at, [{ op: 'add', path: '/language', value: 'de' }])
    for (const path of operationsOf(type)) await this.send('POST', `${at}/${path}`, { resourceType: 'Parameters' })
    const entry = [{ resource: { ...resource, id }, request: { method: 'PUT', url: `${type}/${id}` } }]
    await this.send('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    await this.send('PUT', `/${type}?_id=${id}`, { ...resource, id })
    await this.send('DELETE', at)
  }
}

const operationsOf = (type: string): readonly string[] =>
  (declared.types.find((one) => one.type === type)?.operation ?? []).map(({ name }) => `$${name}`)

const everything: Choice = () => true

describe('every type', () => {
  test('with the least that it needs, all of it absent, and each of it alone', async () => {
    const requests = new Requests()
    const cases = declared.types.flatMap(({ type }) => {
      const least = minimal(type)
      const names = Object.keys(least).filter((one) => !PLAIN.has(one))
      return [
        everything,
        ...names.map(
          (name): Choice =>
            (path) =>
              path.startsWith(`.${name}`),
        ),
      ].map((isAbsent) => withAbsent(least, isAbsent))
    })
    for (const resource of sampled(cases)) await requests.live(resource as Json)
    expect(requests.faults).toEqual([])
    expect(requests.sent).toBeGreaterThan(1_000)
  })
})

describe('examples of R4', () => {
  test('with any of their values absent meet no fault', async () => {
    const examples = [...officialExamples(6)]
    const requests = new Requests()
    await tryProperty(
      { least: 20, most: randomRuns(250) },
      fc.asyncProperty(
        fc.constantFrom(...examples),
        fc.integer({ min: 2, max: 12 }),
        fc.nat(),
        async (one, every, seed) => {
          let count = seed
          await requests.live(withAbsent(one, () => count++ % every === 0) as Json)
          expect(requests.faults).toEqual([])
        },
      ),
      { endOnFailure: true },
    )
  })
})

/** A canonical URL that no other resource has. */
const url = () => `http://example.org/${randomUUID()}`
const STATES: readonly (readonly [
  string,
  () => readonly Json[],
  (ids: readonly string[], urls: readonly string[]) => readonly (readonly [string, string, unknown?])[],
])[] = [
  [
    'value sets and code systems',
    () => {
      const system = url()
      return [
        {
          resourceType: 'CodeSystem',
          url: system,
          status: 'active',
          content: 'complete',
          property: [{ code: 'kind', type: 'code' }],
          concept: [
            { code: 'a', display: 'A', property: [{ code: 'kind', valueCode: 'x' }], concept: [{ code: 'b' }] },
            { code: 'c', designation: [{ language: 'de', value: 'C' }] },
          ],
        },
        {
          resourceType: 'ValueSet',
          url: url(),
          status: 'active',
          compose: {
            include: [
              { system, filter: [{ property: 'kind', op: '=', value: 'x' }] },
              { system, concept: [{ code: 'c', display: 'see' }] },
            ],
          },
        },
        {
          resourceType: 'ConceptMap',
          url: url(),
          status: 'active',
          group: [
            { source: system, target: system, element: [{ code: 'a', target: [{ code: 'b', equivalence: 'equal' }] }] },
          ],
        },
        {
          resourceType: 'NamingSystem',
          name: 'N',
          status: 'active',
          kind: 'codesystem',
          date: '2026-01-01',
          uniqueId: [
            { type: 'uri', value: system, preferred: true },
            { type: 'oid', value: '1.2.3' },
          ],
        },
      ]
    },
    ([codeSystem, valueSet, conceptMap], [system]) => [
      ['GET', `/ValueSet/${valueSet}/$expand`],
      ['GET', `/ValueSet/${valueSet}/$expand?filter=a&includeDesignations=true`],
      ['GET', `/ValueSet/${valueSet}/$validate-code?system=${system}&code=a`],
      ['GET', `/CodeSystem/$lookup?system=${system}&code=a&property=*`],
      ['GET', `/CodeSystem/${codeSystem}/$validate-code?code=b`],
      ['GET', `/CodeSystem/$subsumes?system=${system}&codeA=a&codeB=b`],
      ['GET', `/ConceptMap/${conceptMap}/$translate?system=${system}&code=a`],
      ['GET', `/NamingSystem/$preferred-id?id=${system}&type=oid`],
      ['GET', `/Observation?code:in=ValueSet/${valueSet}`],
    ],
  ],
  [
    'slots and visits',
    () => [
      {
        resourceType: 'Schedule',
        actor: [{ reference: 'Practitioner/m', display: 'Dr. M' }],
        planningHorizon: { start: '2026-01-01' },
        active: true,
        comment: 'x',
      },
    ],
    ([schedule]) => {
      const start = new Date(Date.now() + 86_400_000)
      start.setUTCMinutes(0, 0, 0)
      const time = (minutes: number) => new Date(start.getTime() + minutes * 60_000).toISOString()
      const slot = {
        resourceType: 'Slot',
        id: `s-${schedule}`,
        schedule: { reference: `Schedule/${schedule}` },
        status: 'free',
        start: time(0),
        end: time(30),
      }
      const visit = {
        resourceType: 'Appointment',
        id: `a-${schedule}`,
        status: 'booked',
        start: time(0),
        end: time(30),
        slot: [{ reference: `Slot/s-${schedule}` }],
        participant: [{ actor: { reference: 'Patient/m' }, status: 'accepted' }],
      }
      const variants = ['status', 'start', 'end', 'minutesDuration', 'overbooked', 'comment']
      return [
        ...variants.flatMap((name): [string, string, unknown][] => [
          [
            'PUT',
            `/Slot/s-${schedule}`,
            withAbsent({ ...slot, overbooked: false, comment: 'x' }, (path) => path === `.${name}`),
          ],
          ['GET', `/Slot?schedule=${schedule}&status=free`, undefined],
          ['GET', `/Appointment/$find?start=${time(-60)}&end=${time(600)}`, undefined],
          [
            'PUT',
            `/Appointment/a-${schedule}`,
            withAbsent({ ...visit, minutesDuration: 30, comment: 'x' }, (path) => path === `.${name}`),
          ],
          ['GET', `/Appointment/a-${schedule}`, undefined],
          ['POST', `/Appointment/a-${schedule}/$cancel`, { resourceType: 'Parameters' }],
        ]),
        ['PUT', `/Slot/s-${schedule}`, slot],
        ['PUT', `/Appointment/b-${schedule}`, { ...visit, id: `b-${schedule}` }],
        [
          'PATCH',
          `/Appointment/b-${schedule}`,
          [
            { op: 'remove', path: '/status' },
            { op: 'add', path: '/_status', value: ABSENT },
          ],
        ],
        ['POST', `/Schedule/${schedule}/$generate-slots`, { resourceType: 'Parameters' }],
        ['DELETE', `/Appointment/b-${schedule}`],
        ['DELETE', `/Slot/s-${schedule}`],
      ]
    },
  ],
  [
    'search parameters and profiles',
    () => [
      {
        resourceType: 'SearchParameter',
        url: url(),
        name: 'Mine',
        status: 'active',
        description: 'x',
        code: `c${Date.now()}`,
        base: ['Basic'],
        type: 'string',
        expression: 'Basic.language',
        target: ['Patient'],
      },
      {
        resourceType: 'StructureDefinition',
        url: url(),
        name: 'P',
        status: 'active',
        kind: 'resource',
        abstract: false,
        type: 'Basic',
        baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Basic',
        derivation: 'constraint',
        context: [{ type: 'element', expression: 'Basic' }],
        differential: {
          element: [
            {
              id: 'Basic',
              path: 'Basic',
              constraint: [{ key: 'p-1', severity: 'error', human: 'x', expression: 'true' }],
            },
            {
              id: 'Basic.identifier',
              path: 'Basic.identifier',
              slicing: { discriminator: [{ type: 'value', path: 'system' }], rules: 'open' },
            },
            {
              id: 'Basic.identifier:a',
              path: 'Basic.identifier',
              sliceName: 'a',
              type: [{ code: 'Identifier', profile: ['http://example.org/p'] }],
            },
            {
              id: 'Basic.code',
              path: 'Basic.code',
              binding: { strength: 'required', valueSet: 'http://example.org/v' },
            },
          ],
        },
      },
    ],
    (_ids, [, profile]) => [
      [
        'POST',
        '/Basic',
        {
          resourceType: 'Basic',
          meta: { profile: [profile] },
          identifier: [{ system: 'x', value: '1' }],
          code: { text: 'a' },
          language: 'de',
        },
      ],
      ['POST', `/Basic/$validate?profile=${profile}`, { resourceType: 'Basic', code: { text: 'a' } }],
      ['GET', '/Basic?_profile:below=http://example.org'],
      ['GET', '/metadata'],
    ],
  ],
  [
    'people, documents and contents',
    () => [
      {
        resourceType: 'Patient',
        meta: { profile: ['http://example.org/a', 'http://example.org/b'], tag: [{ system: 'x', code: 'y' }] },
        active: true,
        name: [{ use: 'official', family: 'Absent', given: ['Ann', 'B.'], prefix: ['Dr.'], suffix: ['Jr.'] }],
        telecom: [
          { system: 'phone', value: '+12125550123', rank: 1 },
          { system: 'email', value: 'a@example.org' },
        ],
        address: [{ line: ['1 Main St'], city: 'X', postalCode: '1' }],
        birthDate: '1980-01-01',
        identifier: [{ system: 'urn:x', value: '1' }],
      },
      {
        resourceType: 'DocumentReference',
        status: 'current',
        subject: { reference: 'Patient/m' },
        type: { coding: [{ system: 'http://loinc.org', code: '11506-3' }] },
        date: '2026-03-01T09:00:00Z',
        relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/m' } }],
        content: [
          {
            attachment: {
              contentType: 'text/plain',
              data: 'eA==',
              size: 1,
              hash: 'Ea1i5pT7vmSV0mWPG0MyQMFTMwc=',
              title: 't',
            },
          },
        ],
      },
      { resourceType: 'Binary', contentType: 'text/plain', data: 'eA==' },
    ],
    ([patient, document, binary]) => [
      ['GET', `/Patient/${patient}/$everything`],
      [
        'POST',
        '/Patient/$match',
        {
          resourceType: 'Parameters',
          parameter: [
            {
              name: 'resource',
              resource: { resourceType: 'Patient', name: [{ family: 'Absent' }], birthDate: '1980-01-01' },
            },
          ],
        },
      ],
      [
        'POST',
        `/Patient/${patient}/$meta-add`,
        {
          resourceType: 'Parameters',
          parameter: [{ name: 'meta', valueMeta: { profile: ['http://example.org/c'], tag: [{ code: 'z' }] } }],
        },
      ],
      [
        'POST',
        `/Patient/${patient}/$meta-delete`,
        { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { profile: ['http://example.org/a'] } }] },
      ],
      ['GET', `/Patient/${patient}/$meta`],
      [
        'POST',
        `/Patient/${patient}/$update-registration-field`,
        {
          resourceType: 'Parameters',
          parameter: [
            { name: 'firstName', valueString: 'Anna' },
            { name: 'phone', valueString: '212 555 0199' },
          ],
        },
      ],
      [
        'POST',
        `/Patient/$merge`,
        {
          resourceType: 'Parameters',
          parameter: [
            { name: 'source-patient', valueReference: { reference: `Patient/${patient}` } },
            { name: 'target-patient', valueReference: { reference: 'Patient/m' } },
            { name: 'preview', valueBoolean: true },
          ],
        },
      ],
      ['GET', `/DocumentReference/$docref?patient=Patient/m`],
      [
        'PUT',
        `/DocumentReference/${document}`,
        {
          resourceType: 'DocumentReference',
          id: document,
          status: 'entered-in-error',
          subject: { reference: 'Patient/m' },
        },
      ],
      ['GET', `/Binary/${binary}`],
    ],
  ],
]

/** The paths of all primitives. */
function pathsIn(resources: readonly Json[]): ReadonlySet<string> {
  const paths = new Set<string>()
  withAbsent(resources, (path) => {
    paths.add(path)
    return false
  })
  return paths
}

type Uses = (typeof STATES)[number][2]

/** Stores the resources, uses them in every way, and deletes them. */
async function use(requests: Requests, resources: readonly Json[], uses: Uses): Promise<void> {
  const stored = resources.map((resource) => ({ type: String(resource['resourceType']), id: randomUUID(), resource }))
  for (const { type, id, resource } of stored) {
    await requests.send('PUT', `/${type}/${id}`, { ...resource, id })
    if (type === 'Binary') await requests.send('GET', `/Binary/${id}`, undefined, { accept: '*/*' })
  }
  const ids = stored.map(({ id }) => id)
  const urls = resources.map((resource) => encodeURIComponent(String(resource['url'])))
  for (const [method, path, body] of uses(ids, urls)) await requests.send(method, path, body)
  for (const { type, id } of stored) await requests.send('DELETE', `/${type}/${id}`)
}

describe('stored states', () => {
  test.each(STATES)('of %s meet no fault when they are used', async (_what, make, uses) => {
    const requests = new Requests()
    await use(requests, make(), uses)
    for (const absent of sampled([...pathsIn(make())]))
      await use(requests, withAbsent(make(), (path) => path === absent) as readonly Json[], uses)
    expect(requests.faults).toEqual([])
  })
})
