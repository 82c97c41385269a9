/** The circuit breaker before a clinic's verification system. */
import { beforeEach, expect, test } from '@jest/globals'
import { CircuitBreaker, FAILURES, PAUSE } from '../../../src/integrations/insurance.ts'

let now: number
let breaker: CircuitBreaker<string>

beforeEach(() => {
  now = 1_000_000
  breaker = new CircuitBreaker(() => now)
})

function fail(times: number, system = 'a', apart = 0) {
  for (let n = 1; n <= times; n++) {
    breaker.failed(system, `failure ${n}`)
    now += apart
  }
}

test('a system is asked until it has failed several times in a row', () => {
  fail(FAILURES - 1)
  expect(breaker.refusal('a')).toBeUndefined()
  fail(1)
  expect(breaker.refusal('a')).toEqual({ last: 'failure 1', forMs: PAUSE })
})

test('an answer in between begins the row anew', () => {
  fail(FAILURES - 1)
  breaker.succeeded('a')
  fail(FAILURES - 1)
  expect(breaker.refusal('a')).toBeUndefined()
})

test('failures that are far apart are no row', () => {
  fail(3 * FAILURES, 'a', 20_000)
  expect(breaker.refusal('a')).toBeUndefined()
})

test('other systems are asked meanwhile', () => {
  fail(FAILURES)
  expect(breaker.refusal('b')).toBeUndefined()
})

test('after a pause one request tries it, and the others go on not asking until that has ended', () => {
  fail(FAILURES)
  now += PAUSE - 1
  expect(breaker.refusal('a')).toEqual({ last: `failure ${FAILURES}`, forMs: 1 })
  now += 1
  expect([breaker.refusal('a'), breaker.refusal('a')]).toEqual([
    undefined,
    { last: `failure ${FAILURES}`, forMs: PAUSE },
  ])
})

test('a try that succeeds lets all of them ask again', () => {
  fail(FAILURES)
  now += PAUSE
  breaker.refusal('a')
  breaker.succeeded('a')
  expect([breaker.refusal('a'), breaker.refusal('a')]).toEqual([undefined, undefined])
})

test('a try that fails is another pause, with what it gave', () => {
  fail(FAILURES)
  now += PAUSE
  breaker.refusal('a')
  now += 100
  breaker.failed('a', 'the try')
  expect(breaker.refusal('a')).toEqual({ last: 'the try', forMs: PAUSE })
})

test('a try that never ends does not end all tries', () => {
  fail(FAILURES)
  now += PAUSE
  expect(breaker.refusal('a')).toBeUndefined()
  now += PAUSE
  expect(breaker.refusal('a')).toBeUndefined()
})
