/**
 * Whole records of patients as generators of synthetic records export them: a transaction for each, with urn:uuid
 * references, Encounters, and their observations, conditions, procedures, prescriptions and claims. The same in every
 * run.
 */
import type {
  Bundle,
  BundleEntry,
  Claim,
  CodeableConcept,
  Condition,
  Encounter,
  FhirResource,
  MedicationRequest,
  Observation,
  Organization,
  Patient,
  Period,
  Practitioner,
  Procedure,
  Reference,
} from 'fhir/r4'
import { familyOf, givenOf, patient } from './data-set.ts'

/** Entries of the transactions; the import has each of them several times, for other patients. */
const SIZES = [500, 1_000, 1_500, 2_000, 2_500, 3_000] as const
const RECORDS_OF_EACH_SIZE = 2
const HOUR = 3_600_000
const FIRST_ENCOUNTER = Date.UTC(1990, 0, 1, 8)
const OBSERVATIONS_OF_ENCOUNTER = 7

const LOINC = 'http://loinc.org'
const SNOMED = 'http://snomed.info/sct'
const RXNORM = 'http://www.nlm.nih.gov/research/umls/rxnorm'
const UCUM = 'http://unitsofmeasure.org'

const VITAL_SIGNS = [
  ['8302-2', 'Body height', 'cm', 172],
  ['29463-7', 'Body weight', 'kg', 75],
  ['39156-5', 'Body mass index (BMI) [Ratio]', 'kg/m2', 25],
  ['8867-4', 'Heart rate', '/min', 70],
  ['9279-1', 'Respiratory rate', '/min', 14],
  ['2339-0', 'Glucose [Mass/volume] in Blood', 'mg/dL', 90],
] as const
/** Code and display. */
type Coded = readonly [code: string, display: string, ...unknown[]]

const FINDINGS: readonly Coded[] = [
  ['444814009', 'Viral sinusitis (disorder)'],
  ['195662009', 'Acute viral pharyngitis (disorder)'],
  ['59621000', 'Essential hypertension (disorder)'],
  ['162864005', 'Body mass index 30+ - obesity (finding)'],
]
const PROCEDURES: readonly Coded[] = [
  ['430193006', 'Medication reconciliation (procedure)'],
  ['710824005', 'Assessment of health and social care needs (procedure)'],
]
const MEDICATIONS: readonly Coded[] = [
  ['314076', 'lisinopril 10 MG Oral Tablet'],
  ['313782', 'Acetaminophen 325 MG Oral Tablet'],
]

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T
const concept = (system: string, [code, display]: Coded): CodeableConcept => ({
  coding: [{ system, code, display }],
  text: display,
})

export const LARGE_RECORDS = {
  count: SIZES.length * RECORDS_OF_EACH_SIZE,
  make: (n: number): Bundle => new LargeRecord(n).bundle(pick(SIZES, n)),
} as const

class LargeRecord {
  readonly #number: number
  readonly #entries: BundleEntry[] = []

  constructor(number: number) {
    this.#number = number
  }

