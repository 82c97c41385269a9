/** The cost of a clinic's search parameters for one resource, however many there are. */
import { expect, test } from '@jest/globals'
import { Budget, OffloadRequired, withBudget } from '../../../src/isolation/budget.ts'
import { declarationIn } from '../../../src/search/index/custom-declaration.ts'
import { CustomParameters } from '../../../src/search/index/custom-parameters.ts'
import { extractEntries } from '../../../src/search/index/extract.ts'

const extractorsOf = (...expressions: readonly string[]) =>
  new CustomParameters(
    declarationIn({
      parameters: expressions.map((expression, index) => ({
        ...{ id: `p${index}`, url: `http://example.org/p${index}`, code: `p${index}`, type: 'string', since: 1 },
        ...{ base: ['Patient'], expression },
      })),
      types: { Patient: 1 },
    }),
  ).extractorsOf('Patient')

const patientOf = (count: number) => ({
  resourceType: 'Patient',
  name: Array.from({ length: count }, (_none, index) => ({ family: `f${index}` })),
})

const codesOf = (patient: object, extractors: ReturnType<typeof extractorsOf>) =>
  extractEntries({ resourceType: 'Patient', ...patient }, '', extractors, false)
    .filter(({ param }) => /^p\d+$/.test(param))
    .map(({ param }) => param)

test('the descendants of a resource are found once for all parameters', () => {
  let reads = 0
  const contact = [
    {
      get gender() {
        reads++
        return 'female'
      },
    },
  ]
  const expressions = Array.from({ length: 100 }, () => 'descendants().first().family')
  const readsOf = (...of: readonly string[]) => {
    reads = 0
    expect(codesOf({ ...patientOf(10), contact }, extractorsOf(...of))).toHaveLength(of.length)
    return reads
  }
  expect(readsOf(...expressions)).toBe(readsOf('descendants().first().family'))
})

test('they visit 100,000 items of one resource together; those behind that have no value', () => {
  const expressions = Array.from({ length: 100 }, () => 'name.where(family.exists()).first().family')
  const codes = codesOf(patientOf(800), extractorsOf(...expressions))
  expect(codes.length).toBeGreaterThanOrEqual(10)
  expect(codes.length).toBeLessThan(20)
  expect(codes).toEqual(expressions.map((_expression, index) => `p${index}`).slice(0, codes.length))
})

test('on an ordinary resource all of them have values', () => {
  const expressions = Array.from({ length: 100 }, () => 'descendants().where(family.exists()).first().family')
  expect(codesOf(patientOf(5), extractorsOf(...expressions))).toHaveLength(100)
})

test('their work is paid from the budget of the request, and never taken for a resource without a value', () => {
  const expressions = Array.from({ length: 100 }, () => 'name.where(family.exists()).first().family')
  const extract = () => codesOf(patientOf(800), extractorsOf(...expressions))
  expect(() => withBudget(new Budget({ canMove: true }), extract)).toThrow(OffloadRequired)
})
