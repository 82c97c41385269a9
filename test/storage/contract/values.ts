/** Which values of a parameter occur. */
import { describe, expect, test } from '@jest/globals'
import type { IndexEntry } from '../../../src/search/plan.ts'
import type { ValuesQuery } from '../../../src/storage/port.ts'
import type { Clinic } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const tag = (code: string, system = 'urn:tags'): IndexEntry => ({ kind: 'token', param: '_tag', system, code })
const profile = (value: string): IndexEntry => ({ kind: 'uri', param: '_profile', value })

const valuesOf = async (clinic: Clinic, query: Partial<ValuesQuery> = {}): Promise<readonly string[]> => {
  const asked: ValuesQuery = { clinic: clinic.name, kind: 'token', param: '_tag', limit: 100, ...query }
  const found = await clinic.store.values(asked)
  return found.map(({ system, code }) => `${system}|${code}`).sort()
}

export function describeValues(newClinic: NewClinic): void {
  describe('values', () => {
    test('are each once, those of every type or of one', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [tag('a'), tag('b'), profile('http://p')])
      await clinic.put('Patient/2', [tag('b'), tag('c')])
      await clinic.put('Slot/1', [tag('b'), tag('d')])
      expect(await valuesOf(clinic)).toEqual(['urn:tags|a', 'urn:tags|b', 'urn:tags|c', 'urn:tags|d'])
      expect(await valuesOf(clinic, { type: 'Slot' })).toEqual(['urn:tags|b', 'urn:tags|d'])
      expect(await valuesOf(clinic, { type: 'Group' })).toEqual([])
      expect(await valuesOf(clinic, { param: 'code' })).toEqual([])
    })

    test('of one code and several systems, or none, are several', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [tag('a'), tag('a', 'urn:others')])
      await clinic.put('Patient/2', [tag('a', '')])
      expect(await valuesOf(clinic)).toEqual(['urn:others|a', 'urn:tags|a', '|a'])
    })

    test('are those of the current versions of what is not deleted', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [tag('old')])
      await clinic.put('Patient/1', [tag('new')])
      await clinic.put('Patient/2', [tag('gone')])
      await clinic.delete('Patient/2')
      expect(await valuesOf(clinic)).toEqual(['urn:tags|new'])
    })

    test('of a parameter of addresses', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [profile('http://p/b'), profile('http://p/a|2')])
      await clinic.put('Patient/2', [profile('http://p/a')])
      const asked = { kind: 'uri', param: '_profile' } as const
      expect(await valuesOf(clinic, asked)).toEqual(['|http://p/a', '|http://p/a|2', '|http://p/b'])
      expect(await valuesOf(clinic, { ...asked, kind: 'token' })).toEqual([])
    })

    test('in any script, in upper and lower case, and many', async () => {
      const clinic = newClinic()
      const codes = ['A', 'a', 'Z', 'z', '\u00e4', '\u00c4', '\u65e5\u672c', '\u{1F600}', '\uffee', '0', '-', ' b']
      const many = Array.from({ length: 60 }, (_none, index) => `n${index}`)
      await clinic.write(
        ...[...codes, ...many].map((code, index) => clinic.change(`Patient/${index}`, [tag(code), tag('shared')])),
      )
      const all = [...codes, ...many, 'shared'].map((code) => `urn:tags|${code}`).sort()
      expect(await valuesOf(clinic)).toEqual(all)
    })

    test('at most as many as asked for', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [tag('a'), tag('b'), tag('c')])
      await clinic.put('Slot/1', [tag('d'), tag('e')])
      for (const limit of [0, 1, 2, 4, 5, 6]) expect(await valuesOf(clinic, { limit })).toHaveLength(Math.min(limit, 5))
    })

    test('of one clinic are not those of another', async () => {
      const [ours, theirs] = [newClinic(), newClinic()]
      await ours.put('Patient/1', [tag('ours')])
      await theirs.put('Patient/1', [tag('theirs')])
      expect(await valuesOf(ours)).toEqual(['urn:tags|ours'])
      expect(await valuesOf(theirs)).toEqual(['urn:tags|theirs'])
    })
  })
}
