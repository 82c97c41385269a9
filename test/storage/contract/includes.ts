/** _include and _revinclude. */
import { describe, expect, test } from '@jest/globals'
import type { Include, IndexEntry } from '../../../src/search/plan.ts'
import { addresses, type Clinic, ids, reference } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const REFERENCES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'Appointment/1': [
    ['patient', 'Patient/1'],
    ['actor', 'Patient/1'],
    ['actor', 'Practitioner/1'],
    ['slot', 'Slot/1'],
  ],
  'Appointment/2': [
    ['patient', 'Patient/1'],
    ['actor', 'Practitioner/gone'],
    ['actor', 'Practitioner/never'],
    ['basedOn', 'Appointment/1'],
  ],
  'Patient/1': [['organization', 'Organization/1']],
  'Practitioner/1': [],
  'Slot/1': [['schedule', 'Schedule/1']],
  'Schedule/1': [['actor', 'Practitioner/1']],
  'Organization/1': [['partof', 'Organization/2']],
  'Organization/2': [['partof', 'Organization/1']],
}

async function filled(clinic: Clinic): Promise<Clinic> {
  await clinic.put('Practitioner/gone')
  await clinic.delete('Practitioner/gone')
  for (const [address, references] of Object.entries(REFERENCES)) {
    await clinic.put(
      address,
      references.map(([param, target]) => reference(param, target)),
    )
  }
  return clinic
}

const follow = (source: string, param: string, more: Partial<Include> = {}): Include => ({
  source,
  param,
  reverse: false,
  iterate: false,
  ...more,
})
const back = (source: string, param: string, more: Partial<Include> = {}) =>
  follow(source, param, { reverse: true, ...more })

const ROWS: readonly (readonly [string, string, readonly Include[], readonly string[]])[] = [
  ['one parameter', 'Appointment/1', [follow('Appointment', 'slot')], ['Slot/1']],
  ['a target type', 'Appointment/1', [follow('Appointment', 'actor', { target: 'Practitioner' })], ['Practitioner/1']],
  [
    'two ways to the same resource: once',
    'Appointment/1',
    [follow('Appointment', 'actor'), follow('Appointment', 'patient')],
    ['Patient/1', 'Practitioner/1'],
  ],
  ['what is deleted or never was: not', 'Appointment/2', [follow('Appointment', 'actor')], []],
  ['every parameter', 'Appointment/1', [follow('Appointment', '*')], ['Patient/1', 'Practitioner/1', 'Slot/1']],
  ['a parameter of another type', 'Appointment/1', [follow('Patient', 'organization')], []],
  ['a parameter that nothing has', 'Appointment/1', [follow('Appointment', 'x')], []],
  [
    'one step, without iterate',
    'Appointment/1',
    [follow('Appointment', 'patient'), follow('Patient', 'organization')],
    ['Patient/1'],
  ],
  [
    'several steps, with iterate',
    'Appointment/1',
    [
      follow('Appointment', 'slot'),
      follow('Slot', 'schedule', { iterate: true }),
      follow('Schedule', 'actor', { iterate: true }),
    ],
    ['Practitioner/1', 'Schedule/1', 'Slot/1'],
  ],
  [
    'a circle, with iterate',
    'Patient/1',
    [follow('Patient', 'organization'), follow('Organization', 'partof', { iterate: true })],
    ['Organization/1', 'Organization/2'],
  ],
  ['reverse', 'Patient/1', [back('Appointment', 'patient')], ['Appointment/1', 'Appointment/2']],
  ['reverse, every parameter', 'Practitioner/1', [back('Appointment', '*')], ['Appointment/1']],
  ['reverse, every type', 'Practitioner/1', [back('*', '*')], ['Appointment/1', 'Schedule/1']],
  [
    'reverse, with iterate',
    'Practitioner/1',
    [back('Schedule', 'actor'), back('Slot', 'schedule', { iterate: true })],
    ['Schedule/1', 'Slot/1'],
  ],
  ['reverse, only to another type', 'Patient/1', [back('Appointment', 'actor', { target: 'Practitioner' })], []],
]

