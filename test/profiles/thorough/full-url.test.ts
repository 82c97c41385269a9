/** Bundle.entry.fullUrl: https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.fullUrl. */
import { describe, expect, test } from '@jest/globals'
import { patient, said, thoroughIssues } from './support.ts'

const UUID = 'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7'
const bundle = (type: string, ...entry: readonly object[]) => ({ resourceType: 'Bundle', type, entry })
const request = { method: 'POST', url: 'Patient' }

describe('a fullUrl', () => {
  test.each([
    ['is that of the resource', 'http://example.org/fhir/Patient/1', patient({ id: '1' }), []],
    ['may be a UUID, whatever the id', UUID, patient({ id: '1' }), []],
    ['may be a URL that is not RESTful', 'http://example.org/people?id=7', patient({ id: '1' }), []],
    ['must be absolute', 'Patient/1', patient({ id: '1' }), ['error value Bundle.entry[0].fullUrl']],
    [
      'must end with the id of the resource',
      'http://example.org/fhir/Patient/2',
      patient({ id: '1' }),
      ['error value Bundle.entry[0].fullUrl'],
    ],
    [
      'must have the type of the resource',
      'http://example.org/fhir/Observation/1',
      patient({ id: '1' }),
      ['error value Bundle.entry[0].fullUrl'],
    ],
    ['must be a UUID where it says so', 'urn:uuid:patient-1', patient(), ['error value Bundle.entry[0].fullUrl']],
  ])('%s', async (_what, fullUrl, resource, expected) => {
    expect(await said(bundle('collection', { fullUrl, resource }))).toEqual(expected)
  })

  test('is told what would be right', async () => {
    const [issue] = await thoroughIssues(
      bundle('collection', { fullUrl: 'http://example.org/fhir/Patient/2', resource: patient({ id: '1' }) }),
    )
    expect(issue?.diagnostics).toBe(
      'Bundle.entry[0].fullUrl ends with the id 2, but the id of the resource is 1; they must be equal',
    )
  })

  test('may be missing in a transaction, and where an operation answers a resource without identity', async () => {
    expect(await said(bundle('transaction', { resource: patient({ id: '1' }), request }))).toEqual([])
    expect(await said(bundle('collection', { resource: patient() }))).toEqual([])
  })

  test('must be there in a document and a message, and with a resource that has an id', async () => {
    const missing = ['error required Bundle.entry[0].fullUrl']
    const header = { resourceType: 'MessageHeader' }
    expect(await said(bundle('message', { resource: header }))).toEqual(missing)
    expect(await said(bundle('collection', { resource: patient({ id: '1' }) }))).toEqual(missing)
  })
})
