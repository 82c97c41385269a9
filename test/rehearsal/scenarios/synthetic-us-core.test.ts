/** The resources of synthetic-1000 against the profiles of US Core that they declare. */
import { expect, test } from '@jest/globals'
import { compileFhirPath } from '../../../src/fhir/fhirpath/fhirpath.ts'
import type { ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { issuesOf, US_CORE, usCore } from '../../support/profiles.ts'
import { made, thousand } from './town.ts'

/** The elements that each profile asks for beyond R4 (mandatory, or to be supported where they are known), as paths. */
const MANDATORY: Readonly<Record<string, readonly string[]>> = {
  'us-core-allergyintolerance': ['clinicalStatus', 'verificationStatus', 'code', 'patient', 'reaction.manifestation'],
  'us-core-blood-pressure': [
    "category.coding.where(code = 'vital-signs')",
    "component.where(code.coding.code = '8480-6').value.where(code = 'mm[Hg]' and system = 'http://unitsofmeasure.org')",
    "component.where(code.coding.code = '8462-4').value.where(code = 'mm[Hg]' and system = 'http://unitsofmeasure.org')",
    'effective',
  ],
  'us-core-bmi': ["code.coding.where(code = '39156-5')", "value.where(code = 'kg/m2')", 'effective'],
  'us-core-body-height': ["code.coding.where(code = '8302-2')", "value.where(code = 'cm')", 'effective'],
  'us-core-body-temperature': ["code.coding.where(code = '8310-5')", "value.where(code = 'Cel')", 'effective'],
  'us-core-body-weight': ["code.coding.where(code = '29463-7')", "value.where(code = 'kg')", 'effective'],
  'us-core-condition-encounter-diagnosis': [
    "category.coding.where(code = 'encounter-diagnosis')",
    ...['clinicalStatus', 'verificationStatus', 'code', 'subject', 'encounter', 'onset', 'recordedDate'],
  ],
  'us-core-condition-problems-health-concerns': [
    "category.coding.where(code = 'problem-list-item')",
    ...['clinicalStatus', 'verificationStatus', 'code', 'subject', 'onset', 'recordedDate'],
  ],
  'us-core-coverage': [
    "identifier.where(type.coding.code = 'MB').value",
    ...['type', 'subscriberId', 'beneficiary', 'relationship', 'period', 'payor', 'class'],
  ],
  'us-core-diagnosticreport-lab': [
    "category.coding.where(system = 'http://terminology.hl7.org/CodeSystem/v2-0074' and code = 'LAB')",
    ...['code', 'subject', 'encounter', 'effective', 'issued', 'performer', 'result'],
  ],
  'us-core-documentreference': [
    ...['type', 'category', 'subject', 'date', 'author', 'custodian', 'context.encounter', 'context.period'],
    ...['content.attachment.contentType', 'content.attachment.data', 'content.format'],
  ],
  'us-core-encounter': [
    ...['class', 'type', 'subject', 'participant.type', 'participant.period', 'participant.individual', 'period'],
    ...['location.location', 'serviceProvider'],
  ],
  'us-core-immunization': ['status', 'vaccineCode', 'patient', 'occurrence', 'primarySource', 'location'],
  'us-core-location': ['status', 'name', 'telecom', 'address.postalCode', 'managingOrganization'],
  'us-core-medicationrequest': [
    ...['intent', 'category', 'reported', 'medication', 'subject', 'authoredOn', 'requester'],
    ...['dosageInstruction.text', 'dispenseRequest.numberOfRepeatsAllowed'],
  ],
  'us-core-observation-lab': [
    "category.coding.where(code = 'laboratory')",
    ...['code', 'subject', 'effective', 'value.value', 'value.code', 'interpretation', 'referenceRange'],
  ],
  'us-core-organization': ['active', 'name'],
  'us-core-patient': [
    ...['identifier.system', 'identifier.value', 'name.family', 'name.given', 'telecom.system', 'telecom.value'],
    ...['gender', 'birthDate', 'address.city', 'communication.language'],
    `extension.where(url = '${US_CORE}/us-core-race').extension.where(url = 'text').value`,
    `extension.where(url = '${US_CORE}/us-core-ethnicity').extension.where(url = 'text').value`,
    `extension.where(url = '${US_CORE}/us-core-birthsex').value`,
  ],
  'us-core-practitioner': ['identifier.system', 'identifier.value', 'name.family'],
  'us-core-practitionerrole': ['practitioner', 'organization', 'code', 'location', 'telecom'],
  'us-core-procedure': ['status', 'code.coding.system', 'subject', 'performed'],
}

const nameOf = ({ meta }: ScenarioResource) => meta?.profile?.[0]?.slice(`${US_CORE}/`.length)

test('is declared by all but Appointments and Schedules, for which it has no profile', () => {
  const without = new Set(thousand.filter(({ meta }) => meta === undefined).map(({ resourceType }) => resourceType))
  expect([...without].sort()).toEqual(['Appointment', 'Schedule'])
  const names = new Set(thousand.flatMap((resource) => nameOf(resource) ?? []))
  expect([...names].sort()).toEqual(Object.keys(MANDATORY).sort())
})

test.each(Object.entries(MANDATORY))('%s: what it asks for is in every resource', (name, paths) => {
  const declaring = thousand.filter((resource) => nameOf(resource) === name)
  const missing = declaring.flatMap((resource) =>
    paths
      .filter((path) => compileFhirPath(path).evaluate(resource).length === 0)
      .map((path) => `${resource.id}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('has no finding, by its own definitions, on patients and blood pressures', async () => {
  const { raceCodes, raceSet: _raceSet, birthSexSet, ...definitions } = usCore()
  const terms = [raceCodes, birthSexSet]
  const world = { definitions: Object.values(definitions) as never, terms, thorough: true }
  const checked = made(60).filter((resource) => /patient|blood/.test(nameOf(resource) ?? ''))
  expect(checked.length).toBeGreaterThan(100)
  for (const resource of checked) {
    const issues = await issuesOf(resource, world, resource.meta?.profile)
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
  }
})

test.each([
  ['us-core-blood-pressure', 'bp'],
  ['us-core-bmi', 'bmi'],
  ['us-core-body-height', 'bodyheight'],
  ['us-core-body-temperature', 'bodytemp'],
  ['us-core-body-weight', 'bodyweight'],
])('%s builds on a profile of R4, which finds nothing wrong', async (name, base) => {
  const checked = made(60).filter((resource) => nameOf(resource) === name)
  expect(checked.length).toBeGreaterThan(5)
  for (const { meta: _meta, ...resource } of checked.slice(0, 40)) {
    const profiles = [`http://hl7.org/fhir/StructureDefinition/${base}`]
    expect(await issuesOf(resource, { definitions: [], thorough: true }, profiles)).toEqual([])
  }
})
