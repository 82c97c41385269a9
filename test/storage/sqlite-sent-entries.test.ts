/** Index entries on their way to the thread that writes them. */
import { expect, test } from '@jest/globals'
import type { IndexEntry } from '../../src/search/plan.ts'
import { packed, unpacked } from '../../src/storage/sqlite/sent-entries.ts'

const ENTRIES: readonly IndexEntry[] = [
  { kind: 'string', param: 'given', folded: 'rosa', exact: 'Rosa' },
  { kind: 'string', param: 'given', folded: 'mina', exact: 'Mina' },
  { kind: 'string', param: 'family', folded: '', exact: '' },
  { kind: 'words', param: '_content', words: 'rosa mina' },
  { kind: 'token', param: 'identifier', system: '', code: 'a' },
  { kind: 'token', param: 'identifier', system: 'urn:a', code: '' },
  { kind: 'key', param: '_match', key: 'gdev|' },
  { kind: 'reference', param: 'link', type: 'Patient', id: '1' },
  { kind: 'reference', param: 'link', type: 'Patient', id: '1', version: '2' },
  { kind: 'reference', param: 'link', type: 'Patient', id: '2' },
  { kind: 'uri', param: 'url', value: 'urn:a' },
  { kind: 'date', param: 'date', low: -1, high: 0 },
  { kind: 'number', param: 'date', low: 0.5, high: 1.5 },
  { kind: 'quantity', param: 'value', low: 1, high: 2, system: '', code: 'mg' },
  { kind: 'position', param: 'near', latitude: -1.5, longitude: 180 },
  {
    kind: 'composite',
    param: 'code-value',
    parts: [
      { kind: 'token', param: 'code', system: 'urn:a', code: 'b' },
      { kind: 'number', param: 'value', low: 1, high: 1 },
    ],
  },
  { kind: 'inner', param: 'inner', type: 'Patient', id: 'a', entries: [{ kind: 'uri', param: 'id', value: 'a' }] },
]

test('entries of every kind arrive as they were, in their order', () => {
  expect(unpacked(structuredClone(packed(ENTRIES)))).toStrictEqual(ENTRIES)
})

test('entries of one parameter that others stand between arrive as they were', () => {
  const mixed = ENTRIES.flatMap((entry) => [entry, { kind: 'uri', param: 'url', value: entry.param } as const])
  expect(unpacked(packed(mixed))).toStrictEqual(mixed)
})

test('no entries are an empty list', () => {
  expect(packed([])).toEqual([])
  expect(unpacked([])).toEqual([])
})
