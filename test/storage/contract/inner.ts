/** Resources within resources: contained ones, and the first resource of a document. */
import { describe, expect, test } from '@jest/globals'
import type { Condition, IndexEntry, SearchPlan } from '../../../src/search/plan.ts'
import { addresses, type Clinic, ids, inner, reference, token, uri } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

/** A Medication that MedicationRequest/`request` contains, and refers to. */
const containing = (request: string, code: string, ...more: readonly IndexEntry[]): readonly IndexEntry[] => [
  { kind: 'reference', param: 'medication', type: '#Medication', id: `MedicationRequest/${request}#m1` },
  ...inner('_contained', '#Medication', `MedicationRequest/${request}#m1`, [
    uri('_id', 'm1'),
    token('code', code),
    ...more,
  ]),
]

/** An Observation of Patient/1 that a report contains, made by one who is contained beside it. */
const report: readonly IndexEntry[] = [
  ...inner('_contained', '#Observation', 'DiagnosticReport/1#o', [
    uri('_id', 'o'),
    token('code', 'x'),
    reference('subject', 'Patient/1'),
    { kind: 'reference', param: 'performer', type: '#Practitioner', id: 'DiagnosticReport/1#p' },
  ]),
  ...inner('_contained', '#Practitioner', 'DiagnosticReport/1#p', [uri('_id', 'p'), token('code', 'doctor')]),
  { kind: 'reference', param: 'result', type: '#Observation', id: 'DiagnosticReport/1#o' },
]

const document: readonly IndexEntry[] = [
  { kind: 'reference', param: 'composition', type: 'Bundle#Composition', id: 'Bundle/1#0' },
  ...inner('_entry', 'Bundle#Composition', 'Bundle/1#0', [uri('_id', 'c'), token('code', 'letter')]),
]

async function filled(clinic: Clinic): Promise<Clinic> {
  await clinic.put('Organization/1')
  await clinic.put('Patient/1')
  await clinic.put('Patient/2')
  await clinic.put('Medication/1', [token('code', 'a')])
  await clinic.put('MedicationRequest/1', [
    token('status', 'active'),
    ...containing('1', 'a', reference('maker', 'Organization/1')),
  ])
  await clinic.put('MedicationRequest/2', containing('2', 'b'))
  await clinic.put('MedicationRequest/3', [reference('medication', 'Medication/1')])
  await clinic.put('DiagnosticReport/1', report)
  await clinic.put('Bundle/1', document)
  await clinic.put('Composition/c', [token('code', 'letter')])
  return clinic
}

const coded = (code: string): Condition => ({ kind: 'token', param: 'code', code })
const chain = (param: string, type: string, where: Condition): Condition => ({
  kind: 'chain',
  param,
  types: [type],
  where,
})
const has = (type: string, param: string, where: Condition): Condition => ({ kind: 'has', type, param, where })
const anything: Condition = { kind: 'all', of: [] }

