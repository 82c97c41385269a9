/** Binary operators: https://hl7.org/fhirpath/N1/#operations. */
import { isNumber } from '../json.ts'
import { compareItems, equal, equivalent } from './compare.ts'
import { distinctItems, includes } from './distinct.ts'
import { willCompose } from './limits.ts'
import type { Collection } from './node.ts'
import { EMPTY, type Evaluate, type EvaluationScope, single, truth, truthOf } from './scope.ts'
import { toText } from './value-functions.ts'

type Operator = (left: Collection, right: Collection, scope: EvaluationScope) => Collection

/** Empty when an operand is empty. */
const strict =
  (operate: Operator): Operator =>
  (left, right, scope) =>
    left.length === 0 || right.length === 0 ? EMPTY : operate(left, right, scope)

const not = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value)

const ordered = (name: string, holds: (order: number) => boolean): Operator =>
  strict((left, right) => {
    if (single(left, name) === undefined || single(right, name) === undefined) return EMPTY
    const order = compareItems(left[0] ?? '', right[0] ?? '')
    return truth(order === undefined ? undefined : holds(order))
  })

const calculated = (name: string, calculate: (left: number, right: number) => number | undefined): Operator =>
  strict((left, right) => {
    const [one, other] = [single(left, name), single(right, name)]
    if (one === undefined || other === undefined) return EMPTY
    if (!isNumber(one) || !isNumber(other)) throw new Error(`${name} needs two numbers`)
    const result = calculate(Number(one), Number(other))
    return result === undefined ? EMPTY : [result]
  })

const sum = calculated('+', (left, right) => left + right)

const plus: Operator = strict((left, right, scope) => {
  const [one, other] = [single(left, '+'), single(right, '+')]
  return typeof one === 'string' && typeof other === 'string'
    ? concatenated(one, other, scope)
    : sum(left, right, scope)
})

const joined: Operator = (left, right, scope) =>
  concatenated(toText(single(left, '&')) ?? '', toText(single(right, '&')) ?? '', scope)

function concatenated(one: string, other: string, scope: EvaluationScope): Collection {
  willCompose(scope, one.length + other.length)
  return [one + other]
}

/** Whether a single item is in a collection. */
function isMember(item: Collection, of: Collection, name: string): Collection {
  if (item.length === 0) return EMPTY
  single(item, name)
  return truth(includes(of, item[0] ?? ''))
}

const OPERATORS: Readonly<Record<string, Operator>> = {
  '=': strict((left, right) => truth(equal(left, right))),
  '!=': strict((left, right) => truth(not(equal(left, right)))),
  '~': (left, right) => truth(equivalent(left, right)),
  '!~': (left, right) => truth(!equivalent(left, right)),
  '<': ordered('<', (order) => order < 0),
  '<=': ordered('<=', (order) => order <= 0),
  '>': ordered('>', (order) => order > 0),
  '>=': ordered('>=', (order) => order >= 0),
  '|': (left, right) => distinctItems([...left, ...right]),
  '+': plus,
  '-': calculated('-', (left, right) => left - right),
  '*': calculated('*', (left, right) => left * right),
  '/': calculated('/', (left, right) => (right === 0 ? undefined : left / right)),
  div: calculated('div', (left, right) => (right === 0 ? undefined : Math.trunc(left / right))),
  mod: calculated('mod', (left, right) => (right === 0 ? undefined : left % right)),
  '&': joined,
  in: (left, right) => isMember(left, right, 'in'),
  contains: (left, right) => isMember(right, left, 'contains'),
}

/** and, or, xor, implies: the right operand is not evaluated when the left one decides. */
const LOGIC: Readonly<Record<string, (left: Evaluate, right: Evaluate) => Evaluate>> = {
  and: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'and')
    if (one === false) return truth(false)
    const other = truthOf(right(scope), 'and')
    return truth(other === false ? false : one && other)
  },
  or: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'or')
    if (one === true) return truth(true)
    const other = truthOf(right(scope), 'or')
    return truth(other === true ? true : one === undefined ? undefined : other)
  },
  xor: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'xor')
    const other = truthOf(right(scope), 'xor')
    return truth(one === undefined || other === undefined ? undefined : one !== other)
  },
  implies: (left, right) => (scope) => {
    const one = truthOf(left(scope), 'implies')
    if (one === false) return truth(true)
    const other = truthOf(right(scope), 'implies')
    return truth(other === true ? true : one === undefined ? undefined : other)
  },
}

/** @throws Error for an unknown operator */
export function compileOperator(name: string, left: Evaluate, right: Evaluate): Evaluate {
  const logic = LOGIC[name]
  if (logic !== undefined) return logic(left, right)
  const operator = OPERATORS[name]
  if (operator === undefined) throw new Error(`operator ${name} has no definition`)
  return (scope) => operator(left(scope), right(scope), scope)
}
