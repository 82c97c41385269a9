/** https://hl7.org/fhir/R4/references.html#literal */
import { expect, test } from '@jest/globals'
import { localReference } from '../../src/fhir/reference.ts'

const BASE = 'https://emr.example/fhir'

test.each([
  ['Patient/1', { type: 'Patient', id: '1' }],
  [`${BASE}/Patient/1`, { type: 'Patient', id: '1' }],
  [`${BASE}/Patient/1/_history/2`, { type: 'Patient', id: '1', version: '2' }],
  ['https://emr.example/Patient/1', undefined],
  ['https://emr.example/fhirs/Patient/1', undefined],
  [`${BASE}/Patient`, undefined],
  ['Patient/1/_history', undefined],
  ['Patient/a b', undefined],
  ['#Patient/1', undefined],
  ['urn:uuid:4d7f', undefined],
  ['', undefined],
])('%s refers to %j here', (text, expected) => {
  expect(localReference(text, BASE)).toEqual(expected)
  expect(localReference(text, `${BASE}/`)).toEqual(expected)
})
