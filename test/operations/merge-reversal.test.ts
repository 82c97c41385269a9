/** Taking a change back where it still stands (src/operations/merge/take-back.ts). */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { withoutChange } from '../../src/operations/merge/take-back.ts'

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', 'b', 'c'),
    fc.array(tie('value'), { maxLength: 3, minLength: 1 }),
    fc.dictionary(fc.constantFrom('x', 'y', 'z'), tie('value'), { maxKeys: 3 }),
  ),
})).value

describe('a change that is taken back', () => {
  test('gives what was before, where nothing else has changed', () => {
    fc.assert(fc.property(json, json, (before, after) => expect(withoutChange(before, after, after)).toEqual(before)))
  })

  test('changes nothing where nothing had been changed', () => {
    fc.assert(
      fc.property(json, json, (before, current) => expect(withoutChange(before, before, current)).toBe(current)),
    )
  })

  test('changes nothing when it is taken back twice', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 's'), { minLength: 1 }), (items) => {
        const before = { list: items.map((reference) => ({ reference })) }
        const after = { list: items.map((reference) => ({ reference: reference === 's' ? 't' : reference })) }
        const once = withoutChange(before, after, after)
        expect(withoutChange(before, after, once)).toEqual(before)
      }),
    )
  })

  const S = { reference: 's' }
  const T = { reference: 't' }
  test.each<[string, unknown, unknown, unknown, unknown]>([
    ['keeps a member that was added since', { a: S }, { a: T }, { a: T, b: 1 }, { a: S, b: 1 }],
    ['keeps a member that was changed since', { a: S, b: 1 }, { a: T, b: 1 }, { a: T, b: 2 }, { a: S, b: 2 }],
    [
      'leaves what was changed at the same place since',
      { a: S },
      { a: T },
      { a: { reference: 'u' } },
      { a: { reference: 'u' } },
    ],
    ['leaves what was removed since', { a: S, b: 1 }, { a: T, b: 1 }, { b: 1 }, { b: 1 }],
    ['gives back an item that was removed', [S, { x: 1 }], [S], [S], [S, { x: 1 }]],
    ['gives no item twice that was added again since', [S, { x: 1 }], [S], [S, { x: 1 }], [S, { x: 1 }]],
    ['finds an item that others stand before now', [S, T], [T, T], [{ x: 1 }, T, T], [{ x: 1 }, S, T]],
    ['finds an item that others stand behind now', [T, S], [T, T], [T, T, { x: 1 }], [T, S, { x: 1 }]],
    [
      'finds an item that has moved and was changed since',
      [{ a: S, n: 1 }, { a: { reference: 'o' } }],
      [{ a: T, n: 1 }, { a: { reference: 'o' } }],
      [{ a: { reference: 'o' } }, { a: T, n: 2 }],
      [{ a: { reference: 'o' } }, { a: S, n: 2 }],
    ],
    [
      'keeps the order that items have now',
      [S, { n: 1 }, { n: 2 }],
      [T, { n: 1 }, { n: 2 }],
      [{ n: 2 }, T, { n: 1 }],
      [{ n: 2 }, S, { n: 1 }],
    ],
    ['removes items that were added', { l: [1] }, { l: [1, 2] }, { l: [1, 2, 3] }, { l: [1, 3] }],
    ['adds items that were removed', { l: [1, 2] }, { l: [1] }, { l: [1, 3] }, { l: [1, 3, 2] }],
    ['leaves no empty list', {}, { l: [1] }, { l: [1], b: 1 }, { b: 1 }],
  ])('%s', (_what, before, after, current, expected) => {
    expect(withoutChange(before, after, current)).toEqual(expected)
  })
})
