/**
 * What is read, as BudgetError.what: without the values that are searched for, which may be patient data. Reads of the same
 * words are taken to be of about the same length.
 */
import type { SearchPlan } from '../search/plan.ts'
import { describeSearch } from './describe-search.ts'
import type { HistoryQuery, KeysQuery, ValuesQuery } from './port.ts'

export const describeRead = {
  search: (plan: SearchPlan) => `the search ${describeSearch(plan)}`,
  history: ({ type = 'all types', id }: HistoryQuery) => `the history of ${id === undefined ? type : `one ${type}`}`,
  values: ({ type = 'all types', param }: ValuesQuery) => `the values of ${param} in ${type}`,
  keys: ({ type, param }: KeysQuery) => `the ${type} resources that share values of ${param}`,
} as const
