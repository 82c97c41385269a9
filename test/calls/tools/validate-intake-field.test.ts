/** validate_intake_field: spec 2.3, 4.1 rule 7, 7 and 8. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DateTime } from 'luxon'
import { startServer, type TestServer } from '../../support/server.ts'
import { Caller } from '../caller.ts'

let server: TestServer
let caller: Caller
beforeAll(async () => {
  server = await startServer()
  caller = new Caller(server)
})
afterAll(() => server.close())

const validate = (fieldName: unknown, value: unknown) => caller.use('validate_intake_field', { fieldName, value })

/** In the demo clinic's time zone. */
const day = (offset: number): string =>
  DateTime.now().setZone('America/New_York').plus({ days: offset }).toISODate() ?? ''

describe('valid values come back in their normal form', () => {
  test.each([
    ['email', 'jane@example.com', 'jane@example.com'],
    ['email', 'Jane Dot Doe at example dot com', 'jane.doe@example.com'],
    ['phone', '5550123', '5550123'],
    ['phone', '(212) 555-0123', '+12125550123'],
    ['phone', '+44 20 7946 0958', '+442079460958'],
    ['phone', '123456789012345', '123456789012345'],
    ['phone', 2125550123, '+12125550123'],
  ])('%s %s', async (fieldName, value, normal) => {
    expect(await validate(fieldName, value)).toEqual({ valid: true, code: 'valid', value: normal, say: 'Thank you.' })
  })

  test.each([
    ['1980-03-03', '1980-03-03', 'March 3rd, 1980'],
    ['1980-03-03T00:00:00Z', '1980-03-03', 'March 3rd, 1980'],
    ['March third nineteen eighty', '1980-03-03', 'March 3rd, 1980'],
    ['03/04/1980', '1980-03-04', 'March 4th, 1980'],
    ['25/12/1980', '1980-12-25', 'December 25th, 1980'],
    ['1800-01-01', '1800-01-01', 'January 1st, 1800'],
    [19800303, '1980-03-03', 'March 3rd, 1980'],
    ['Fri, 02 Oct 1987', '1987-10-02', 'October 2nd, 1987'],
    ['١٩٨٠-٠٣-٠٣', '1980-03-03', 'March 3rd, 1980'],
  ])('the birth date %s comes back in words too, to be read to the caller', async (said, value, inWords) => {
    expect(await validate('dateOfBirth', said)).toEqual({
      valid: true,
      code: 'valid',
      value,
      inWords,
      say: `Thank you, that is ${inWords}.`,
    })
  })

  test('a birth date of yesterday is in the past (spec 8)', async () => {
    expect(await validate('dateOfBirth', day(-1))).toMatchObject({ valid: true })
  })
})

test('the settings of the clinic say in which order a date in figures is read', async () => {
  const path = '/clinics/demo-clinic/settings'
  const { body: before } = await server.fhir('GET', path)
  const read = async (settings: object) => {
    const { status } = await server.fhir('PUT', path, { ...before, ...settings })
    const result = status === 200 ? await validate('dateOfBirth', '03/04/1980') : {}
    return [status, result.value]
  }
  try {
    expect([
      await read({ dateOrder: 'day-first' }),
      await read({ defaultRegion: 'GB' }),
      await read({ defaultRegion: 'GB', dateOrder: 'month-first' }),
      await read({ dateOrder: 'year-first' }),
      await read({}),
    ]).toEqual([
      [200, '1980-04-03'],
      [200, '1980-04-03'],
      [200, '1980-03-04'],
      [422, undefined],
      [200, '1980-03-04'],
    ])
  } finally {
    await server.fhir('PUT', path, before)
  }
})

describe('a bad value: valid is false, with an error a person can read (spec 7)', () => {
  test.each([
    ['email', 'jane'],
    ['email', 'jane@'],
    ['email', '@example.com'],
    ['email', 'jane@example'],
    ['email', 'jane@@example.com'],
    ['phone', '555012'],
    ['phone', '1234567890123456'],
    ['phone', '555-CALL-NOW'],
    ['phone', 'none'],
    ['dateOfBirth', '1981-02-29'],
    ['dateOfBirth', '1980-13-01'],
    ['dateOfBirth', '2999-01-01'],
    ['dateOfBirth', 'yesterday'],
  ])('%s %s', async (fieldName, value) => {
    const result = await validate(fieldName, value)
    expect(result).toMatchObject({ valid: false, code: 'invalid', say: expect.stringContaining('Sorry') })
    expect(String(result.error).length).toBeGreaterThan(10)
    expect(result.value).toBeUndefined()
  })

  test.each([0, 1])('a birth date %d days from today is not in the past (spec 8)', async (offset) => {
    expect(await validate('dateOfBirth', day(offset))).toMatchObject({
      valid: false,
      error: expect.stringContaining('past'),
    })
  })
})

describe('phone accepts 7 to 15 digits after formatting is stripped (spec 8)', () => {
  test.each([
    [6, false],
    [7, true],
    [15, true],
    [16, false],
  ])('%d digits: %s', async (count, valid) => {
    const formatted = Array.from({ length: count }, (_, index) => String((index % 9) + 1)).join('-')
    expect((await validate('phone', formatted)).valid).toBe(valid)
  })
})

describe('any other fieldName always passes', () => {
  test.each(['firstName', 'address', 'Email', 'date_of_birth', 'anything'])('%s', async (fieldName) => {
    expect(await validate(fieldName, '!!')).toMatchObject({ valid: true, code: 'not-checked' })
  })

  test.each([[' '], [''], [null], [undefined], [7], [true], [{ line: 'x' }], [['x']]])(
    'with the value %j too',
    async (value) => {
      expect(await validate('nickname', value)).toEqual({ valid: true, code: 'not-checked', say: 'Thank you.' })
    },
  )
})

describe('missing and mistyped arguments are reported as valid false', () => {
  test.each([
    ['no value', { fieldName: 'email' }, 'missing-argument'],
    ['a blank value', { fieldName: 'email', value: '  ' }, 'missing-argument'],
    ['no fieldName', { value: 'x' }, 'missing-argument'],
    ['nothing', {}, 'missing-argument'],
    ['a fieldName that is not text', { fieldName: 7, value: 'x' }, 'invalid-argument'],
    ['a value that is not text', { fieldName: 'phone', value: ['5550123'] }, 'invalid-argument'],
  ])('%s', async (_what, args, code) => {
    const result = await caller.use('validate_intake_field', args)
    expect(result).toMatchObject({ valid: false, code, error: expect.any(String), say: expect.any(String) })
    expect(result.success).toBeUndefined()
  })
})

test('it is format only: nothing is written and the call gets no patient', async () => {
  const before = (await server.fhir('GET', '/Patient?_summary=count')).body.total
  const fresh = new Caller(server)
  await fresh.use('validate_intake_field', { fieldName: 'email', value: 'jane@example.com' })
  expect(await fresh.encounter()).toBeUndefined()
  expect((await server.fhir('GET', '/Patient?_summary=count')).body.total).toBe(before)
})

test('over FHIR it can be asked with GET, as it changes nothing', async () => {
  const { status, body } = await server.fhir('GET', '/Patient/$validate-intake-field?fieldName=email&value=jane')
  expect(status).toBe(200)
  expect(body.parameter).toContainEqual({ name: 'valid', valueBoolean: false })
})
