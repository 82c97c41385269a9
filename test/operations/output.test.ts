/** Out parameters: https://hl7.org/fhir/R4/operations.html#response. */
import { describe, expect, test } from '@jest/globals'
import type { OperationDefinitionParameter } from 'fhir/r4'
import { writeOutput } from '../../src/operations/parameters.ts'

const out = (name: string, more: Partial<OperationDefinitionParameter>) =>
  ({ name, use: 'out', min: 0, max: '*', ...more }) as OperationDefinitionParameter

const definition = {
  code: 'test',
  parameter: [
    out('given', { use: 'in', type: 'string' }),
    out('success', { type: 'boolean' }),
    out('missing', { type: 'string' }),
    out('cents', { type: 'unsignedInt' }),
    out('patient', { type: 'Patient' }),
    out('invalid', { part: [out('field', { type: 'string' }), out('error', { type: 'string' })] }),
  ],
}

describe('writeOutput', () => {
  test('a resource is the answer itself', () => {
    const bundle = { resourceType: 'Bundle', type: 'searchset' }
    expect(writeOutput(definition, bundle)).toBe(bundle)
  })

  test("out parameters become Parameters, in the definition's order", () => {
    const patient = { resourceType: 'Patient' }
    const output = { patient, cents: 5, missing: ['a', 'b'], success: false, invalid: [{ field: 'f', error: 'e' }] }
    expect(writeOutput(definition, output)).toEqual({
      resourceType: 'Parameters',
      parameter: [
        { name: 'success', valueBoolean: false },
        { name: 'missing', valueString: 'a' },
        { name: 'missing', valueString: 'b' },
        { name: 'cents', valueUnsignedInt: 5 },
        { name: 'patient', resource: patient },
        {
          name: 'invalid',
          part: [
            { name: 'field', valueString: 'f' },
            { name: 'error', valueString: 'e' },
          ],
        },
      ],
    })
  })

  test('what is absent or an empty list leaves nothing behind', () => {
    expect(writeOutput(definition, { missing: [], cents: undefined })).toEqual({ resourceType: 'Parameters' })
  })

  test('an out parameter that the definition does not have is a fault of the handler', () => {
    expect(() => writeOutput(definition, { given: 'x' })).toThrow("$test responds with 'given'")
  })
})
