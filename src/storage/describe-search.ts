/** Describes a search by its query string without the values, for messages, which must not repeat patient data. */
import type { Condition, SearchPlan, SortKey } from '../search/plan.ts'
import { usesOf } from '../search/plan-parameters.ts'
import type { HistoryQuery, KeysQuery, ValuesQuery } from './port.ts'

/** Characters; longer descriptions are cut. */
const LONGEST = 200
/** From this page size on, `_count` is included in the description. */
const LARGE_PAGE = 200

/** `Observation?subject:Patient.name&_sort=date&_total=accurate` */
export function describeSearch({ types, where, sort, total, include, count }: SearchPlan): string {
  const parameters = [
    ...new Set(where.flatMap(namesIn)),
    ...(sort.length > 0 ? [`_sort=${sort.map(nameOfKey).join(',')}`] : []),
    ...(total === 'none' ? [] : [`_total=${total}`]),
    ...(count < LARGE_PAGE ? [] : [`_count=${count}`]),
    ...new Set(
      include.map(({ source, param, reverse }) => `${reverse ? '_revinclude' : '_include'}=${source}:${param}`),
    ),
  ]
  const path = types.length > 3 ? '' : types.join(',')
  const text = parameters.length === 0 ? path : `${path}?${parameters.join('&')}`
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** A name for each parameter that the condition compares. */
const namesIn = (condition: Condition): readonly string[] => usesOf(condition, '').flatMap(({ name }) => name ?? [])

const nameOfKey = (key: SortKey): string =>
  `${key.descending ? '-' : ''}${'param' in key ? key.param : key.by === 'id' ? '_id' : '_lastUpdated'}`

/**
 * Descriptions of reads, for BudgetError.what, without the searched values, which may be patient data. Reads with the same
 * description are taken to be equally long.
 */
export const describeRead = {
  search: (plan: SearchPlan) => `the search ${describeSearch(plan)}`,
  history: ({ type = 'all types', id }: HistoryQuery) => `the history of ${id === undefined ? type : `one ${type}`}`,
  values: ({ type = 'all types', param }: ValuesQuery) => `the values of ${param} in ${type}`,
  keys: ({ type, param }: KeysQuery) => `the ${type} resources that share values of ${param}`,
} as const
