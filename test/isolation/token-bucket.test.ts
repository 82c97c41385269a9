/** The limit on how much may come in a second: src/isolation/token-bucket.ts. */
import { describe, expect, test } from '@jest/globals'
import { TokenBucket, TokenBuckets } from '../../src/isolation/token-bucket.ts'

/** How many tokens can be taken one by one at `now`. */
function taken(bucket: TokenBucket, now: number): number {
  let count = 0
  while (bucket.take(now)) count += 1
  return count
}

describe('a token bucket', () => {
  test('holds its burst, and is filled by its rate, up to the burst', () => {
    const bucket = new TokenBucket({ rate: 2, burst: 5 })
    expect(taken(bucket, 1_000_000)).toBe(5)
    expect(taken(bucket, 1_000_500)).toBe(1)
    expect(taken(bucket, 1_060_000)).toBe(5)
  })

  test('gives more than it has once, and then nothing until that has come in', () => {
    const bucket = new TokenBucket({ rate: 1, burst: 5 })
    expect(bucket.take(1_000_000, 8)).toBe(true)
    expect(bucket.take(1_003_000)).toBe(false)
    expect(bucket.take(1_004_000)).toBe(true)
  })

  test('that is filled in steps gets nothing before the step is over', () => {
    const bucket = new TokenBucket({ rate: 10, burst: 600, step: 60_000 })
    expect(taken(bucket, 1_000_000)).toBe(600)
    expect(taken(bucket, 1_059_999)).toBe(0)
    expect(taken(bucket, 1_060_000)).toBe(600)
  })

  test('takes a clock that is set back', () => {
    const bucket = new TokenBucket({ rate: 1, burst: 3 })
    expect(taken(bucket, 1_000_000)).toBe(3)
    expect(taken(bucket, 900_000)).toBe(0)
    expect(taken(bucket, 902_000)).toBe(2)
  })
})

test('each name has a bucket of its own, by its own rate', () => {
  const buckets = new TokenBuckets((name) => ({ rate: 1, burst: name === 'large' ? 3 : 1 }))
  const takenBy = (name: string) => [1, 2, 3, 4].filter(() => buckets.of(name).take(1_000_000)).length
  expect([takenBy('small'), takenBy('large'), takenBy('other'), takenBy('small')]).toEqual([1, 3, 1, 0])
})
