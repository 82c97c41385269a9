/** Values that a developer types in the first minutes, by calls of the tools: what is plausible is taken, or asked back with a sentence. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startVisits, type Visits } from '../calls/tools/visits.ts'

let visits: Visits
let calls = 0

/** It is Monday, March 3rd, 2025, at seven in the morning in New York. */
beforeAll(async () => {
  visits = await startVisits()
})
afterAll(() => visits.server.close())

const use = (path: string, args: object) => visits.server.tool(path, args, { 'x-call-id': `first-${++calls}` })
const register = (args: object) => use('/patient-journey/update_registration_field', args)
const submit = (args: object) =>
  use('/patient-journey/submit_insurance_info', { payerName: 'Aetna', memberId: 'W123456789', ...args })
const decide = (args: object) => use('/patient-journey/record_self_pay_decision', args)
const find = (when: string) => use('/emr-scheduling/find_available_slots', { when })

describe('a name', () => {
  test.each([
    ...['Test123', 'J. P.', 'A J', 'T.J.', 'JP', 'J', 'Test', 'User1', "D'Angelo", 'Anne-Marie', '李', 'April', 'Will'],
    ...['Princess', 'O', 'Mary Jane'],
  ])('is taken as first name: %s', async (firstName) => {
    expect(await register({ firstName })).toMatchObject({ success: true, values: { firstName } })
  })

  test.each([
    ...['Smith2', 'Doe-2024', 'Doe_2024', 'Self', 'Call', 'Last', 'Null', 'True', 'False', 'Born', 'First', 'Test'],
    ...['User01', 'Patient', 'Ng', 'St. John', 'van der Berg', 'Test User', "O'Brien", 'Young'],
  ])('is taken as last name: %s', async (lastName) => {
    expect(await register({ lastName })).toMatchObject({ success: true, values: { lastName } })
  })

  test('is taken with its spelling, where it is also a word', async () => {
    expect(await register({ lastName: 'Call, spelled C A L L' })).toMatchObject({ values: { lastName: 'Call' } })
  })
})

describe('an optional argument', () => {
  test.each(['self', 'Self', 'myself', 'the patient'])(
    'names the patient as subscriber: %s',
    async (subscriberName) => {
      expect(await submit({ subscriberName })).toMatchObject({ success: true, values: { subscriberName: 'self' } })
    },
  )

  test.each(['none', 'N/A', 'Not applicable', 'not provided', 'unknown', '-', 'null', 'undefined'])(
    'is none: %s',
    async (none) => {
      const { success, values } = await submit({ subscriberName: none, groupId: none })
      expect([success, values]).toEqual([true, { memberId: 'W123456789' }])
    },
  )
})

describe('a boolean', () => {
  test.each<[unknown, boolean]>([
    ...(['yes', 'Y', 'yeah', 'sure', 'ok', 'agreed', 'accepted', 'opt in', 'opted in', 1, '1', 'TRUE'] as const).map(
      (said) => [said, true] as [unknown, boolean],
    ),
    ...(['no', 'N', 'nope', 'declined', 'refused', 'opt out', 'opted out', 0, '0', 'False', 'no consent'] as const).map(
      (said) => [said, false] as [unknown, boolean],
    ),
    ['on', true],
    ['granted', true],
    ['revoked', false],
  ])('of consent is %j: %s', async (commsConsent, expected) => {
    expect(await register({ commsConsent })).toMatchObject({ success: true, values: { commsConsent: expected } })
  })
})

describe('a decision and a price', () => {
  test.each(['SELF_PAY_CONTINUE', 'self pay continue', 'Self-Pay Continue', 'selfPayContinue'])(
    'the decision is taken as %s',
    async (decision) => expect(await decide({ decision })).toMatchObject({ success: true, code: 'self-pay-continue' }),
  )

  test.each<[unknown, number]>([
    [12999, 12999],
    [99.5, 99.5],
    [0.25, 0.25],
    ['12999', 12999],
    ['$129.99', 12999],
    ['129.99 USD', 12999],
    ['99.5 cents', 99.5],
    ['١٢٩٩٩', 12999],
  ])('the price %j is recorded as given', async (selfPayPriceCents, expected) => {
    const decision = 'self_pay_continue'
    expect(await decide({ decision, selfPayPriceCents })).toMatchObject({ values: { selfPayPriceCents: expected } })
  })
})

describe('a text', () => {
  test.each([42, true, false, 1.5])('is taken where it is sent as %j', async (value) => {
    const fields = { preferredLocation: value, healthPlanName: value, referralSource: value, medicareStatus: value }
    const { success, missingFields } = await register(fields)
    expect([success, missingFields]).toEqual([true, ['firstName', 'lastName', 'phone', 'email', 'commsConsent']])
  })
})

