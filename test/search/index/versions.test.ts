/** The version of the extraction: a store with a higher version is refused, one with a lower version is reindexed. */
import { hash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { isDefinition } from '../../../src/search/canonical.ts'
import { extraction } from '../../../src/search/index/versions.ts'
import { indexedParametersOf } from '../../../src/search/parameters.ts'

const { version, types, parametersOf, entriesOf } = extraction('http://here')

test('the version is raised with every change of a search parameter or of how its values are made', () => {
  const all = types.map((type) => [type, [...parametersOf(type)].toSorted()])
  // Where this fails because of your change: raise VERSION in src/search/index/versions.ts, and set both values here.
  expect([version, hash('sha256', JSON.stringify(all), 'base64url').slice(0, 12)]).toEqual([9, 'U9j2SJKyBoOp'])
})

test('every parameter that is indexed has a version of its own, but those that the store keeps itself', () => {
  for (const type of types) {
    const codes = indexedParametersOf(type).map(({ code }) => code)
    const kept = codes.filter((code) => code !== '_id' && code !== '_lastUpdated')
    const within = type === 'Bundle' ? '_entry' : '_contained'
    const called = codes.includes('url') && codes.includes('version') && isDefinition(type) ? ['_canonical'] : []
    const all = new Set([...kept, '_text', '_content', within, ...called, ...(type === 'Patient' ? ['_match'] : [])])
    expect([...parametersOf(type).keys()].toSorted()).toEqual([...all].toSorted())
  }
})

test('what is within a resource has one version for every type', () => {
  const found = types.map((type) => parametersOf(type).get(type === 'Bundle' ? '_entry' : '_contained'))
  expect(new Set(found).size).toBe(1)
})

test('parameters of the same elements have the same version, others another one', () => {
  const patient = parametersOf('Patient')
  expect(patient.get('_tag')).toBe(parametersOf('Observation').get('_tag'))
  expect(patient.get('birthdate')).not.toBe(patient.get('death-date'))
})

test('a stored text has the entries of its resource, references below the base as relative ones', () => {
  const patient = { resourceType: 'Patient', managingOrganization: { reference: 'http://here/Organization/1' } }
  expect(entriesOf('clinic', { text: JSON.stringify(patient) })).toContainEqual({
    kind: 'reference',
    param: 'organization',
    type: 'Organization',
    id: '1',
  })
})
