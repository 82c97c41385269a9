/** Patient and Coverage: who somebody is, where they live, and who pays. */
import type { ContactPoint, Coverage, Extension, Patient } from 'fhir/r4'
import { DAYS_OF_YEAR } from '../calendar.ts'
import type { Person } from '../people.ts'
import type { Origin, Plan } from '../tables/people.ts'
import {
  conformsTo,
  hl7,
  ORGANIZATION,
  physicianOf,
  practitionerReference,
  type Source,
  subjectOf,
  US_CORE,
} from './common.ts'

const CDC_RACE = 'urn:oid:2.16.840.1.113883.6.238'

export function patientOf({ person, calendar }: Source): Patient & { id: string } {
  const { id, number, family, given, gender, household, died, days, role, isMarried } = person
  const isAdult = days >= 18 * DAYS_OF_YEAR
  return {
    ...{ resourceType: 'Patient', id, meta: conformsTo('us-core-patient') },
    extension: [
      ...originOf(person.origin),
      { url: `${US_CORE}/us-core-birthsex`, valueCode: gender === 'female' ? 'F' : 'M' },
    ],
    identifier: [
      {
        use: 'usual',
        type: hl7('v2-0203', 'MR', 'Medical record number'),
        system: 'https://sandbox-emr.example/fhir/sid/medical-record-number',
        value: `SY-${String(10_000 + number)}`,
      },
    ],
    active: true,
    name: [{ use: 'official', family, given: [...given] }],
    telecom: telecomOf(person),
    gender,
    birthDate: calendar.daysBefore(days),
    ...(died === undefined ? {} : { deceasedDateTime: calendar.daysBefore(died) }),
    address: [
      {
        use: 'home',
        line: [...household.line],
        ...{ city: household.city, state: 'NY', postalCode: household.postalCode, country: 'US' },
      },
    ],
    ...(isAdult && { maritalStatus: isMarried ? MARRIED : NEVER_MARRIED }),
    ...(role === 'child' && { contact: [guardianOf(person)] }),
    communication: [languageOf(person)],
    generalPractitioner: [practitionerReference(physicianOf(person))],
    managingOrganization: ORGANIZATION,
  }
}

const MARRIED = hl7('v3-MaritalStatus', 'M', 'Married')
const NEVER_MARRIED = hl7('v3-MaritalStatus', 'S', 'Never Married')

/** https://hl7.org/fhir/us/core/STU6.1/StructureDefinition-us-core-race.html, and -ethnicity */
function originOf({ race, isHispanic }: Origin): Extension[] {
  const ethnicity = isHispanic
    ? { code: '2135-2', display: 'Hispanic or Latino' }
    : { code: '2186-5', display: 'Not Hispanic or Latino' }
  // Most people of Hispanic origin state no race of the list; then there is a text alone.
  const category =
    race.display === 'Other Race' ? [] : [{ url: 'ombCategory', valueCoding: { system: CDC_RACE, ...race } }]
  return [
    { url: `${US_CORE}/us-core-race`, extension: [...category, { url: 'text', valueString: race.display }] },
    {
      url: `${US_CORE}/us-core-ethnicity`,
      extension: [
        { url: 'ombCategory', valueCoding: { system: CDC_RACE, ...ethnicity } },
        { url: 'text', valueString: ethnicity.display },
      ],
    },
  ]
}

function telecomOf({ household, mobile, email }: Person): ContactPoint[] {
  return [
    { system: 'phone', value: household.phone, use: 'home' },
    ...(mobile === undefined ? [] : [{ system: 'phone' as const, value: mobile, use: 'mobile' as const }]),
    ...(email === undefined ? [] : [{ system: 'email' as const, value: email }]),
  ]
}

/** The parent whose telephone is that of the family. */
const guardianOf = ({ household, family }: Person) => ({
  relationship: [hl7('v2-0131', 'N', 'Next-of-Kin')],
  name: { family },
  telecom: [{ system: 'phone' as const, value: household.phone, use: 'home' as const }],
})

function languageOf({ number, origin: { foreign } }: Person) {
  const isForeign = foreign !== undefined && (number * 7) % 100 < foreign.share * 100
  const { language, text } = isForeign ? foreign : { language: 'en', text: 'English' }
  return { language: { coding: [{ system: 'urn:ietf:bcp:47', code: language, display: text }], text }, preferred: true }
}

/** The insurance of somebody who has one. */
export function* coverageOf({ person, calendar }: Source): Generator<Coverage & { id: string }> {
  const { id, plan, died, number, subscriber = person } = person
  if (plan === undefined) return
  const memberId = memberIdOf(plan, subscriber)
  yield {
    ...{ resourceType: 'Coverage', id: `${id}-coverage`, meta: conformsTo('us-core-coverage') },
    identifier: [
      {
        type: hl7('v2-0203', 'MB', 'Member Number'),
        system: `https://sandbox-emr.example/fhir/sid/member/${plan.id}`,
        value: subscriber === person ? memberId : `${memberId}-${number}`,
      },
    ],
    status: 'active',
    type: hl7('v3-ActCode', plan.type.code, plan.type.display),
    subscriber: { ...subjectOf(subscriber) },
    subscriberId: memberId,
    beneficiary: subjectOf(person),
    relationship: relationshipOf(person),
    period: {
      start: calendar.daysBefore(Math.min(person.days, Math.max(BEGAN, (died ?? 0) + BEGAN))),
      ...(died === undefined ? {} : { end: calendar.daysBefore(died) }),
    },
    payor: [{ reference: `Organization/synthetic-payer-${plan.id}`, display: plan.name }],
    class: [
      { type: hl7('coverage-class', 'plan', 'Plan'), value: `${plan.prefix}-STANDARD`, name: `${plan.name} Standard` },
    ],
  }
}

/** Days since most coverages began. */
const BEGAN = 1200

const memberIdOf = ({ prefix }: Plan, { number }: Person): string => `${prefix}-${String(700_000 + number * 37)}`

function relationshipOf(person: Person) {
  const { subscriber, role } = person
  if (subscriber === undefined) return hl7('subscriber-relationship', 'self', 'Self')
  return role === 'child'
    ? hl7('subscriber-relationship', 'child', 'Child')
    : hl7('subscriber-relationship', 'spouse', 'Spouse')
}