export function describeIncludes(newClinic: NewClinic): void {
  describe('a search includes', () => {
    test.each(ROWS)('%s', async (_, match, include, expected) => {
      const clinic = await filled(newClinic())
      const [type = '', id = ''] = match.split('/')
      const found = await clinic.search(type, { where: [{ kind: 'id', ids: [id] }], include })
      expect(addresses(found.matches)).toEqual([match])
      expect(addresses(found.included).toSorted()).toEqual(expected)
      expect(found.truncated).toBe(false)
      expect(found.total).toBe(1)
    })

    test('never a match of the same page', async () => {
      const clinic = await filled(newClinic())
      const found = await clinic.search('Appointment', { include: [follow('Appointment', 'basedOn')] })
      expect(ids(found.matches).toSorted()).toEqual(['1', '2'])
      expect(found.included).toEqual([])
    })

    test('as many as the limit allows, and says that there were more', async () => {
      const clinic = newClinic()
      for (let index = 0; index < 5; index += 1)
        await clinic.put(`Appointment/${index}`, [reference('patient', 'Patient/1')])
      await clinic.put('Patient/1')
      const search = (includeLimit: number) =>
        clinic.search('Patient', { include: [back('Appointment', 'patient')], includeLimit })
      expect(await search(5)).toMatchObject({ truncated: false, included: { length: 5 } })
      expect(await search(4)).toMatchObject({ truncated: true, included: { length: 4 } })
      expect(await search(0)).toMatchObject({ truncated: true, included: { length: 0 } })
    })

    test('the version that a reference names, beside the current one and where there is no other any more', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1')
      await clinic.put('Patient/1', [reference('organization', 'Organization/1')])
      await clinic.put('Patient/1')
      await clinic.put('Patient/2')
      await clinic.delete('Patient/2')
      await clinic.put('Organization/1')
      const named = (...targets: readonly string[]) => targets.map((target) => reference('target', target))
      const included = async (targets: readonly IndexEntry[], more: readonly Include[] = []) => {
        await clinic.put('Provenance/1', targets)
        const plan = { include: [follow('Provenance', 'target'), ...more] }
        const answer = await clinic.search('Provenance', plan)
        return answer.included.map(({ type, id, version }) => `${type}/${id} ${version}`).toSorted()
      }
      expect(await included(named('Patient/1/_history/1'))).toEqual(['Patient/1 1'])
      expect(await included(named('Patient/1/_history/3'))).toEqual(['Patient/1 3'])
      expect(await included(named('Patient/1', 'Patient/1/_history/3'))).toEqual(['Patient/1 3'])
      expect(await included(named('Patient/1', 'Patient/1/_history/2', 'Patient/1/_history/1'))).toEqual([
        'Patient/1 1',
        'Patient/1 2',
        'Patient/1 3',
      ])
      expect(await included(named('Patient/1/_history/4', 'Patient/1/_history/x', 'Patient/1/_history/01'))).toEqual([])
      // A deleted one has the versions before its deletion.
      expect(await included(named('Patient/2', 'Patient/2/_history/1', 'Patient/2/_history/2'))).toEqual([
        'Patient/2 1',
      ])
      // Includes do not follow the references of older versions.
      const onwards = [follow('Patient', 'organization', { iterate: true })]
      expect(await included(named('Patient/1/_history/2'), onwards)).toEqual(['Patient/1 2'])
      // Resources that refer to the resource do not refer to an older version of it.
      await clinic.put('Appointment/1', [reference('patient', 'Patient/1')])
      const back = [follow('Appointment', 'patient', { iterate: true, reverse: true })]
      expect(await included(named('Patient/1/_history/2'), back)).toEqual(['Patient/1 2'])
      expect(await included(named('Patient/1/_history/3'), back)).toEqual(['Appointment/1 1', 'Patient/1 3'])
    })

    test('the current version of what is included', async () => {
      const clinic = await filled(newClinic())
      await clinic.put('Slot/1')
      const found = await clinic.search('Appointment', { include: [follow('Appointment', 'slot')] })
      expect(found.included.map(({ version }) => version)).toEqual([2])
    })
  })
}
