/** The coverage of a CapabilityStatement by what a client was seen to use. */
import { expect, test } from '@jest/globals'
import type { CapabilityStatement } from 'fhir/r4'
import { coverageOf } from '../../dashboard/pages/runs/coverage.ts'

const STATEMENT: CapabilityStatement = {
  ...{ resourceType: 'CapabilityStatement', status: 'active', kind: 'instance', date: '2026-01-01' },
  ...{ fhirVersion: '4.0.1', format: ['json'] },
  rest: [
    {
      mode: 'server',
      searchParam: [{ name: '_id', type: 'token' }],
      resource: [
        {
          type: 'Patient',
          interaction: [{ code: 'read' }, { code: 'search-type' }],
          searchParam: [{ name: 'family', type: 'string' }],
          operation: [{ name: '$match', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-match' }],
        },
        { type: 'Slot', interaction: [{ code: 'read' }] },
      ],
    },
  ],
}

const SYSTEM = { interactions: [], operations: [], tools: [] }

test('counts what was used of what a type offers, its operations by their names without $', () => {
  const patient = { interactions: ['read'], searchParameters: ['_id', 'family'], operations: ['match'] }
  const { types, offered, totals } = coverageOf(STATEMENT, { ...SYSTEM, types: { Patient: patient } })
  expect(offered).toBe(2)
  expect(types).toEqual([
    {
      type: 'Patient',
      interactions: { used: ['read'], offered: 2 },
      searchParameters: { used: ['_id', 'family'], offered: 2 },
      operations: { used: ['match'], offered: 1 },
      others: [],
    },
  ])
  expect(totals.interactions).toEqual({ used: ['read'], offered: 3 })
})

test('names what was used although it is not offered, also of a type that is not', () => {
  const types = {
    Patient: { interactions: ['delete'], searchParameters: ['shoe-size'], operations: [] },
    Basic: { interactions: ['create'], searchParameters: [], operations: [] },
  }
  const found = coverageOf(STATEMENT, { ...SYSTEM, types })
  expect(found.types.map(({ type, others }) => [type, others])).toEqual([
    ['Patient', ['delete', 'shoe-size']],
    ['Basic', ['create']],
  ])
  expect(found.totals.interactions.used).toEqual([])
})
