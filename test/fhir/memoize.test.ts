/** Cached results. */
import { expect, test } from '@jest/globals'
import { memoize, oncePer } from '../../src/fhir/memoize.ts'

test('what was asked before is not worked out again, an answer of nothing neither, until there are too many', () => {
  const asked: string[] = []
  const answer = memoize(2, (key) => {
    asked.push(key)
    return key === 'b' ? undefined : key.toUpperCase()
  })
  expect(['a', 'b', 'a', 'b'].map(answer)).toEqual(['A', undefined, 'A', undefined])
  expect(asked).toEqual(['a', 'b'])
  expect(['c', 'c', 'a'].map(answer)).toEqual(['C', 'C', 'A'])
  expect(asked).toEqual(['a', 'b', 'c', 'a'])
})

test('what could not be answered is asked again', () => {
  let times = 0
  const answer = memoize(2, () => {
    times += 1
    throw new Error('no')
  })
  for (const _ of [1, 2]) expect(() => answer('a')).toThrow('no')
  expect(times).toBe(2)
})

test('what is derived from an object is worked out once for each, an answer of nothing too', () => {
  const asked: object[] = []
  const answer = oncePer((key: object) => {
    asked.push(key)
    return Object.keys(key)[0]
  })
  const [one, other] = [{ a: 1 }, {}]
  expect([one, other, one, other].map(answer)).toEqual(['a', undefined, 'a', undefined])
  expect(asked).toEqual([one, other])
})
