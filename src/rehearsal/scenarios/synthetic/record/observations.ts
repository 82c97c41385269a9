/** Observation and DiagnosticReport: vital signs and laboratory results. */
import type { DiagnosticReport, Observation, Quantity } from 'fhir/r4'
import type { Findings } from '../course.ts'
import type { Measured, Report } from '../measurements.ts'
import { BLOOD_PRESSURE, type LaboratoryTest, type Test, type VitalSign } from '../tables/tests.ts'
import type { Visit } from '../visits.ts'
import {
  coded,
  conformsTo,
  encounterOf,
  hl7,
  LOINC,
  ORGANIZATION,
  practitionerReference,
  type Source,
  subjectOf,
  timeOf,
  UCUM,
} from './common.ts'

type Identified<Resource> = Resource & { id: string }

/** Minutes from the begin of the visit until it is measured, and until the laboratory has answered. */
const MEASURED = 4
const ANSWERED = 240

const VITAL_SIGN = hl7('observation-category', 'vital-signs', 'Vital Signs')
const LABORATORY = hl7('observation-category', 'laboratory', 'Laboratory')

export function* observationsOf(
  source: Source,
  findings: Findings,
): Generator<Identified<Observation | DiagnosticReport>> {
  const { visit, pressure, vitalSigns, reports } = findings
  if (pressure !== undefined) yield pressureOf(source, visit, pressure)
  for (const sign of vitalSigns) yield vitalSignOf(source, visit, sign)
  for (const report of reports) yield* reportOf(source, visit, report)
}

const quantity = ({ unit, ucum }: Test, value: number): Quantity => ({ value, unit, system: UCUM, code: ucum })

/** The elements that all Observations of a visit have. */
function observation({ person, calendar }: Source, visit: Visit, name: string): Identified<Observation> {
  return {
    ...{ resourceType: 'Observation', id: `${person.id}-${name}-${visit.number}`, status: 'final', code: {} },
    subject: subjectOf(person),
    encounter: encounterOf(person, visit),
    effectiveDateTime: timeOf(calendar, visit, MEASURED),
    performer: [practitionerReference(visit.practitioner)],
  }
}

function pressureOf(
  source: Source,
  visit: Visit,
  { systolic, diastolic }: { readonly systolic: number; readonly diastolic: number },
): Identified<Observation> {
  const component = (test: Test, value: number) => ({
    code: coded(LOINC, test),
    valueQuantity: quantity(test, value),
  })
  return {
    ...observation(source, visit, 'pressure'),
    meta: conformsTo(BLOOD_PRESSURE.profile),
    category: [VITAL_SIGN],
    code: coded(LOINC, BLOOD_PRESSURE),
    component: [component(BLOOD_PRESSURE.systolic, systolic), component(BLOOD_PRESSURE.diastolic, diastolic)],
  }
}

const vitalSignOf = (source: Source, visit: Visit, { test, value }: Measured<VitalSign>): Identified<Observation> => ({
  ...observation(source, visit, test.id),
  meta: conformsTo(test.profile),
  category: [VITAL_SIGN],
  code: coded(LOINC, test),
  valueQuantity: quantity(test, value),
})

/** The results of a panel, and then the report that they belong to. */
function* reportOf(
  source: Source,
  visit: Visit,
  { panel, values }: Report,
): Generator<Identified<Observation | DiagnosticReport>> {
  const results = values.map((value) => resultOf(source, visit, value))
  yield* results
  const { person, calendar } = source
  yield {
    ...{ resourceType: 'DiagnosticReport', id: `${person.id}-${panel.id}-${visit.number}`, status: 'final' },
    meta: conformsTo('us-core-diagnosticreport-lab'),
    category: [hl7('v2-0074', 'LAB', 'Laboratory')],
    code: coded(LOINC, panel),
    subject: subjectOf(person),
    encounter: encounterOf(person, visit),
    effectiveDateTime: timeOf(calendar, visit, MEASURED),
    issued: timeOf(calendar, visit, ANSWERED),
    performer: [ORGANIZATION],
    result: results.map(({ id, code }) => ({
      reference: `Observation/${id}`,
      ...(code.text && { display: code.text }),
    })),
  }
}

function resultOf(source: Source, visit: Visit, { test, value }: Measured<LaboratoryTest>): Identified<Observation> {
  const { low, high } = test.reference
  return {
    ...observation(source, visit, `test-${test.code}`),
    meta: conformsTo('us-core-observation-lab'),
    category: [LABORATORY],
    code: coded(LOINC, test),
    valueQuantity: quantity(test, value),
    interpretation: [interpretationOf(test, value)],
    referenceRange: [
      {
        ...(low !== undefined && { low: quantity(test, low) }),
        ...(high !== undefined && { high: quantity(test, high) }),
      },
    ],
  }
}

function interpretationOf({ reference: { low, high } }: LaboratoryTest, value: number) {
  if (low !== undefined && value < low) return hl7('v3-ObservationInterpretation', 'L', 'Low')
  if (high !== undefined && value > high) return hl7('v3-ObservationInterpretation', 'H', 'High')
  return hl7('v3-ObservationInterpretation', 'N', 'Normal')
}
