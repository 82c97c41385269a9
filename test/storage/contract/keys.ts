/** Resources that have one of many keys, for record linkage. */
import { describe, expect, test } from '@jest/globals'
import type { FoundByKeys, KeysQuery } from '../../../src/storage/port.ts'
import { addresses, type Clinic, key as keyEntry, string, token, uri } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const PARAM = '_match'
const key = (text: string) => keyEntry(PARAM, text)

const find = ({ store, name }: Clinic, beginnings: readonly string[], query: Partial<KeysQuery> = {}) =>
  store.findByKeys({ clinic: name, type: 'Patient', param: PARAM, beginnings, most: 3, ...query })

/** In the order of their addresses. */
const shown = ({ resources, tooCommon, isCut }: FoundByKeys) => ({
  found: addresses(resources).toSorted(),
  tooCommon: tooCommon.toSorted(),
  isCut,
})

const answer = (found: readonly string[], tooCommon: readonly string[] = [], isCut = false) => ({
  found,
  tooCommon,
  isCut,
})

export function describeKeys(newClinic: NewClinic): void {
  describe('resources by keys', () => {
    test('are each once, however many of the keys they have', async () => {
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

    test('are those of whom a key begins so, and of a longer beginning fewer', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('n|smt|j|jn|')])
      await clinic.put('Patient/2', [key('n|smt|j|jms|')])
      await clinic.put('Patient/3', [key('n|smt|k|kt|'), key('n|smtj|j|')])
      expect(shown(await find(clinic, ['n|smt|j|']))).toEqual(answer(['Patient/1', 'Patient/2']))
      expect(shown(await find(clinic, ['n|smt|j|jms|']))).toEqual(answer(['Patient/2']))
      expect(shown(await find(clinic, ['n|smt|j|jms|x', 'smt|']))).toEqual(answer([]))
      expect(shown(await find(clinic, ['n|smt|j|jn|', 'n|smt|k']))).toEqual(answer(['Patient/1', 'Patient/3']))
    })

    test('may have keys of any letters, none of which stands for others', async () => {
      const clinic = newClinic()
      const all = ['a.c|', 'a*|', 'é|', '王|', '😀|', '"\\|', "a'b|", '[a]|', '^a$|', 'a+b@c.example|', '%|', 'a\nb|']
      await clinic.fill(all.length, (n) => clinic.change(`Patient/${n}`, [key(all[n] ?? '')]))
      for (const [n, text] of all.entries()) {
        expect(shown(await find(clinic, [text]))).toEqual(answer([`Patient/${n}`]))
        expect(shown(await find(clinic, [text.slice(0, -1)]))).toEqual(answer([`Patient/${n}`]))
      }
      expect(shown(await find(clinic, ['abc|', 'a.c|.', '.', '😁', 'e']))).toEqual(answer([]))
    })

    test('are none for a beginning that more of them have than asked for; those of the others come all the same', async () => {
      const clinic = newClinic()
      await clinic.fill(4, (n) => clinic.change(`Patient/${n}`, [key('common'), key(`own-${n}`)]))
      await clinic.put('Patient/other', [key('rare')])
      const beginnings = ['common', 'rare', 'own-2']
      expect(shown(await find(clinic, beginnings))).toEqual(answer(['Patient/2', 'Patient/other'], ['common']))
      const all = ['Patient/0', 'Patient/1', 'Patient/2', 'Patient/3', 'Patient/other']
      expect(shown(await find(clinic, beginnings, { most: 4 }))).toEqual(answer(all))
      expect(shown(await find(clinic, beginnings, { most: 0 }))).toEqual(answer([], ['common', 'own-2', 'rare']))
      expect(shown(await find(clinic, ['own', 'com']))).toEqual(answer([], ['com', 'own']))
    })

    test('are counted once for a beginning that several of their keys have', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', ['a1', 'a2', 'a3', 'a4', 'a5'].map(key))
      await clinic.put('Patient/2', ['a1', 'a3', 'a6'].map(key))
      expect(shown(await find(clinic, ['a'], { most: 2 }))).toEqual(answer(['Patient/1', 'Patient/2']))
      expect(shown(await find(clinic, ['a'], { most: 1 }))).toEqual(answer([], ['a']))
    })

    test('are all there where many rare keys find more of them together than any beginning may', async () => {
      const clinic = newClinic()
      await clinic.fill(40, (n) => clinic.change(`Patient/${n}`, [key(`c${n};`)]))
      const beginnings = Array.from({ length: 40 }, (_none, n) => `c${n};`)
      const { resources, tooCommon } = await find(clinic, beginnings)
      expect([resources.length, tooCommon]).toEqual([40, []])
    })

    test('are some of what is too common where some will do, the first beginnings first', async () => {
      const clinic = newClinic()
      await clinic.fill(9, (n) => clinic.change(`Patient/${n}`, [key('common')]))
      await clinic.put('Patient/a', [key('a')])
      await clinic.put('Patient/b', [key('b'), key('common')])
      const found = await find(clinic, ['a', 'b', 'common'], { some: true })
      expect([found.resources.length, found.tooCommon, found.isCut]).toEqual([3, ['common'], true])
      expect(addresses(found.resources)).toEqual(expect.arrayContaining(['Patient/a', 'Patient/b']))
      const all = await find(clinic, ['common', 'a'], { some: true, most: 11 })
      expect([all.resources.length, all.tooCommon, all.isCut]).toEqual([11, [], false])
      const fewer = await find(clinic, ['common', 'a'], { some: true, most: 10 })
      expect([fewer.resources.length, fewer.tooCommon, fewer.isCut]).toEqual([10, [], true])
      expect(addresses(fewer.resources)).not.toContain('Patient/a')
      expect(shown(await find(clinic, ['b', 'a'], { some: true }))).toEqual(answer(['Patient/a', 'Patient/b']))
    })

    test('are those whose current version has the key, and which are not deleted', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('old'), key('both')])
      await clinic.put('Patient/1', [key('both'), key('new')])
      await clinic.put('Patient/2', [key('old'), key('new')])
      await clinic.delete('Patient/2')
      expect(shown(await find(clinic, ['old']))).toEqual(answer([]))
      expect(shown(await find(clinic, ['old', 'new']))).toEqual(answer(['Patient/1']))
      expect(shown(await find(clinic, ['both']))).toEqual(answer(['Patient/1']))
      await clinic.put('Patient/2', [key('new')])
      expect(shown(await find(clinic, ['new'], { most: 1 }))).toEqual(answer([], ['new']))
      await clinic.put('Patient/1', [])
      expect(shown(await find(clinic, ['new', 'both']))).toEqual(answer(['Patient/2']))
    })

    test('are of the type and have the key in the parameter, letter by letter', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [key('a'), token('identifier', 'b'), string(PARAM, 'b'), uri('url', 'b')])
      await clinic.put('Person/1', [key('a'), key('b')])
      await clinic.put('Patient/2', [token(PARAM, 'b'), keyEntry('other', 'b')])
      expect(shown(await find(clinic, ['a', 'b']))).toEqual(answer(['Patient/1']))
      expect(shown(await find(clinic, ['a', 'b'], { type: 'Person' }))).toEqual(answer(['Person/1']))
      expect(shown(await find(clinic, ['a'], { type: 'Group' }))).toEqual(answer([]))
      expect(shown(await find(clinic, ['a'], { param: 'unknown' }))).toEqual(answer([]))
      expect(shown(await find(clinic, ['b'], { param: 'other' }))).toEqual(answer(['Patient/2']))
      expect(shown(await find(clinic, ['A', 'ä', 'a ']))).toEqual(answer([]))
    })

    test('of one clinic are not those of another, nor do they make a key common there', async () => {
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