  bundle(entries: number): Bundle {
    const subject = this.#add(this.#patient())
    const provider = this.#add(organization())
    const performer = this.#add(this.#practitioner())
    for (let visit = 0; this.#entries.length < entries; visit++) {
      const encounter = this.#encounter(visit, { subject, provider, performer })
      for (const resource of ofEncounter(visit, encounter)) {
        if (this.#entries.length < entries) this.#add(resource)
      }
    }
    return { resourceType: 'Bundle', type: 'transaction', entry: this.#entries }
  }

  #add(resource: FhirResource): Reference {
    const [record, entry] = [this.#number, this.#entries.length].map((part) => part.toString(16).padStart(4, '0'))
    const fullUrl = `urn:uuid:5eed0000-${record}-4000-8000-00000000${entry}`
    this.#entries.push({ fullUrl, resource, request: { method: 'POST', url: resource.resourceType } })
    return { reference: fullUrl }
  }

  #encounter(visit: number, actors: Omit<Visit, 'encounter' | 'period'>): Visit {
    const start = FIRST_ENCOUNTER + visit * 97 * 24 * HOUR
    const period = { start: new Date(start).toISOString(), end: new Date(start + HOUR / 2).toISOString() }
    return { ...actors, period, encounter: this.#add(encounterOf(visit, actors, period)) }
  }

  #patient(): Patient {
    const number = 5_000_000 + this.#number
    return {
      ...patient(number),
      text: {
        status: 'generated',
        div: `<div xmlns="http://www.w3.org/1999/xhtml">Record ${this.#number} of a generated population</div>`,
      },
      extension: ['birthPlace', 'mothersMaidenName'].map((name) =>
        name === 'birthPlace'
          ? {
              url: `http://hl7.org/fhir/StructureDefinition/patient-${name}`,
              valueAddress: { city: 'Springfield', country: 'US' },
            }
          : { url: `http://hl7.org/fhir/StructureDefinition/patient-${name}`, valueString: familyOf(number + 1) },
      ),
      maritalStatus: concept('http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', ['M', 'Married']),
      communication: [{ language: concept('urn:ietf:bcp:47', ['en-US', 'English']) }],
    }
  }

  #practitioner(): Practitioner {
    return {
      resourceType: 'Practitioner',
      identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: String(9_990_000_000 + this.#number) }],
      active: true,
      name: [{ family: familyOf(this.#number * 3), given: [givenOf(this.#number)], prefix: ['Dr.'] }],
    }
  }
}

interface Visit {
  readonly subject: Reference
  readonly provider: Reference
  readonly performer: Reference
  readonly encounter: Reference
  readonly period: Period & { readonly start: string }
}

const organization = (): Organization => ({
  resourceType: 'Organization',
  active: true,
  name: 'Springfield General Hospital',
  telecom: [{ system: 'phone', value: '4135550100' }],
  address: [{ line: ['1 Hospital Road'], city: 'Springfield', postalCode: '01101', country: 'US' }],
})

const encounterOf = (
  visit: number,
  { subject, provider, performer }: Omit<Visit, 'encounter' | 'period'>,
  period: Period,
): Encounter => ({
  resourceType: 'Encounter',
  status: 'finished',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
  type: [concept(SNOMED, ['185345009', 'Encounter for symptom (procedure)'])],
  subject,
  participant: [
    {
      type: [concept('http://terminology.hl7.org/CodeSystem/v3-ParticipationType', ['PPRF', 'primary performer'])],
      period,
      individual: performer,
    },
  ],
  period,
  reasonCode: [concept(SNOMED, pick(FINDINGS, visit))],
  serviceProvider: provider,
})

/** The resources recorded in an Encounter, in the order of the transaction. */
function ofEncounter(visit: number, at: Visit): readonly FhirResource[] {
  const observations = Array.from({ length: OBSERVATIONS_OF_ENCOUNTER }, (_, n) => observation(visit, n, at))
  return [...observations, condition(visit, at), procedure(visit, at), prescription(visit, at), claim(visit, at)]
}

function observation(visit: number, n: number, { subject, encounter, period: { start } }: Visit): Observation {
  const common: Omit<Observation, 'code'> = {
    resourceType: 'Observation',
    status: 'final',
    category: [
      concept('http://terminology.hl7.org/CodeSystem/observation-category', [
        n === 5 ? 'laboratory' : 'vital-signs',
        n === 5 ? 'Laboratory' : 'Vital Signs',
      ]),
    ],
    subject,
    encounter,
    effectiveDateTime: start,
    issued: start,
  }
  const quantity = (value: number, unit: string) => ({ value, unit, system: UCUM, code: unit })
  const vitalSign = VITAL_SIGNS[n]
  if (vitalSign !== undefined) {
    const [, , unit, typical] = vitalSign
    const value = Number((typical * (0.8 + ((visit * 13 + n) % 40) / 100)).toFixed(4))
    return { ...common, code: concept(LOINC, vitalSign), valueQuantity: quantity(value, unit) }
  }
  return {
    ...common,
    code: concept(LOINC, ['85354-9', 'Blood pressure panel with all children optional']),
    component: [
      { code: concept(LOINC, ['8462-4', 'Diastolic Blood Pressure']), valueQuantity: quantity(80, 'mm[Hg]') },
      { code: concept(LOINC, ['8480-6', 'Systolic Blood Pressure']), valueQuantity: quantity(120, 'mm[Hg]') },
    ],
  }
}

const condition = (visit: number, { subject, encounter, period: { start } }: Visit): Condition => ({
  resourceType: 'Condition',
  clinicalStatus: concept('http://terminology.hl7.org/CodeSystem/condition-clinical', ['resolved', 'Resolved']),
  verificationStatus: concept('http://terminology.hl7.org/CodeSystem/condition-ver-status', ['confirmed', 'Confirmed']),
  category: [
    concept('http://terminology.hl7.org/CodeSystem/condition-category', ['encounter-diagnosis', 'Encounter Diagnosis']),
  ],
  code: concept(SNOMED, pick(FINDINGS, visit)),
  subject,
  encounter,
  onsetDateTime: start,
  recordedDate: start,
})

const procedure = (visit: number, { subject, encounter, period }: Visit): Procedure => ({
  resourceType: 'Procedure',
  status: 'completed',
  code: concept(SNOMED, pick(PROCEDURES, visit)),
  subject,
  encounter,
  performedPeriod: period,
})

const prescription = (visit: number, { subject, encounter, performer, period }: Visit): MedicationRequest => ({
  resourceType: 'MedicationRequest',
  status: 'stopped',
  intent: 'order',
  category: [concept('http://terminology.hl7.org/CodeSystem/medicationrequest-category', ['community', 'Community'])],
  medicationCodeableConcept: concept(RXNORM, pick(MEDICATIONS, visit)),
  subject,
  encounter,
  authoredOn: period.start,
  requester: performer,
  dosageInstruction: [
    {
      sequence: 1,
      text: 'Take as needed.',
      timing: { repeat: { frequency: 1, period: 1, periodUnit: 'd' } },
      asNeededBoolean: true,
      doseAndRate: [{ type: concept(SNOMED, ['ordered', 'Ordered']), doseQuantity: { value: 1 } }],
    },
  ],
})

const claim = (visit: number, { subject, provider, encounter, period }: Visit): Claim => ({
  resourceType: 'Claim',
  status: 'active',
  type: concept('http://terminology.hl7.org/CodeSystem/claim-type', ['institutional', 'Institutional']),
  use: 'claim',
  patient: subject,
  billablePeriod: period,
  created: period.start,
  provider,
  priority: concept('http://terminology.hl7.org/CodeSystem/processpriority', ['normal', 'Normal']),
  insurance: [{ sequence: 1, focal: true, coverage: { display: 'Acme Health' } }],
  item: Array.from({ length: 4 }, (_, n) => ({
    sequence: n + 1,
    productOrService: concept(SNOMED, pick(n % 2 === 0 ? FINDINGS : PROCEDURES, visit + n)),
    ...(n === 0 ? { encounter: [encounter] } : {}),
    net: { value: Number((129.16 + n).toFixed(2)), currency: 'USD' },
  })),
  total: { value: 516.64, currency: 'USD' },
})