const ROWS: readonly (readonly [string, string, readonly Condition[], string])[] = [
  [
    'a chain leads into contained resources too',
    'MedicationRequest',
    [chain('medication', 'Medication', coded('a'))],
    '1 3',
  ],
  ['a chain to other values', 'MedicationRequest', [chain('medication', 'Medication', coded('b'))], '2'],
  ['a chain to another type', 'MedicationRequest', [chain('medication', 'Substance', coded('a'))], ''],
  [
    'a chain to the id within',
    'MedicationRequest',
    [chain('medication', 'Medication', { kind: 'id', ids: ['m1', '9'] })],
    '1 2',
  ],
  [
    'a chain to the type',
    'MedicationRequest',
    [chain('medication', 'Medication', { kind: 'type', types: ['Medication'] })],
    '1 2 3',
  ],
  [
    'a chain that is negated',
    'MedicationRequest',
    [{ kind: 'not', of: chain('medication', 'Medication', coded('a')) }],
    '2',
  ],
  [
    'a chain on from a contained resource',
    'MedicationRequest',
    [chain('medication', 'Medication', chain('maker', 'Organization', { kind: 'id', ids: ['1'] }))],
    '1',
  ],
  [
    'a chain from one contained resource to another',
    'DiagnosticReport',
    [chain('result', 'Observation', chain('performer', 'Practitioner', coded('doctor')))],
    '1',
  ],
  ['a contained resource that refers here', 'Patient', [has('Observation', 'subject', coded('x'))], '1'],
  ['a contained resource that does not', 'Patient', [has('Observation', 'subject', coded('y'))], ''],
  ['a container by what it contains', 'MedicationRequest', [chain('_contained', 'Medication', coded('a'))], '1'],
  ['no contained resource among the others of its type', 'Medication', [], '1'],
  ['no contained resource by its values', 'Medication', [coded('b')], ''],
  ['no contained resource by its id', 'Medication', [{ kind: 'id', ids: ['m1', 'MedicationRequest/1#m1'] }], ''],
  ['contained resources alone', '#Medication', [], 'MedicationRequest/1#m1 MedicationRequest/2#m1'],
  ['a contained resource by a value', '#Medication', [coded('b')], 'MedicationRequest/2#m1'],
  ['a contained resource by its id', '#Observation', [{ kind: 'id', ids: ['o'] }], 'DiagnosticReport/1#o'],
  [
    'a contained resource by its type',
    '#Observation',
    [{ kind: 'type', types: ['Observation'] }],
    'DiagnosticReport/1#o',
  ],
  [
    'a contained resource by what refers to it',
    '#Medication',
    [has('MedicationRequest', 'medication', { kind: 'token', param: 'status', code: 'active' })],
    'MedicationRequest/1#m1',
  ],
  [
    'a contained resource by a chain',
    '#Medication',
    [chain('maker', 'Organization', anything)],
    'MedicationRequest/1#m1',
  ],
  ['the first resource of a document', 'Bundle', [chain('composition', 'Composition', coded('letter'))], '1'],
  [
    'the first resource of a document by its id',
    'Bundle',
    [chain('composition', 'Composition', { kind: 'id', ids: ['c'] })],
    '1',
  ],
  ['the first resource of a document is not contained', '#Composition', [], ''],
]

const follow = (source: string, param: string, iterate = false) => ({ source, param, reverse: false, iterate })

