/** Resources that have one of many codes, for record linkage. */
import { describe, expect, test } from '@jest/globals'
import type { CodesQuery, FoundByCodes } from '../../../src/storage/port.ts'
import { addresses, type Clinic, string, token, uri } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const PARAM = '_match'
const key = (code: string) => token(PARAM, code)

const find = ({ store, name }: Clinic, codes: readonly string[], query: Partial<CodesQuery> = {}) =>
  store.findByCodes({ clinic: name, type: 'Patient', param: PARAM, codes, most: 3, ...query })

/** In the order of their addresses. */
const shown = ({ resources, tooCommon, isCut }: FoundByCodes) => ({
  found: addresses(resources).toSorted(),
  tooCommon: tooCommon.toSorted(),
  isCut,
})

const answer = (found: readonly string[], tooCommon: readonly string[] = [], isCut = false) => ({
  found,
  tooCommon,
  isCut,
})

export function describeCodes(newClinic: NewClinic): void {
  describe('resources by codes', () => {
    test('are each once, however many of the codes they have', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('a'), key('b')])
      await clinic.put('Patient/2', [key('b'), key('c')])
      await clinic.put('Patient/3', [key('d')])
      expect(shown(await find(clinic, ['a', 'b', 'none']))).toEqual(answer(['Patient/1', 'Patient/2']))
      expect(shown(await find(clinic, ['d', 'd']))).toEqual(answer(['Patient/3']))
      expect(shown(await find(clinic, ['none']))).toEqual(answer([]))
      expect(shown(await find(clinic, []))).toEqual(answer([]))
    })

    test('come as they are stored', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('a')], { text: '{"resourceType":"Patient","id":"1","active":true}' })
      const { resources } = await find(clinic, ['a'])
      expect(resources).toEqual([await clinic.read('Patient/1')])
    })

    test('are none for a code that more of them have than asked for; those of the other codes come all the same', async () => {
      const clinic = newClinic()
      await clinic.fill(4, (n) => clinic.change(`Patient/${n}`, [key('common'), key(`own-${n}`)]))
      await clinic.put('Patient/other', [key('rare')])
      const codes = ['common', 'rare', 'own-2']
      expect(shown(await find(clinic, codes))).toEqual(answer(['Patient/2', 'Patient/other'], ['common']))
      const all = ['Patient/0', 'Patient/1', 'Patient/2', 'Patient/3', 'Patient/other']
      expect(shown(await find(clinic, codes, { most: 4 }))).toEqual(answer(all))
      expect(shown(await find(clinic, codes, { most: 0 }))).toEqual(answer([], ['common', 'own-2', 'rare']))
    })

    test('are all there where many rare codes find more of them together than any code may', async () => {
      const clinic = newClinic()
      await clinic.fill(40, (n) => clinic.change(`Patient/${n}`, [key(`c${n}`)]))
      const codes = Array.from({ length: 40 }, (_none, n) => `c${n}`)
      const { resources, tooCommon } = await find(clinic, codes)
      expect([resources.length, tooCommon]).toEqual([40, []])
    })

    test('have one of the others too, however common either is', async () => {
      const clinic = newClinic()
      await clinic.fill(9, (n) => clinic.change(`Patient/${n}`, [key('a'), ...(n < 3 ? [key('b')] : [])]))
      await clinic.put('Patient/both', [key('c'), key('d'), key('a')])
      await clinic.put('Patient/neither', [key('d')])
      const both = ['Patient/0', 'Patient/1', 'Patient/2']
      expect(shown(await find(clinic, [], { together: [['a'], ['b']] }))).toEqual(answer(both))
      expect(
        shown(
          await find(clinic, [], {
            together: [
              ['b', 'none'],
              ['a', 'c'],
            ],
          }),
        ),
      ).toEqual(answer(both))
      expect(shown(await find(clinic, [], { together: [['a', 'c'], ['d']] }))).toEqual(answer(['Patient/both']))
      expect(shown(await find(clinic, [], { together: [['b'], ['d']] }))).toEqual(answer([]))
      expect(shown(await find(clinic, [], { together: [['a'], []] }))).toEqual(answer([]))
      const { resources, tooCommon, isCut } = await find(clinic, [], { together: [['a'], ['b']], most: 2 })
      expect([resources.length, tooCommon, isCut]).toEqual([2, [], true])
    })

    test('have one of the others where thousands have either', async () => {
      const clinic = newClinic()
      await clinic.fill(2_100, (n) => clinic.change(`Patient/${n}`, [key('common')]))
      await clinic.put('Patient/other', [key('common'), key('rare')])
      await clinic.put('Patient/rare', [key('rare')])
      expect(shown(await find(clinic, [], { together: [['common'], ['rare']] }))).toEqual(answer(['Patient/other']))
      expect(shown(await find(clinic, [], { together: [['rare'], ['common', 'none']] }))).toEqual(
        answer(['Patient/other']),
      )
    })

    test('with any code, and with one of each list, come in one answer', async () => {
      const clinic = newClinic()
      await clinic.fill(5, (n) => clinic.change(`Patient/${n}`, [key('common'), ...(n < 2 ? [key('b')] : [])]))
      await clinic.put('Patient/rare', [key('rare')])
      const together = [['common'], ['b', 'rare']] as const
      const all = ['Patient/0', 'Patient/1', 'Patient/rare']
      expect(shown(await find(clinic, ['rare', 'common', 'b'], { together }))).toEqual(answer(all, ['common']))
      expect(shown(await find(clinic, ['rare', 'b'], { together, most: 1 }))).toEqual(
        expect.objectContaining({ tooCommon: ['b'], isCut: true }),
      )
    })

    test('that have a code with several systems count once', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [token(PARAM, 'a'), token(PARAM, 'a', 'urn:1'), token(PARAM, 'a', 'urn:2')])
      await clinic.put('Patient/2', [token(PARAM, 'a'), token(PARAM, 'a', 'urn:1')])
      expect(shown(await find(clinic, ['a'], { most: 2 }))).toEqual(answer(['Patient/1', 'Patient/2']))
      expect(shown(await find(clinic, ['a'], { most: 1 }))).toEqual(answer([], ['a']))
    })

    test('are those whose current version has the code, and which are not deleted', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('old')])
      await clinic.put('Patient/1', [key('new')])
      await clinic.put('Patient/2', [key('old'), key('new')])
      await clinic.delete('Patient/2')
      expect(shown(await find(clinic, ['old']))).toEqual(answer([]))
      expect(shown(await find(clinic, ['old', 'new']))).toEqual(answer(['Patient/1']))
      await clinic.put('Patient/2', [key('new')])
      expect(shown(await find(clinic, ['new'], { most: 1 }))).toEqual(answer([], ['new']))
    })

    test('are of the type and have the code in the parameter, letter by letter', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('a'), token('identifier', 'b'), string(PARAM, 'b'), uri('url', 'b')])
      await clinic.put('Person/1', [key('a'), key('b')])
      expect(shown(await find(clinic, ['a', 'b']))).toEqual(answer(['Patient/1']))
      expect(shown(await find(clinic, ['a', 'b'], { type: 'Person' }))).toEqual(answer(['Person/1']))
      expect(shown(await find(clinic, ['a'], { type: 'Group' }))).toEqual(answer([]))
      expect(shown(await find(clinic, ['a'], { param: 'unknown' }))).toEqual(answer([]))
      expect(shown(await find(clinic, ['A', 'ä', 'a ']))).toEqual(answer([]))
    })

    test('of one clinic are not those of another, nor do they make a code common there', async () => {
      const [ours, theirs] = [newClinic(), newClinic()]
      await ours.put('Patient/ours', [key('a')])
      await theirs.fill(9, (n) => theirs.change(`Patient/${n}`, [key('a'), key('theirs')]))
      expect(shown(await find(ours, ['a', 'theirs']))).toEqual(answer(['Patient/ours']))
      expect(shown(await find(newClinic(), ['a', 'theirs']))).toEqual(answer([]))
    })

    test('whose texts are too long together are as many as fit, and the answer says so', async () => {
      const clinic = newClinic()
      const text = JSON.stringify({ resourceType: 'Patient', text: { div: 'x'.repeat(12 * 1024 * 1024) } })
      for (const n of [1, 2, 3]) await clinic.put(`Patient/${n}`, [key('long')], { text })
      await clinic.put('Patient/4', [key('short')])
      const { resources, tooCommon, isCut } = await find(clinic, ['long'])
      expect([resources.length, tooCommon, isCut]).toEqual([2, [], true])
      expect(shown(await find(clinic, ['long', 'short'], { most: 2 }))).toEqual(answer(['Patient/4'], ['long']))
    }, 60_000)
  })
}
