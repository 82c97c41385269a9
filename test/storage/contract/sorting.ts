/** Sort: lowest value ascending, highest descending, resources without a value last. */
import { describe, expect, test } from '@jest/globals'
import { type IndexEntry, type SortKey, textOrderParam } from '../../../src/search/plan.ts'
import { date, ids, number, quantity, reference, string, token, uri } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const RESOURCES: Readonly<Record<string, readonly IndexEntry[]>> = {
  none: [],
  b: [
    string('s', 'Bea'),
    token('t', 'b'),
    uri('u', 'urn:b'),
    date('d', 20, 29),
    number('n', 2),
    quantity('q', 2, 2, 'mg'),
  ],
  ac: [
    ...[string('s', 'Zoe'), string('s', 'anna')],
    ...[token('t', 'c'), token('t', 'a', 'urn:z')],
    ...[uri('u', 'urn:c'), uri('u', 'urn:a')],
    ...[date('d', 30, 99), date('d', 10, 11)],
    ...[number('n', 10), number('n', -1)],
    ...[quantity('q', 10, 10, 'g'), quantity('q', -1, -1, 'mg')],
    ...[reference('r', 'Patient/c'), reference('r', 'Patient/a')],
  ],
  deleted: [string('s', 'A'), token('t', 'A'), number('n', 0)],
  bb: [
    ...[string('s', 'bea trix'), token('t', 'bb'), uri('u', 'urn:bb'), date('d', 21, 28), number('n', 2.5)],
    ...[quantity('q', 2.5, 2.5, 'mg'), reference('r', 'Patient/bb')],
  ],
}

const byParam = (
  by: 'string' | 'token' | 'uri' | 'date' | 'number' | 'quantity' | 'reference',
  descending: boolean,
): SortKey => ({
  by,
  param: by.slice(0, 1),
  descending,
})

const toTypes = (descending: boolean): SortKey => ({
  by: 'reference',
  param: 'r',
  descending,
  targets: ['Patient', 'Practitioner', ''],
})

const ROWS: readonly (readonly [string, SortKey, readonly string[]])[] = [
  ['string', byParam('string', false), ['ac', 'b', 'bb', 'none']],
  ['string, descending', byParam('string', true), ['ac', 'bb', 'b', 'none']],
  ['token', byParam('token', false), ['ac', 'b', 'bb', 'none']],
  ['token, descending', byParam('token', true), ['ac', 'bb', 'b', 'none']],
  ['uri', byParam('uri', false), ['ac', 'b', 'bb', 'none']],
  ['date, by its beginning', byParam('date', false), ['ac', 'b', 'bb', 'none']],
  ['date, descending, by its end', byParam('date', true), ['ac', 'b', 'bb', 'none']],
  ['number, not as text', byParam('number', false), ['ac', 'b', 'bb', 'none']],
  ['number, descending', byParam('number', true), ['ac', 'bb', 'b', 'none']],
  ['quantity', byParam('quantity', true), ['ac', 'bb', 'b', 'none']],
  ['reference, by the id', byParam('reference', false), ['ac', 'bb', '*', '*']],
  ['reference, descending', byParam('reference', true), ['ac', 'bb', '*', '*']],
  ['reference to known types', toTypes(false), ['ac', 'bb', '*', '*']],
  ['reference to known types, descending', toTypes(true), ['ac', 'bb', '*', '*']],
  ['a parameter that nothing has', { by: 'token', param: 'x', descending: false }, ['*', '*', '*', '*']],
  ['id', { by: 'id', descending: false }, ['ac', 'b', 'bb', 'none']],
  ['id, descending', { by: 'id', descending: true }, ['none', 'bb', 'b', 'ac']],
  ['lastUpdated', { by: 'lastUpdated', descending: false }, ['none', 'ac', 'bb', 'b']],
  ['lastUpdated, descending', { by: 'lastUpdated', descending: true }, ['b', 'bb', 'ac', 'none']],
]