describe('a birth date', () => {
  test.each([
    ...['Mon, 03 Mar 1980 00:00:00 GMT', 'Mon, 3 Mar 1980', '3 Mar 1980 00:00:00 +0000', '١٩٨٠-٠٣-٠٣', '1980/3/3'],
    ...['Mar 3, 1980', '3-Mar-1980', '19800303', '1980-03-03T00:00:00.000Z', 'March 3rd 1980', '3.3.1980'],
  ])('is read: %s', async (value) => {
    const result = await use('/patient-intake/validate_intake_field', { fieldName: 'dateOfBirth', value })
    expect(result).toMatchObject({ valid: true, value: '1980-03-03' })
  })
})

describe('whom to see', () => {
  test.each(['any', 'any doctor', 'no preference', 'first available', 'whoever is free', 'either', 'unknown', 'null'])(
    'may be left to the clinic: %s',
    async (practitionerName) => {
      const result = await use('/emr-scheduling/find_available_slots', { practitionerName })
      expect([result.success, result.code]).toEqual([true, undefined])
    },
  )

  test('is asked back where nobody is called so', async () => {
    const result = await use('/emr-scheduling/find_available_slots', { practitionerName: 'First' })
    expect(result).toMatchObject({ success: false, code: 'practitioner-unknown' })
  })
})

describe('a time', () => {
  test.each([
    ...['seventeen hundred tomorrow', 'a quarter of ten', 'tomorrow @ 2', 'five to nine', 'five to nine tomorrow'],
    ...['five of nine tomorrow', 'end of January', 'the end of next month', 'Christmas Eve', "New Year's Eve"],
    ...['3 pm Eastern', '2:30 PM EST tomorrow', '2025-03-04/2025-03-07', '2025-03-04T09:00/2025-03-04T12:00'],
    ...['2025-03-04T14:00Z/PT2H', '2025-03-04/P1D', 'Tue, 04 Mar 2025 15:00:00 GMT', 'tomorrow ٢ pm', 'tmrw at 2'],
    ...['tomorrow 14h', 'tomorrow 9a', 'tomorrow at 2.15pm', 'tomorrow 09:00:00', '0900 tomorrow', 'Fri am'],
    ...[
      'tomorrow pm',
      '20250304',
      '2025-03-04 9am',
      'March 4, 2025 9:00 AM',
      'Tue/Thu/Fri afternoon',
      'ASAP',
      'anytime',
    ],
    ...['next available', 'this week', 'weekdays after 3'],
  ])('is read: %s', async (when) => {
    expect(['when-unclear', 'when-not-understood']).not.toContain((await find(when)).code)
  })

  test('is asked back where it may also be two hours, as the clinic is open at both: five to seven', async () => {
    const say = expect.stringContaining('6:55 in the evening, or from 5 in the evening to 7 in the evening')
    expect(await find('five to seven tomorrow')).toMatchObject({ code: 'when-unclear', say })
  })

  test('that may be of this week or the next is asked back with both days', async () => {
    expect(await find('the following Tuesday')).toMatchObject({
      code: 'when-unclear',
      say: expect.stringMatching(/March 4th.* or .*March 11th/),
    })
  })

  test.each(['yesterday', '2025-03-01', 'last Tuesday', '2025-03-01/2025-03-02', '2025-03-01T09:00/PT1H'])(
    'that has passed is told with the date of today: %s',
    async (when) => expect((await find(when)).say).toContain('as today is Monday, March 3rd, 2025'),
  )
})

describe('an argument that the tool does not have', () => {
  test.each([
    ['first_name', 'firstName'],
    ['FirstName', 'firstName'],
    ['e-mail', 'email'],
    ['phoneNumber', 'phone'],
    ['insurance', undefined],
  ])('is named with the nearest one, and nothing is confirmed: %s', async (name, nearest) => {
    const result = await register({ [name]: 'Jane' })
    expect(result).toMatchObject({ success: false, code: 'unknown-arguments' })
    expect(result.ignored).toEqual([{ name, ...(nearest === undefined ? {} : { nearest }) }])
  })

  test.each([
    ['/emr-scheduling/verify_patient', 'dateOfBirth', 'statedDateOfBirth'],
    ['/emr-scheduling/verify_patient', 'name', 'statedName'],
    ['/emr-scheduling/book_appointment', 'slot', 'slotKey'],
    ['/patient-journey/submit_insurance_info', 'payer', 'payerName'],
  ])('of %s is named with the one that holds its name: %s', async (path, name, nearest) => {
    expect(await use(path, { [name]: 'x' })).toMatchObject({ success: false, ignored: [{ name, nearest }] })
  })

  test('beside one that it has is named too', async () => {
    const result = await register({ first_name: 'Jane', lastName: 'Doe' })
    expect(result).toMatchObject({ success: true, ignored: [{ name: 'first_name', nearest: 'firstName' }] })
    expect(result.missingFields).toContain('firstName')
  })

  test.each([{}, { firstName: '' }, { email: null }, { commsConsent: 'none' }])(
    'a call that saves nothing gets no thanks: %j',
    async (args) => expect((await register(args)).say).toMatch(/^I still need your first name/),
  )
})
