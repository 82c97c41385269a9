/** The insurance simulator: docs/simulators.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { INSURANCE_STATUSES } from '../../../src/core/ports.ts'
import { insuranceSimulator, simulated } from '../../../src/integrations/simulators/insurance.ts'

const verify = (memberId: string) => insuranceSimulator.verify({ clinic: 'a', payerName: 'Acme', memberId })

const ROWS = [
  ['XYZ-1235', 'VERIFIED'],
  ['PEND-1', 'PENDING'],
  ['INACT-1', 'INACTIVE'],
  ['NOCOV-1', 'NOT_COVERED'],
  ['NOTFOUND-1', 'MEMBER_NOT_FOUND'],
  ['INVALID-1', 'INVALID_MEMBER_INFO'],
  ['abc', 'INVALID_MEMBER_INFO'],
  ['what is this?', 'INVALID_MEMBER_INFO'],
  ['NOPAYER-1', 'PAYER_NOT_SUPPORTED'],
  ['DOWN-1', 'PAYER_UNAVAILABLE'],
  ['FAIL-1', 'ERROR'],
] as const

describe('the member id decides', () => {
  test.each(ROWS)('%s is %s, whatever its case and spaces', async (memberId, status) => {
    expect((await verify(memberId)).status).toBe(status)
    expect((await verify(` ${memberId.toLowerCase()} `)).status).toBe(status)
  })

  test('as the table of docs/simulators.md says', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/simulators.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([A-Z]+)`.*?\| `([A-Z_]+)` +\|/gm)].map(([, start, status]) => [start, status])
    const statuses = rows.map(async ([start]) => [start, (await verify(`${start}-1`)).status])
    expect(await Promise.all(statuses)).toEqual(rows)
    expect(new Set([...rows.map(([, status]) => status), 'VERIFIED'])).toEqual(new Set(INSURANCE_STATUSES))
  })

  test('every status can be had', () => {
    expect(new Set(ROWS.map(([, status]) => status))).toEqual(new Set(INSURANCE_STATUSES))
  })

  test.each(ROWS)('errorMessage is present for every status but VERIFIED and PENDING: %s', async (memberId, status) => {
    expect('errorMessage' in (await verify(memberId))).toBe(status !== 'VERIFIED' && status !== 'PENDING')
  })

  test('an id of the right form is not told that it has the wrong one', async () => {
    expect(await verify('INVALID1')).toEqual({
      status: 'INVALID_MEMBER_INFO',
      errorMessage: 'The payer does not accept this member id',
    })
    expect(await verify('A-1')).toMatchObject({ errorMessage: expect.stringContaining('4 to 30 letters') })
  })

  test.each([
    ['XYZ-1235', 3500],
    ['XYZ-1200', 0],
    ['XYZ-A', 2500],
  ])('copayCents of %s are %i', async (memberId, copayCents) => {
    expect(await verify(memberId)).toEqual({ status: 'VERIFIED', copayCents })
  })
})

describe('a member id that begins with SLOW', () => {
  test.each([
    ['SLOW-1235', { status: 'VERIFIED', copayCents: 3500 }],
    ['slowinact 1', { status: 'INACTIVE', errorMessage: 'The policy is no longer active' }],
  ])('%s takes longer than a caller waits, and what comes after it decides', (memberId, result) => {
    expect(simulated(memberId)).toEqual({ result, afterMs: 6_000 })
    expect(simulated(memberId.slice(5).padStart(5, 'X')).afterMs).toBe(0)
  })
})
