/** The cost of reading and writing a body. */
import { describe, expect, test } from '@jest/globals'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { validate } from '../../../src/fhir/validate/validate.ts'
import { writeXml } from '../../../src/fhir/xml/write.ts'
import { parseBody, parseXmlBody } from '../../../src/http/message/body.ts'
import { formatBody } from '../../../src/http/message/format.ts'
import { Budget, BudgetError, OffloadRequired, withBudget } from '../../../src/isolation/budget.ts'
import { subsetText } from '../../../src/search/query/subset-text.ts'

const patientOf = (names: number) => ({
  resourceType: 'Patient',
  name: Array.from({ length: names }, (_none, index) => ({ family: `f${index}`, given: ['x'] })),
})
const SMALL = patientOf(2)
const LARGE = patientOf(15_000)

const works: readonly (readonly [what: string, work: (patient: object) => unknown])[] = [
  ['reading JSON', (patient) => parseBody(JSON.stringify(patient), 100)],
  ['reading XML', (patient) => parseXmlBody(writeXml({ ...patient }), 100)],
  ['validation', (patient) => validate(patient)],
  ['writing XML', (patient) => formatBody(JSON.stringify(patient), 'xml', false)],
  ['writing indented JSON', (patient) => formatBody(JSON.stringify(patient), 'json', true)],
  ['a summary', (patient) => subsetText(JSON.stringify(patient), 'Patient', { summary: 'true', elements: undefined })],
]

describe.each(works)('%s', (_what, work) => {
  test('of a large resource is more than the event loop is held for, but less than a request may cost', () => {
    expect(() => withBudget(new Budget({ canMove: true }), () => work(LARGE))).toThrow(OffloadRequired)
    expect(() => withBudget(new Budget({ canMove: false }), () => work(LARGE))).not.toThrow()
  })

  test('of a small one costs next to nothing', () => {
    const fiftyTimes = () => Array.from({ length: 50 }, () => work(SMALL))
    expect(() => withBudget(new Budget({ canMove: true }), fiftyTimes)).not.toThrow()
  })
})

test.each([
  ['{}', `[${'{},'.repeat(1_100_000)}{}]`],
  ['numbers', `[${'1,'.repeat(2_000_000)}1]`],
])('a body with more than 2,000,000 values is 413, before it is parsed: %s', (_what, text) => {
  expect(() => parseBody(text, 100)).toThrow(expect.objectContaining({ status: 413 }))
})

test('a body that is too dear to read is no syntax error', () => {
  const budget = new Budget({ canMove: false, endsAt: 0 })
  expect(() => withBudget(budget, () => parseBody('{}', 100))).toThrow(BudgetError)
  expect(() => parseBody('{', 100)).toThrow(FhirError)
})
