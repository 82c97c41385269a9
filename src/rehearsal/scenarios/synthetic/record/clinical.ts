/** Condition, AllergyIntolerance, MedicationRequest, Immunization and Procedure. */
import type { AllergyIntolerance, Condition, Immunization, MedicationRequest, Procedure } from 'fhir/r4'
import type { Findings, KnownProblem } from '../course.ts'
import { type AcuteCondition, type Allergy, type Code, PROCEDURE_SYSTEMS } from '../tables/medicine.ts'
import type { Prescription } from '../treatment.ts'
import type { Visit } from '../visits.ts'
import {
  coded,
  conformsTo,
  dateOf,
  encounterOf,
  hl7,
  ICD_10,
  LOCATION,
  physicianOf,
  practitionerReference,
  RXNORM,
  type Source,
  subjectOf,
  timeOf,
} from './common.ts'

type Identified<Resource> = Resource & { id: string }

const CVX = 'http://hl7.org/fhir/sid/cvx'

/** A lasting problem, on the list of problems. */
export function problemOf(
  { person, calendar }: Source,
  { condition, found, days }: KnownProblem,
): Identified<Condition> {
  return {
    ...{ resourceType: 'Condition', id: `${person.id}-problem-${condition.id}` },
    meta: conformsTo('us-core-condition-problems-health-concerns'),
    clinicalStatus: hl7('condition-clinical', 'active', 'Active'),
    verificationStatus: hl7('condition-ver-status', 'confirmed', 'Confirmed'),
    category: [hl7('condition-category', 'problem-list-item', 'Problem List Item')],
    code: coded(ICD_10, condition),
    subject: subjectOf(person),
    ...(found && { encounter: encounterOf(person, found) }),
    onsetDateTime: dateOf(calendar, found ?? days),
    recordedDate: dateOf(calendar, found ?? days),
    recorder: practitionerReference(found?.practitioner ?? physicianOf(person)),
  }
}

/** Days after which an illness is over. */
const ILL = 12

/** An illness that a visit was for; it is over unless the visit was the other day. */
export function illnessOf({ person, calendar }: Source, visit: Visit, illness: AcuteCondition): Identified<Condition> {
  const isOver = visit.workday < -ILL
  return {
    ...{ resourceType: 'Condition', id: `${person.id}-illness-${visit.number}` },
    meta: conformsTo('us-core-condition-encounter-diagnosis'),
    clinicalStatus: isOver
      ? hl7('condition-clinical', 'resolved', 'Resolved')
      : hl7('condition-clinical', 'active', 'Active'),
    verificationStatus: hl7('condition-ver-status', 'confirmed', 'Confirmed'),
    category: [hl7('condition-category', 'encounter-diagnosis', 'Encounter Diagnosis')],
    code: coded(ICD_10, illness),
    subject: subjectOf(person),
    encounter: encounterOf(person, visit),
    onsetDateTime: dateOf(calendar, visit),
    ...(isOver && { abatementDateTime: calendar.workday(visit.workday + ILL) }),
    recordedDate: dateOf(calendar, visit),
    recorder: practitionerReference(visit.practitioner),
  }
}

export const allergyOf = ({ person }: Source, allergy: Allergy): Identified<AllergyIntolerance> => ({
  ...{ resourceType: 'AllergyIntolerance', id: `${person.id}-allergy-${allergy.id}` },
  meta: conformsTo('us-core-allergyintolerance'),
  clinicalStatus: hl7('allergyintolerance-clinical', 'active', 'Active'),
  verificationStatus: hl7('allergyintolerance-verification', 'confirmed', 'Confirmed'),
  type: 'allergy',
  category: [allergy.category],
  code:
    allergy.code === undefined
      ? { text: allergy.display }
      : coded(RXNORM, { code: allergy.code, display: allergy.display }),
  patient: subjectOf(person),
  reaction: [{ manifestation: [{ text: allergy.reaction }] }],
})

/** @param number from 1, unique among those of the person */
export function prescriptionOf(
  source: Source,
  { medication, reason, began, ended }: Prescription,
  number: number,
): Identified<MedicationRequest> {
  const { person, calendar } = source
  const visit = typeof began === 'number' ? undefined : began
  return {
    ...{ resourceType: 'MedicationRequest', id: `${person.id}-medication-${number}` },
    meta: conformsTo('us-core-medicationrequest'),
    status: statusOf(source, medication.days, visit, ended !== undefined),
    intent: 'order',
    category: [hl7('medicationrequest-category', 'outpatient', 'Outpatient')],
    reportedBoolean: false,
    medicationCodeableConcept: coded(RXNORM, medication),
    subject: subjectOf(person),
    ...(visit && { encounter: encounterOf(person, visit) }),
    authoredOn: visit ? timeOf(calendar, visit, 20) : dateOf(calendar, began),
    requester: practitionerReference(visit?.practitioner ?? physicianOf(person)),
    reasonCode: [coded(ICD_10, reason)],
    dosageInstruction: [
      {
        text: medication.dosage,
        ...(medication.perDay !== undefined && {
          timing: { repeat: { frequency: medication.perDay, period: 1, periodUnit: 'd' as const } },
        }),
      },
    ],
    dispenseRequest:
      medication.days === undefined
        ? { numberOfRepeatsAllowed: 3, expectedSupplyDuration: days(90) }
        : { numberOfRepeatsAllowed: 0, expectedSupplyDuration: days(medication.days) },
  }
}

const days = (value: number) => ({ value, unit: 'days', system: 'http://unitsofmeasure.org', code: 'd' })

function statusOf(
  { person }: Source,
  course: number | undefined,
  visit: Visit | undefined,
  isReplaced: boolean,
): MedicationRequest['status'] {
  if (isReplaced) return 'stopped'
  if (course !== undefined && visit && visit.workday < -course) return 'completed'
  return person.died === undefined ? 'active' : 'stopped'
}

export const immunizationOf = (
  { person, calendar }: Source,
  visit: Visit,
  vaccine: Code,
): Identified<Immunization> => ({
  ...{ resourceType: 'Immunization', id: `${person.id}-vaccine-${vaccine.code}-${visit.number}` },
  meta: conformsTo('us-core-immunization'),
  status: 'completed',
  vaccineCode: coded(CVX, vaccine),
  patient: subjectOf(person),
  encounter: encounterOf(person, visit),
  occurrenceDateTime: timeOf(calendar, visit, 18),
  primarySource: true,
  location: LOCATION,
  performer: [{ actor: practitionerReference(visit.practitioner) }],
})

export function* proceduresOf(
  { person, calendar }: Source,
  { visit, procedures }: Findings,
): Generator<Identified<Procedure>> {
  for (const { system, code, display } of procedures) {
    yield {
      ...{ resourceType: 'Procedure', id: `${person.id}-procedure-${code}-${visit.number}` },
      meta: conformsTo('us-core-procedure'),
      status: 'completed',
      code: coded(PROCEDURE_SYSTEMS[system], { code, display }),
      subject: subjectOf(person),
      encounter: encounterOf(person, visit),
      performedDateTime: timeOf(calendar, visit, 12),
      performer: [{ actor: practitionerReference(visit.practitioner) }],
    }
  }
}
