/** Callers who are patients of the scenario messy-production: the tools find and verify them where their records allow it. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Caller } from '../../calls/caller.ts'
import { verifiedIn } from '../../calls/verified.ts'
import type { TestServer } from '../../support/server.ts'
import { startRehearsed } from '../rehearsed.ts'

let server: TestServer
beforeAll(async () => {
  const clinic = await startRehearsed()
  server = clinic.server
  expect((await clinic.ask('POST', '/reset', { scenario: 'messy-production' })).status).toBe(200)
})
afterAll(() => server.close())

const verifiedAs = async (statedName: string, statedDateOfBirth: string): Promise<string | undefined> => {
  const caller = new Caller(server)
  await caller.use('verify_patient', { statedName, statedDateOfBirth })
  return await verifiedIn(server, caller.id)
}

describe('a caller is verified by a record', () => {
  test.each([
    ['in capitals, with a double name', 'Marguerite Delacroix Whittle', '1958-11-02', 'messy-capitals'],
    ['with letters of combining marks', 'Zoe Nambi', 'December thirty first nineteen eighty eight', 'messy-unicode'],
    ['with a prefix in an extension', 'Joris van der Velde', '2001-10-10', 'messy-extended'],
    ['that has taken over a merged one', 'Grace Oyelowo', '1949-01-01', 'messy-survivor'],
    ['that has a near twin, by the very same given name', 'Robert Abernethy', '1969-09-09', 'messy-twin-1'],
    ['of which several versions are kept, by the last one', 'Tom Brightwater', '1985-05-15', 'messy-moved'],
  ])('%s', async (_what, name, birthDate, id) => {
    expect(await verifiedAs(name, birthDate)).toBe(id)
  })
})

describe('a caller is not verified by a record', () => {
  test.each([
    ['with a birth date of a year', 'Piet Vandermeulen', '1931-01-01'],
    ['with a birth date of a month', 'María Castellanos Quiroga', '1974-03-01'],
    ['without a birth date', 'Ned Numeric', '1970-01-01'],
    ['whose family name is masked', 'Ines Masked', '1970-01-01'],
    ['that was deleted', 'Dora Departed', '1966-06-06'],
    ['by a birth date that was corrected since', 'Tom Brightwater', '1985-05-05'],
    ['that has one name, as a full name has two', 'Suryaningsih', '1990-05-17'],
  ])('%s', async (_what, name, birthDate) => {
    expect(await verifiedAs(name, birthDate)).toBeUndefined()
  })
})

describe('a caller is found', () => {
  const found = async (args: object) => (await new Caller(server).use('resolve_patient_identity', args)).patientType

  test.each([
    ['by the name of a record in capitals', { statedName: 'marguerite delacroix-whittle' }, 'EXISTING'],
    ['by one name', { statedName: 'Suryaningsih' }, 'EXISTING'],
    ['by a name that is one text', { statedName: 'Baby Boy of Whittle, Marguerite' }, 'EXISTING'],
    ['by a phone that two records have', { statedPhone: '518-555-0145' }, 'EXISTING'],
    [
      'by a phone that is written without a country',
      { statedName: 'Nobody Known', statedPhone: '5185550144' },
      'EXISTING',
    ],
  ])('%s', async (_what, args, patientType) => {
    expect(await found(args)).toBe(patientType)
  })

  test.each([
    ['by the name of a deleted record', { statedName: 'Dora Departed' }],
    ['by a phone that is out of use', { statedPhone: '518-555-0143' }],
  ])('not %s', async (_what, args) => {
    expect(await found(args)).toBe('NEW')
  })
})