export function describeSorting(newClinic: NewClinic): void {
  describe('a search sorts by', () => {
    test.each(ROWS)('%s, on one page and on pages of one', async (_, key, expected) => {
      const clinic = newClinic()
      for (const [id, entries] of Object.entries(RESOURCES)) await clinic.put(`Basic/${id}`, entries)
      await clinic.delete('Basic/deleted')
      await clinic.put('Basic/b', RESOURCES['b'] ?? [])
      const found = ids((await clinic.search('Basic', { sort: [key] })).matches)
      expect(found.map((id, index) => (expected[index] === '*' ? '*' : id))).toEqual(expected)
      expect((await clinic.pages('Basic', { sort: [key], count: 1 })).flat()).toEqual(found)
    })

    test.each([false, true])(
      'a code: an empty one is none, and what has a text alone comes after all codes (descending: %s), on pages of any length',
      async (descending) => {
        const clinic = newClinic()
        const alone = (text: string): readonly IndexEntry[] => [
          token('t', ''),
          token(textOrderParam('t', false), `\u{10FFFF}${text}`),
          token(textOrderParam('t', true), `\u0001${text}`),
        ]
        const rows: Readonly<Record<string, readonly IndexEntry[]>> = {
          textOfB: alone('b'),
          b: [token('t', 'b')],
          nothing: [],
          a: [token('t', 'a'), token('t', '')],
          textOfA: alone('a'),
          empty: [token('t', '')],
          textAndC: [token('t', 'c'), ...alone('a')],
        }
        for (const [id, entries] of Object.entries(rows)) await clinic.put(`Basic/${id}`, [...entries, number('n', 1)])
        const coded = ['a', 'b', 'textAndC']
        const [codes, texts] = descending
          ? [coded.toReversed(), ['textOfB', 'textOfA']]
          : [coded, ['textOfA', 'textOfB']]
        // In which order those without a value come is up to the engine.
        const known = (found: readonly string[]) => [...found.slice(0, -2), ...found.slice(-2).toSorted()]
        const expected = [...codes, ...texts, 'empty', 'nothing']
        const sort = [byParam('token', descending)]
        for (const count of [1, 2, 100]) {
          expect(known((await clinic.pages('Basic', { sort, count })).flat())).toEqual(expected)
          const byTwo = { sort: [byParam('number', false), ...sort], count }
          expect(known((await clinic.pages('Basic', byTwo)).flat())).toEqual(expected)
        }
      },
    )

    test.each([false, true])('a text: an empty one is none, and comes last (descending: %s)', async (descending) => {
      const clinic = newClinic()
      await clinic.put('Basic/empty', [string('s', '--')])
      await clinic.put('Basic/b', [string('s', 'b')])
      await clinic.put('Basic/a', [string('s', 'a'), string('s', '')])
      const sort = [byParam('string', descending)]
      for (const count of [1, 100]) {
        const found = (await clinic.pages('Basic', { sort, count })).flat()
        expect(found).toEqual(descending ? ['b', 'a', 'empty'] : ['a', 'b', 'empty'])
      }
    })

    test('several keys: the second decides where the first is equal or missing', async () => {
      const clinic = newClinic()
      const rows: readonly (readonly [string, string | undefined, number | undefined])[] = [
        ['1', 'b', 1],
        ['2', 'a', undefined],
        ['3', undefined, 1],
        ['4', 'a', 1],
        ['5', undefined, 2],
        ['6', 'a', 2],
      ]
      for (const [id, family, size] of rows) {
        await clinic.put(`Basic/${id}`, [
          ...(family === undefined ? [] : [string('s', family)]),
          ...(size === undefined ? [] : [number('n', size)]),
        ])
      }
      const sort = [byParam('string', false), byParam('number', true)]
      expect(ids((await clinic.search('Basic', { sort })).matches)).toEqual(['6', '4', '2', '1', '5', '3'])
      expect(await clinic.pages('Basic', { sort, count: 2 })).toEqual([
        ['6', '4'],
        ['2', '1'],
        ['5', '3'],
      ])
    })

    test.each([
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ])('several keys whose values many share (descending: %s, %s), on pages of any length', async (first, second) => {
      const clinic = newClinic()
      const names = [...'abba'].flatMap((code, at) =>
        ['3', '1', '2', '1'].map((day, place) => `${code}${day}-${at}${place}`),
      )
      for (const id of names) {
        const day = Number(id.charAt(1))
        await clinic.put(`Basic/${id}`, [token('t', id.charAt(0)), date('d', day, day), string('s', id)])
      }
      const sort = [byParam('token', first), byParam('date', second), byParam('string', true)]
      const codes = first ? 'ba' : 'ab'
      const days = second ? '321' : '123'
      const place = (id: string): number => codes.indexOf(id.charAt(0)) * 10 + days.indexOf(id.charAt(1))
      const expected = names
        .toSorted()
        .reverse()
        .toSorted((one, other) => place(one) - place(other))
      for (const count of [1, 3, 100]) {
        expect((await clinic.pages('Basic', { sort, count })).flat()).toEqual(expected)
        const byTwo = (await clinic.pages('Basic', { sort: sort.slice(0, 2), count })).flat()
        expect(byTwo.map((id) => id.slice(0, 2))).toEqual(expected.map((id) => id.slice(0, 2)))
        expect(byTwo.toSorted()).toEqual(names.toSorted())
      }
    })

    test('a reference to one of several types, by the id, before another key', async () => {
      const clinic = newClinic()
      const rows: readonly (readonly [string, readonly string[], number])[] = [
        ['1', ['Practitioner/b'], 2],
        ['2', ['Patient/a', 'Practitioner/z'], 1],
        ['3', ['Patient/c'], 1],
        ['4', [], 2],
        ['5', ['Patient/b'], 1],
        ['6', ['Patient/b', 'Practitioner/b'], 3],
        ['7', [], 1],
      ]
      for (const [id, targets, size] of rows) {
        await clinic.put(`Basic/${id}`, [...targets.map((target) => reference('r', target)), number('n', size)])
      }
      const sort = [toTypes(false), byParam('number', true)]
      for (const count of [1, 2, 100]) {
        expect((await clinic.pages('Basic', { sort, count })).flat()).toEqual(['2', '6', '1', '5', '3', '4', '7'])
      }
      const down = [toTypes(true), byParam('number', false)]
      for (const count of [1, 2, 100]) {
        expect((await clinic.pages('Basic', { sort: down, count })).flat()).toEqual(['2', '3', '5', '1', '6', '7', '4'])
      }
    })

    test('a key of several types', async () => {
      const clinic = newClinic()
      const names = {
        'Patient/1': 'b',
        'Practitioner/2': 'a',
        'Patient/3': '\u{1F600}',
        'Practitioner/4': '\uFF5E',
        'Patient/5': 'c',
      }
      for (const [address, name] of Object.entries(names)) await clinic.put(address, [string('s', name)])
      const sort = [byParam('string', false)]
      const found: string[] = []
      let page = await clinic.search(['Patient', 'Practitioner'], { sort, count: 2 })
      found.push(...ids(page.matches))
      while (page.next !== undefined) {
        page = await clinic.search(['Patient', 'Practitioner'], { sort, count: 2, after: page.next })
        found.push(...ids(page.matches))
      }
      expect(found.filter((id) => ['1', '2', '5'].includes(id))).toEqual(['2', '1', '5'])
      expect(found.toSorted()).toEqual(['1', '2', '3', '4', '5'])
    })
  })
}
