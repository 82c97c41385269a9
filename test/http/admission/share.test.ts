/** The share of one clinic or token: src/http/admission/fair-shares.ts. */
import { describe, expect, test } from '@jest/globals'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { Share } from '../../../src/http/admission/fair-shares.ts'

const share = (inFlight: number, rate: number): Share =>
  new Share({ whose: 'this clinic', name: 'clinic', inFlight, rate })

/** How many requests may begin at `now`. */
function begun(of: Share, now: number, most = 1000): number {
  for (let count = 0; count < most; count++) {
    if (refusal(of, now) !== undefined) return count
    of.begin()
  }
  return most
}

function refusal(of: Share, now: number): FhirError | undefined {
  try {
    of.check(now)
    return undefined
  } catch (error) {
    if (error instanceof FhirError) return error
    throw error
  }
}

describe('a share', () => {
  test('has a number of requests in flight; each that ends makes place for another one', () => {
    const clinic = share(3, 0)
    expect(begun(clinic, 0)).toBe(3)
    expect(refusal(clinic, 0)).toMatchObject({
      status: 429,
      code: 'throttled',
      headers: {
        'retry-after': '1',
        'ratelimit-policy': '"clinic";q=3;qu="concurrent-requests"',
        ratelimit: '"clinic";r=0;t=1',
      },
    })
    clinic.end()
    expect(begun(clinic, 0)).toBe(1)
  })

  test('has a number of requests a second, and those of ten seconds at once', () => {
    const clinic = share(1000, 2)
    expect(begun(clinic, 5_000)).toBe(20)
    expect(begun(clinic, 6_000)).toBe(2)
    expect(begun(clinic, 6_400)).toBe(0)
    expect(begun(clinic, 6_500)).toBe(1)
    expect(begun(clinic, 600_000)).toBe(20)
  })

  test('that is used up says when the next request may come', () => {
    const clinic = share(1000, 1)
    expect(begun(clinic, 0)).toBe(10)
    expect(refusal(clinic, 500)?.headers).toEqual({
      'retry-after': '1',
      'ratelimit-policy': '"clinic";q=10;w=10',
      ratelimit: '"clinic";r=0;t=1',
    })
  })

  test('has no rate where that is 0, and takes a clock that goes back', () => {
    expect(begun(share(1000, 0), 0)).toBe(1000)
    const clinic = share(1000, 1)
    expect(begun(clinic, 5_000)).toBe(10)
    expect(begun(clinic, 4_000)).toBe(0)
    expect(begun(clinic, 5_000)).toBe(1)
  })

  test('can be forgotten when nothing of it is used', () => {
    const clinic = share(1, 1)
    expect(begun(clinic, 1_000_000)).toBe(1)
    expect(clinic.isIdle(1_020_000)).toBe(false)
    clinic.end()
    expect(clinic.isIdle(1_000_001)).toBe(false)
    expect(clinic.isIdle(1_020_000)).toBe(true)
  })
})
