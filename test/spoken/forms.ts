/**
 * Callers' phrases (forms/*.txt, a file for each argument) and the values stored for them: "said => value", or "said =>
 * ?words of the question" where the tool must ask back. A line that begins with "!" is a trap: a wrong value is likely.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DateTime } from 'luxon'
import type { ParsedValue } from '../../src/spoken/spoken.ts'
import { spokenConsent } from '../../src/spoken/spoken-consent.ts'
import { spokenDate } from '../../src/spoken/spoken-date.ts'
import { spokenEmail } from '../../src/spoken/spoken-email.ts'
import { spokenIdentifier } from '../../src/spoken/spoken-identifier.ts'
import { spokenCents } from '../../src/spoken/spoken-money.ts'
import { spokenName } from '../../src/spoken/spoken-name.ts'
import { spokenPhone } from '../../src/spoken/spoken-phone.ts'
import { heardTimes } from './times-support.ts'

export interface SpokenForm {
  readonly said: string
  /** Undefined where the tool must ask back. */
  readonly stored: string | undefined
  /** Words of the question asked back. */
  readonly question: string
  readonly isTrap: boolean
}

const FOLDER = join(import.meta.dirname, 'forms')

export const formsOf = (kind: string): readonly SpokenForm[] =>
  readFileSync(join(FOLDER, `${kind}.txt`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [said = '', expected = ''] = line.replace(/^!/, '').split(' => ')
      const isAsked = expected.startsWith('?')
      return {
        said,
        stored: isAsked ? undefined : expected,
        question: isAsked ? expected.slice(1) : '',
        isTrap: line.startsWith('!'),
      }
    })

export const kinds = readdirSync(FOLDER).map((file) => file.replace(/\.txt$/, ''))
const LOCALE = {
  now: DateTime.fromISO('2025-06-15T12:00', { zone: 'America/New_York' }),
  dateOrder: 'month-first',
} as const

export const READERS: Readonly<Record<string, (said: string) => ParsedValue<unknown>>> = {
  email: spokenEmail,
  phone: (said) => spokenPhone(said, 'US'),
  date: (said) => spokenDate(said, LOCALE),
  firstName: (said) => spokenName(said, 'given'),
  lastName: (said) => spokenName(said, 'family'),
  commsConsent: spokenConsent,
  memberId: spokenIdentifier,
  selfPayPriceCents: spokenCents,
  subscriberName: (said) => spokenName(said, 'whole'),
  when: heardTimes,
}
