/** The search that a query for codes amounts to, which says what parts of the search index it needs. */
import type { SearchPlan } from '../search/plan.ts'
import type { CodesQuery } from './port.ts'

export const codesPlan = ({ clinic, type, param }: CodesQuery): SearchPlan => ({
  clinic,
  types: [type],
  where: [{ kind: 'token', param }],
  sort: [],
  count: 0,
  total: 'none',
  include: [],
  includeLimit: 0,
})
