/** JSON that is being written: its parts with their colours, and the place of an element in it. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { coloured, type Range, rangesOf } from '../../dashboard/parts/json-editor/json-tokens.ts'

describe('the parts of a text', () => {
  test('are the whole text, whatever it is', () => {
    const pieces = fc.constantFrom('"', '\\', '\n', '{', '}', '[', ']', ':', ',', ' ', 'a', '1', 'é', '\u05d0', '<b>')
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
        (text) => {
          expect(
            coloured(text, [])
              .map((part) => part.text)
              .join(''),
          ).toBe(text)
        },
      ),
    )
  })

  test('have the kinds of names, texts, numbers and words, also where the last one is not complete', () => {
    const kinds = coloured('{"a" : "b:", "c": [-1.50, true], "d', []).flatMap(({ text, kind }) =>
      kind ? [[text, kind]] : [],
    )
    expect(kinds).toEqual([
      ['"a" :', 'json-name'],
      ['"b:"', 'json-string'],
      ['"c":', 'json-name'],
      ['-1.50', 'json-number'],
      ['true', 'json-word'],
      ['"d', 'json-string'],
    ])
  })
})

describe('the place of an element', () => {
  const rangeOf = (text: string, expression: string): Range => rangesOf(text, [expression])[0] ?? { from: -1, to: -1 }
  const TEXT =
    '{"resourceType": "Observation", "status": "final", "name": [{"given": ["A", "B"]}, {"given": ["C"]}], "valueQuantity": {"value": 1.10}}'

  test.each([
    ['Observation.status', '"status": "final"'],
    ['Observation.name[1]', '{"given": ["C"]}'],
    ['Observation.name[0].given[1]', '"B"'],
    ['Observation.value', '"valueQuantity": {"value": 1.10}'],
    ['Observation.value.value', '"value": 1.10'],
    ['Observation.name[7].given', '"name": [{"given": ["A", "B"]}, {"given": ["C"]}]'],
    ['Observation.nothing', '{'],
    ['', '{'],
  ])('%s', (expression, part) => {
    const { from, to } = rangeOf(TEXT, expression)
    expect(TEXT.slice(from, to)).toBe(part)
  })

  test.each(['', '{', '{"a"', '{"a":', '[', '"', '}', '{"name": [{"given"'])(
    'is found in a text that is not complete: %s',
    (text) => {
      const { from, to } = rangeOf(text, 'Patient.name[0].given[0]')
      expect(from).toBeLessThanOrEqual(to)
      expect(to).toBeLessThanOrEqual(text.length)
    },
  )
})
