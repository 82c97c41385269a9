/** The cost of expressions: all their work is paid from the budget of the request. */
import { describe, expect, test } from '@jest/globals'
import { compileFhirPath, compileUserExpression, EvaluationError } from '../../src/fhir/fhirpath/fhirpath.ts'
import { Budget, BudgetError, OffloadRequired, withBudget } from '../../src/isolation/budget.ts'

const COUNT = 5_000
const name = Array.from({ length: COUNT }, (_none, index) => ({ family: `f${index}`, given: [`g${index}`] }))
const patient = { resourceType: 'Patient', name, contact: name.toReversed().map((one) => ({ name: one })) }

const onEventLoop = <T>(work: () => T): T => withBudget(new Budget({ canMove: true }), work)
const limits = () => ({ left: 1_000_000_000, matches: () => false })

describe('more than the event loop is held for is', () => {
  test.each([
    'descendants().count()',
    'name.select(family & given).distinct().count()',
    'name.given.union(name.family).count()',
    'name.intersect(contact.name).count()',
    'name.repeat(given).count()',
    'name.all(given.exists() implies family.exists())',
    "name.where(family.startsWith('f1')).given.upper()",
  ])('%s of 5,000 names', (expression) => {
    const compiled = compileUserExpression(expression)
    expect(() => onEventLoop(() => compiled.evaluate(patient, { limits: limits() }))).toThrow(OffloadRequired)
  })

  test('comparing lists that have the same members in another order', () => {
    const compiled = compileUserExpression('name.family ~ contact.name.family')
    expect(() => onEventLoop(() => compiled.evaluate(patient, { limits: limits() }))).toThrow(OffloadRequired)
  })

  test('an expression of R4 on as much', () => {
    const compiled = compileFhirPath('descendants().all(children().exists() or toString().exists())')
    expect(() => onEventLoop(() => compiled.evaluate(patient))).toThrow(OffloadRequired)
  })

  test('an expression that the package evaluates, as it can be neither counted nor ended', () => {
    const compiled = compileFhirPath('name.family.first().encode("hex")'.replaceAll('"', "'"))
    expect(compiled.compiled).toBe(false)
    expect(() => onEventLoop(() => compiled.evaluate(patient))).toThrow(OffloadRequired)
  })
})

test('in a work thread the work ends with the budget, and is no value of the expression', () => {
  const compiled = compileUserExpression('name.all($this.select(%resource.name.where(family.exists())).exists())')
  const evaluate = () => compiled.evaluate(patient, { resource: patient, limits: limits() })
  const budget = new Budget({ canMove: false })
  budget.spend(7_900_000, 'what came before')
  expect(() => withBudget(budget, evaluate)).toThrow(BudgetError)
})

test('as many references as contained resources are resolved by an index', () => {
  const ids = Array.from({ length: COUNT }, (_none, index) => `c${index}`)
  let reads = 0
  const contained = ids.map((id) => ({
    resourceType: 'Practitioner',
    get id() {
      reads++
      return id
    },
  }))
  const resource = {
    resourceType: 'Patient',
    contained,
    generalPractitioner: ids.map((id) => ({ reference: `#${id}` })),
  }
  const { evaluate } = compileFhirPath('Patient.generalPractitioner.where(resolve() is Practitioner)')
  expect(evaluate(resource)).toHaveLength(COUNT)
  expect(reads).toBeLessThan(3 * COUNT)
})

test('of contained resources with the same id the first one counts', () => {
  const contained = [
    { resourceType: 'Practitioner', id: 'a' },
    { resourceType: 'Organization', id: 'a' },
  ]
  const resource = { resourceType: 'Patient', contained, generalPractitioner: [{ reference: '#a' }] }
  const { evaluate } = compileUserExpression('generalPractitioner.resolve().resourceType')
  expect(evaluate(resource)).toEqual(['Practitioner'])
})

/** A text of a million characters. */
const LONG = `'x'${".replace('x', 'xxxxxxxxxx')".repeat(6)}`

test.each([
  'name.select(%resource.name).select(%resource.name).count() >= 0',
  'name.select(%context.name.combine(%resource.name)).count() >= 0',
  'name.select(%resource.name.union(%resource.contact)).select(%resource.name).count() >= 0',
  'name.select(%resource.name | %resource.contact).count() >= 0',
  'name.select(iif(true, %resource.name, {})).count() >= 0',
  'name.select(%resource.name.where(true)).count() >= 0',
  'name.select(%resource.name.skip(1)).count() >= 0',
  'name.select(%resource).name.count() >= 0',
  'name.select(%resource).children().count() >= 0',
  'name.select(%resource).descendants().count() >= 0',
  'name.select(%resource.descendants()).count() >= 0',
  'name.repeat(%resource.contact.select(%resource.name)).count() >= 0',
  "''.replace('', 'x').replace('x', 'xxxxxxxxxx')".concat(".replace('x', 'xxxxxxxxxx')".repeat(8)),
  `${LONG}.replace('', ${LONG})`,
  `name.family.join(${LONG})`,
  `${LONG} & ${LONG}`,
  `${LONG} + ${LONG}`,
  `${LONG}.split('')`,
  `${LONG}.toChars()`,
  `name.take(100).select(${LONG}).count() >= 0`,
])('%s is given up before it fills the memory', (expression) => {
  const ended = { left: 3_000_000, matches: () => false }
  const { evaluate } = compileUserExpression(expression)
  expect(() => evaluate(patient, { resource: patient, limits: ended })).toThrow(EvaluationError)
  expect(ended.left).toBeLessThan(0)
})

test.each([
  ['name.combine(contact).count()', 2 * COUNT],
  ['name.select(given | family).count()', 2 * COUNT],
  ["name.family.join(',').length()", name.map(({ family }) => family).join(',').length],
  ["name.family.join(',').split(',').count()", COUNT],
  ["name.family.join('').replace('f', 'ff').length()", name.map(({ family }) => `f${family}`).join('').length],
  ['name.family.first().toChars().count()', 2],
])('%s of 5,000 names is evaluated', (expression, expected) => {
  const { evaluate } = compileUserExpression(expression)
  const value = () => evaluate(patient, { resource: patient, limits: { left: 3_000_000, matches: () => false } })
  expect(value()).toEqual([expected])
})
