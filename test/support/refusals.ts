/** Tables of resources that the validator must refuse. */
import { expect, test } from '@jest/globals'
import { validate } from '../../src/fhir/validate/validate.ts'

/** The violated rule, the resource, and the expected issue: code, expression, a piece of the sentence. */
export type Refusal = readonly [rule: string, resource: unknown, code: string, expression: string, said: string]

export function refuses(refusals: readonly Refusal[]): void {
  test.each(refusals.map((refusal) => [refusal[0].slice(0, 120), refusal] as const))(
    '%s is refused',
    (_name, refusal) => {
      const [, resource, code, expression, said] = refusal
      const issues = validate(resource)
      expect(issues).toContainEqual({ severity: 'error', code, expression, diagnostics: expect.stringContaining(said) })
      expect(issues.every(({ diagnostics }) => diagnostics.length < 1_500)).toBe(true)
    },
  )
}

export const patient = (elements: object) => ({ resourceType: 'Patient', ...elements })

export const observation = (elements: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...elements,
})

export const questionnaire = (...item: object[]) => ({ resourceType: 'Questionnaire', status: 'draft', item })

/** A Patient with a contained Organization that it refers to. */
export const holding = (inner: object, elements: object = {}) =>
  patient({
    contained: [{ resourceType: 'Organization', id: 'o', name: 'x', ...inner }],
    managingOrganization: { reference: '#o' },
    ...elements,
  })

export const extension = { url: 'http://example.org/why', valueString: 'unknown' }
