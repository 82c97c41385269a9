/** DocumentReference: a note of a visit, as plain text. */
import { createHash } from 'node:crypto'
import type { DocumentReference } from 'fhir/r4'
import { DAYS_OF_YEAR, daysSince } from '../calendar.ts'
import type { Findings } from '../course.ts'
import { VISIT_TYPES } from '../tables/clinic.ts'
import {
  coded,
  conformsTo,
  encounterOf,
  LOINC,
  ORGANIZATION,
  practitionerReference,
  type Source,
  subjectOf,
  timeOf,
} from './common.ts'

const PROGRESS_NOTE = { code: '11506-3', display: 'Progress note' }
const CLINICAL_NOTE = {
  system: 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category',
  ...{ code: 'clinical-note', display: 'Clinical Note' },
}

/** Minutes from the begin of the visit until the note is signed. */
const SIGNED = 28

export function noteOf(source: Source, findings: Findings): DocumentReference & { id: string } {
  const { person, calendar } = source
  const { visit } = findings
  const bytes = Buffer.from(textOf(source, findings))
  const date = timeOf(calendar, visit, SIGNED)
  return {
    ...{ resourceType: 'DocumentReference', id: `${person.id}-note-${visit.number}` },
    meta: conformsTo('us-core-documentreference'),
    status: 'current',
    docStatus: 'final',
    type: coded(LOINC, PROGRESS_NOTE),
    category: [{ coding: [CLINICAL_NOTE] }],
    subject: subjectOf(person),
    date,
    author: [practitionerReference(visit.practitioner)],
    custodian: ORGANIZATION,
    description: `Visit note, ${VISIT_TYPES[visit.kind].text.toLowerCase()}`,
    content: [
      {
        attachment: {
          ...{ contentType: 'text/plain', language: 'en', data: bytes.toString('base64'), size: bytes.length },
          hash: createHash('sha1').update(bytes).digest('base64'),
          title: `Visit note, ${VISIT_TYPES[visit.kind].text.toLowerCase()}`,
          creation: date,
        },
        format: {
          system: 'http://ihe.net/fhir/ihe.formatcode.fhir/CodeSystem/formatcode',
          ...{ code: 'urn:ihe:iti:xds:2017:mimeTypeSufficient', display: 'mimeType Sufficient' },
        },
      },
    ],
    context: { encounter: [encounterOf(person, visit)], period: { start: timeOf(calendar, visit), end: date } },
  }
}

/** It holds no date, so that it is the same on every day. */
function textOf(source: Source, findings: Findings): string {
  const { person, allergies } = source
  const { visit, illness, pressure, vitalSigns, reports } = findings
  const age = Math.floor((person.days - daysSince(visit.workday)) / DAYS_OF_YEAR)
  const problems = source.problems.filter(({ found }) => (found?.workday ?? visit.workday) <= visit.workday)
  const begun = source.prescriptions.filter(({ began }) => began === visit)
  return [
    `Reason for visit: ${illness?.complaint ?? `${VISIT_TYPES[visit.kind].text}.`}`,
    `${person.gender === 'female' ? 'Female' : 'Male'}, ${age === 0 ? 'under one year' : `${age} years`} of age.`,
    `Problems: ${listed(problems.map(({ condition }) => condition.display))}.`,
    `Allergies: ${listed(allergies.map(({ display }) => display))}.`,
    ...(pressure ? [`Blood pressure ${pressure.systolic}/${pressure.diastolic} mmHg.`] : []),
    ...vitalSigns.map(({ test, value }) => `${test.display} ${value} ${test.unit}.`),
    ...(reports.length > 0 ? [`Laboratory: ${listed(reports.map(({ panel }) => panel.display))}.`] : []),
    ...(illness ? [`Assessment: ${illness.display}.`] : []),
    ...begun.map(({ medication }) => `Prescribed: ${medication.display}. ${medication.dosage}.`),
    begun.length === 0 ? 'Plan: no change of medication.' : 'Plan: as prescribed; call when it does not get better.',
    '',
  ].join('\n')
}

const listed = (items: readonly string[]): string => (items.length === 0 ? 'none known' : items.join('; '))
