/** The search equivalent to a query by keys, from which the needed parts of the search index follow. */
import type { SearchPlan } from '../search/plan.ts'
import type { KeysQuery } from './port.ts'

export const keysPlan = ({ clinic, type, param }: KeysQuery): SearchPlan => ({
  clinic,
  types: [type],
  where: [{ kind: 'token', param }],
  sort: [],
  count: 0,
  total: 'none',
  include: [],
  includeLimit: 0,
})
