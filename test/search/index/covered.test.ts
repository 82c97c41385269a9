/** The search parameters that have every value of another one, by their expressions and by the extracted entries. */
import { expect, test } from '@jest/globals'
import { resourceTypes } from '../../../src/fhir/definitions.ts'
import { coveredParameters } from '../../../src/search/index/covered.ts'
import { extractEntries } from '../../../src/search/index/extract.ts'

test('a name has families and given names, an address its parts, contacts phones, and a combination its parts', () => {
  const { Patient, Observation, ...others } = coveredParameters(resourceTypes)
  expect(Patient).toEqual({
    address: ['address-city', 'address-country', 'address-postalcode', 'address-state'],
    name: ['family', 'given'],
    telecom: ['email', 'phone'],
  })
  expect(Observation?.['combo-code']).toEqual(['code', 'component-code'])
  expect(Object.keys(others).toSorted()).toEqual([
    ...['InsurancePlan', 'Location', 'Organization', 'OrganizationAffiliation', 'Person', 'Practitioner'],
    ...['PractitionerRole', 'RelatedPerson'],
  ])
})

const concept = (code: string) => ({
  text: `${code} text`,
  coding: [{ system: 'urn:x', code, display: `${code} name` }],
})

test.each([
  {
    resourceType: 'Patient',
    name: [{ family: 'O’Hara', given: ['Ann', ''], text: 'Ann O’Hara' }, { given: ['Al'] }, {}],
    telecom: [
      { system: 'phone', value: '+1 (646) 20' },
      { system: 'email', value: 'A@B.example' },
      { system: 'phone' },
    ],
    address: [{ city: 'Bonn', country: 'DE', postalCode: '53111', state: 'NRW', line: ['1', '2'] }, { city: '' }],
  },
  {
    resourceType: 'Observation',
    status: 'final',
    code: concept('a'),
    valueCodeableConcept: concept('b'),
    dataAbsentReason: { text: 'unknown' },
    component: [
      { code: concept('c'), valueCodeableConcept: concept('d') },
      { code: { text: 'e' }, dataAbsentReason: concept('f') },
    ],
  },
])('each value of the covered parameters of a $resourceType is one of the other', (resource) => {
  const entries = extractEntries(resource).filter(({ kind }) => kind === 'string' || kind === 'token')
  const valuesOf = (code: string) =>
    new Set(
      entries
        .filter(({ param }) => param.split(':')[0] === code)
        .map((entry) => JSON.stringify({ ...entry, param: entry.param.split(':')[1] })),
    )
  for (const [whole, parts] of Object.entries(
    coveredParameters([resource.resourceType])[resource.resourceType] ?? {},
  )) {
    for (const part of parts) {
      expect(valuesOf(part).size).toBeGreaterThan(0)
      expect([part, [...valuesOf(part).difference(valuesOf(whole))]]).toEqual([part, []])
    }
  }
})
