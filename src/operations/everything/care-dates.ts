/** The dates of care in search parameters, for `start` and `end` of Patient/$everything. */
import { parseDateRange } from '../../fhir/dates.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isAdded, searchParametersOf } from '../../search/parameters.ts'
import type { Condition } from '../../search/plan.ts'

/** Date parameters that are not dates of care. */
const OTHER_DATES: ReadonlySet<string> = new Set([
  '_lastUpdated',
  'birthdate',
  'death-date',
  'modified',
  'payment-date',
  'target-date',
  'value-date',
])

const careDatesOf = (type: string): readonly string[] =>
  [...searchParametersOf(type).values()]
    // A parameter added by an extension may be any date.
    .filter((parameter) => parameter.type === 'date' && !OTHER_DATES.has(parameter.code) && !isAdded(parameter))
    .map(({ code }) => code)

/**
 * A condition for resources with a date of care between the beginning of `start` and the end of `end`, or without any
 * date of care. Undefined if both are absent.
 * @throws FhirError 400 if the range ends before it starts
 */
export function careBetween(
  start: string | undefined,
  end: string | undefined,
  types: readonly string[],
): Condition | undefined {
  if (start === undefined && end === undefined) return undefined
  const highMin = start === undefined ? undefined : parseDateRange(start)?.low
  const lowMax = end === undefined ? undefined : parseDateRange(end)?.high
  if (highMin !== undefined && lowMax !== undefined && lowMax < highMin)
    throw badRequest(`end (${end}) is before start (${start})`, { expression: 'end' })
  const bounds = { ...(highMin === undefined ? {} : { highMin }), ...(lowMax === undefined ? {} : { lowMax }) }
  const groups = [...Map.groupBy(types, (type) => careDatesOf(type).join()).values()]
  const of = groups.map((group): Condition => {
    const dates = careDatesOf(group[0] ?? '')
    const within = dates.map((param): Condition => ({ kind: 'date', param, bounds }))
    const undated = dates.map((param): Condition => ({ kind: 'missing', param, missing: true }))
    const matches: Condition = { kind: 'any', of: [...within, { kind: 'all', of: undated }] }
    return { kind: 'all', of: [{ kind: 'type', types: group }, matches] }
  })
  return { kind: 'any', of }
}
