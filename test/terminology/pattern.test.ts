/** Patterns of regex filters: their matches, refused ones, and that none takes long. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { patternOf } from '../../src/terminology/pattern.ts'

describe('a pattern is compared with the whole text', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['abc', ['abc'], ['ab', 'abcd', 'xabc', '']],
    ['a|bc|', ['a', 'bc', ''], ['ab', 'c']],
    ['[A-Z]{2}', ['AT', 'US'], ['A', 'USA', 'at']],
    ['[^0-9]+', ['abc'], ['a1', '']],
    ['\\d{2,}', ['12', '12345'], ['1', 'ab']],
    ['(ab)?c*', ['', 'ab', 'ccc', 'abcc'], ['a', 'b']],
    ['a.c', ['abc', 'a c', 'a€c'], ['ac', 'a\nc']],
    ['^LP\\d+-\\d$', ['LP43571-6'], ['LP-6', 'xLP1-1']],
    ['(?:a|b){3}', ['aba'], ['ab', 'abab']],
    ['[]a-]+', [']-a'], ['b']],
    ['a+?', ['a', 'aa'], ['']],
    ['😀{2}', ['😀😀'], ['😀']],
    ['\\w+\\s\\W', ['ab !'], ['ab!']],
    ['()*', [''], ['a']],
  ])('%s', (pattern, matching, others) => {
    const matches = patternOf(pattern)
    expect(matching.filter((text) => !matches(text))).toEqual([])
    expect(others.filter(matches)).toEqual([])
  })

  test('as JavaScript does, for random patterns of what both know', () => {
    const atom = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '(a|b)', '(?:ab)', '(a*b)', '\\d', '(|a)')
    const quantifier = fc.constantFrom('', '*', '+', '?', '{2}', '{0,2}', '{1,}')
    const sequence = fc.array(
      fc.tuple(atom, quantifier).map((pair) => pair.join('')),
      { maxLength: 4 },
    )
    const pattern = fc.array(
      sequence.map((parts) => parts.join('')),
      { minLength: 1, maxLength: 2 },
    )
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 8 })
    fc.assert(
      fc.property(
        pattern.map((parts) => parts.join('|')),
        text,
        (source, value) => {
          expect([source, value, patternOf(source)(value)]).toEqual([
            source,
            value,
            new RegExp(`^(?:${source})$`).test(value),
          ])
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('what is not understood is refused', () => {
  test.each<[string, RegExp]>([
    ['(', /without its \)/],
    ['a)', /\) too many/],
    ['[a', /without its \]/],
    ['*a', /nothing to repeat/],
    ['a**', /repeats a repetition/],
    ['a{3,2}', /at least 3 and at most 2/],
    ['a{x}', /no repetition/],
    ['(?=a)', /only \(\?: is known/],
    ['\\1', /not known/],
    ['\\p{L}', /not known/],
    ['a\\', /ends in a/],
    ['[z-a]', /no characters/],
    ['a'.repeat(501), /the maximum is 500/],
    [`${'('.repeat(21)}a${')'.repeat(21)}`, /groups within groups/],
    ['((a{100}){100}){100}', /too large/],
    ['((a?){1000}){1000}', /too large/],
  ])('%s', (pattern, problem) => {
    expect(() => patternOf(pattern)).toThrow(problem)
    expect(() => patternOf(pattern)).toThrow(SyntaxError)
  })
})

describe('no pattern takes long', () => {
  // Each of these keeps a backtracking search busy beyond any test's patience.
  test.each(['(a+)+b', '(a|a)*b', '(a|aa)+b', '(.*)*b', `${'a?'.repeat(30)}${'a'.repeat(30)}b`])('%s', (pattern) => {
    expect(patternOf(pattern)('a'.repeat(1500))).toBe(false)
  })

  test('one that is empty at heart is not repeated for nothing', () => {
    expect(patternOf('(((){9999}){9999}){9999}')('')).toBe(true)
  })

  test('the work of one pattern on all values has an end: 422 too-costly', () => {
    const matches = patternOf('a{1000}')
    const all = () => Array.from({ length: 100 }, () => matches('a'.repeat(1900)))
    expect(all).toThrow(expect.objectContaining({ status: 422, code: 'too-costly' }))
  })
})
