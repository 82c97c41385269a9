/** Parts of sentences for the caller. */
import type { StatedField } from './stated-values.ts'

const NAMES: Readonly<Record<StatedField, string>> = {
  firstName: 'first name',
  lastName: 'last name',
  dateOfBirth: 'date of birth',
  phone: 'phone number',
  email: 'email address',
  address: 'address',
  preferredLocation: 'preferred location',
  medicareStatus: 'Medicare status',
  healthPlanName: 'health plan',
  referralSource: 'referral source',
  reasonForVisit: 'reason for the visit',
  commsConsent: 'consent to be contacted',
}

export const spokenName = (field: StatedField): string => NAMES[field]

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/** `a, b, and c` */
export const listed = (items: readonly string[]): string => LIST.format(items)