export function describeInner(newClinic: NewClinic): void {
  describe('resources within resources', () => {
    test('are found by their own values, in chains and where they are asked for', async () => {
      const clinic = await filled(newClinic())
      for (const [name, type, where, expected] of ROWS) {
        const found = ids((await clinic.search(type, { where })).matches).toSorted()
        expect([name, found.join(' ')]).toEqual([name, expected])
      }
    })

    test('come with the version, the time and the text of their container', async () => {
      const clinic = await filled(newClinic())
      await clinic.put('MedicationRequest/2', containing('2', 'c'))
      const container = await clinic.read('MedicationRequest/2')
      const { matches } = await clinic.search('#Medication', { where: [coded('c')] })
      expect(matches).toEqual([{ ...container, type: '#Medication', id: 'MedicationRequest/2#m1' }])
    })

    test('are searched by the time of their container', async () => {
      const clinic = await filled(newClinic())
      const { lastUpdated = 0 } = (await clinic.read('MedicationRequest/2')) ?? {}
      const bounds = { lowMin: lastUpdated, lowMax: lastUpdated }
      const { matches } = await clinic.search('#Medication', { where: [{ kind: 'lastUpdated', bounds }] })
      expect(ids(matches)).toEqual(['MedicationRequest/2#m1'])
    })

    test('change, go and come back with their container', async () => {
      const clinic = await filled(newClinic())
      const contained = async () => addresses((await clinic.search('#Medication', { sort: BY_ID })).matches)
      const chained = async (code: string) => {
        const where = [chain('medication', 'Medication', coded(code))]
        return ids((await clinic.search('MedicationRequest', { where })).matches).toSorted()
      }
      await clinic.put('MedicationRequest/1', containing('1', 'z'))
      expect([await chained('a'), await chained('z')]).toEqual([['3'], ['1']])
      await clinic.put('MedicationRequest/1')
      expect([await chained('z'), await contained()]).toEqual([[], ['#Medication/MedicationRequest/2#m1']])
      await clinic.delete('MedicationRequest/2')
      expect([await chained('b'), await contained()]).toEqual([[], []])
      await clinic.put('MedicationRequest/2', containing('2', 'b'))
      expect([await chained('b'), await contained()]).toEqual([['2'], ['#Medication/MedicationRequest/2#m1']])
    })

    test('may become of another type under the id that they have there', async () => {
      const clinic = newClinic()
      const contained = (type: string) => inner('_contained', type, 'MedicationRequest/1#x', [token('code', 'a')])
      for (const type of ['#Medication', '#Practitioner', '#Medication']) {
        await clinic.put('MedicationRequest/1', contained(type))
        const found = await Promise.all(
          ['#Medication', '#Practitioner'].map((one) => clinic.search(one, { where: [coded('a')] })),
        )
        expect(found.flatMap(({ matches }) => addresses(matches))).toEqual([`${type}/MedicationRequest/1#x`])
      }
    })

    test('are counted, sorted and paged as others, beside others', async () => {
      const clinic = await filled(newClinic())
      const plan: Partial<SearchPlan> = {
        types: ['Medication', '#Medication'],
        sort: [{ by: 'token', param: 'code', descending: true }],
        count: 1,
        total: 'accurate',
      }
      const pages = await clinic.pages('Medication', plan)
      expect(pages.flat().slice(0, 1)).toEqual(['MedicationRequest/2#m1'])
      expect(pages.flat().toSorted()).toEqual(['1', 'MedicationRequest/1#m1', 'MedicationRequest/2#m1'])
      expect((await clinic.search('Medication', plan)).total).toBe(3)
    })

    test('are not included, as they are there, but what they refer to is', async () => {
      const clinic = await filled(newClinic())
      const included = async (...include: SearchPlan['include']) => {
        const where: readonly Condition[] = [{ kind: 'id', ids: ['1'] }]
        return addresses((await clinic.search('MedicationRequest', { where, include })).included)
      }
      expect(await included(follow('MedicationRequest', 'medication'))).toEqual([])
      expect(await included(follow('MedicationRequest', '*'))).toEqual([])
      expect(await included(follow('MedicationRequest', 'medication'), follow('Medication', 'maker', true))).toEqual([
        'Organization/1',
      ])
      const { included: ofContained } = await clinic.search('#Medication', { include: [follow('Medication', 'maker')] })
      expect(addresses(ofContained)).toEqual(['Organization/1'])
    })

    test('lead to what contains them where all that refers to a resource is included, again and again', async () => {
      const clinic = await filled(newClinic())
      const include = [{ ...follow('*', '*', true), reverse: true }]
      const { included } = await clinic.search('Patient', { where: [{ kind: 'id', ids: ['1'] }], include })
      expect(addresses(included)).toEqual(['DiagnosticReport/1'])

      await clinic.put('List/1', [
        { kind: 'reference', param: 'item', type: '#Patient', id: 'List/1#p' },
        ...inner('_contained', '#Patient', 'List/1#p', [reference('link', 'Patient/1')]),
      ])
      const patients = [{ ...follow('*', '*', true), reverse: true, target: 'Patient' }]
      const { included: ofPatients } = await clinic.search('Patient', {
        where: [{ kind: 'id', ids: ['1'] }],
        include: patients,
      })
      expect(addresses(ofPatients)).toEqual(['List/1'])
    })

    test('are no resources of the clinic: no history, no copy, no value of a type has them', async () => {
      const clinic = await filled(newClinic())
      const own = (types: readonly { readonly type: string }[]) => types.every(({ type }) => !type.includes('#'))
      const { versions, total } = await clinic.history({})
      expect([own(versions), total]).toEqual([true, 10])
      const { items } = await clinic.store.scanVersions({ clinic: clinic.name, limit: 100 })
      expect([own(items), items.length]).toEqual([true, 10])
      const values = await clinic.store.values({ clinic: clinic.name, kind: 'token', param: 'code', limit: 100 })
      expect(values.map(({ code }) => code).toSorted()).toEqual(['a', 'letter'])
    })

    test('of one clinic are not found from another', async () => {
      await filled(newClinic())
      const other = newClinic()
      await other.put('MedicationRequest/1', [reference('medication', 'Medication/1')])
      const where = [chain('medication', 'Medication', anything)]
      expect((await other.search('MedicationRequest', { where })).matches).toEqual([])
      expect((await other.search('#Medication', {})).matches).toEqual([])
      await other.put('Patient/1')
      expect((await other.search('Patient', { where: [has('Observation', 'subject', anything)] })).matches).toEqual([])
    })

    test('are written with several versions of their container in one set', async () => {
      const clinic = newClinic()
      await clinic.write(
        clinic.change('MedicationRequest/1', containing('1', 'a')),
        clinic.change('MedicationRequest/1', containing('1', 'b'), { expect: 1 }),
      )
      const { matches } = await clinic.search('#Medication', { where: [coded('b')] })
      expect(ids(matches)).toEqual(['MedicationRequest/1#m1'])
      expect((await clinic.search('#Medication', { where: [coded('a')] })).matches).toEqual([])
    })
  })
}

const BY_ID: SearchPlan['sort'] = [{ by: 'id', descending: false }]
