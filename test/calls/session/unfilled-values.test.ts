/** Which call ids and phone numbers are templates that were not filled in. */
import { describe, expect, test } from '@jest/globals'
import { isUnfilledId, isUnfilledNumber } from '../../../src/calls/session/call-metadata.ts'
import { REAL_IDS, UNFILLED, WITHHELD, ZEROS } from '../../support/unfilled.ts'

describe('a call id', () => {
  test.each([...UNFILLED, ...WITHHELD, ...ZEROS, ''])('that is %j is unfilled', (text) => {
    expect(isUnfilledId(text)).toBe(true)
  })

  test.each(REAL_IDS)('of the form %s is filled in: %s', (_form, id) => {
    expect(isUnfilledId(id)).toBe(false)
  })
})

describe('a phone number', () => {
  test.each(UNFILLED)('that is %j is unfilled', (text) => {
    expect(isUnfilledNumber(text)).toBe(true)
  })

  test.each([
    ...WITHHELD,
    ...ZEROS,
    ...[
      '',
      ' ',
      '+266696687',
      '7378742833',
      '+12125550123',
      '(212) 555-0123',
      'tel:+12125550123',
      '555012',
      '911',
      '*67',
    ],
    ...['sip:alice@example.com', '<sip:+12125550123@example.com>', '"Alice" <sip:anonymous@anonymous.invalid>'],
    ...['+15185550111@example.com', 'Alice Smith', 'Unknown Caller', 'No Caller ID', 'Private Number', 'trunk-1'],
  ])('that is %j is filled in, or none', (text) => {
    expect(isUnfilledNumber(text)).toBe(false)
  })
})
