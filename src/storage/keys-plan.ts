/** The search that a query by keys amounts to, which says what parts of the search index it needs. */
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
