/**
 * The search parameters of a type that have every value of others: `name` has those of `family` and `given`, `telecom`
 * those of `phone`, `combo-code` those of `code`. An engine need not store such a value twice.
 */
import { indexedParametersOf, type SearchParameter } from '../parameters.ts'
import type { CoveredParameters } from '../plan.ts'
import { TEXT_PARTS } from '../types/string.ts'

export function coveredParameters(types: readonly string[]): CoveredParameters {
  const all = types.map((type) => [type, coveredOf(indexedParametersOf(type).filter(isComparable))] as const)
  return Object.fromEntries(all.filter(([, covered]) => Object.keys(covered).length > 0))
}

const isComparable = ({ type, phonetic }: SearchParameter): boolean =>
  (type === 'string' && phonetic !== true) || type === 'token'

function coveredOf(parameters: readonly SearchParameter[]): CoveredParameters[string] {
  const all = parameters.map((one) => {
    // When two are the same, neither is left out.
    const others = parameters.filter((other) => other !== one && covers(one, other) && !covers(other, one))
    return [one.code, others.map(({ code }) => code)] as const
  })
  return Object.fromEntries(all.filter(([, others]) => others.length > 0))
}

const covers = (one: SearchParameter, other: SearchParameter): boolean =>
  one.type === other.type &&
  one.element === other.element &&
  one.system === other.system &&
  elementsOf(other).every((part) => elementsOf(one).some((whole) => isWithin(part, whole, one.type)))

const elementsOf = ({ expression }: SearchParameter): readonly string[] =>
  expression.split(' | ').map((element) => element.replace(/^\((.*)\)$/, '$1'))

/** True for the same element, a text in it, or some of its repetitions. */
function isWithin(part: string, whole: string, type: SearchParameter['type']): boolean {
  if (part === whole) return true
  if (!part.startsWith(whole)) return false
  const rest = part.slice(whole.length)
  return type === 'string' ? TEXT_PARTS.some((text) => rest === `.${text}`) : /^\.where\(system='\w+'\)$/.test(rest)
}
