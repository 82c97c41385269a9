/** The filters of the work list, with their defaults; the address holds them. */

export const FILTERS = {
  tab: 'open',
  owner: '',
  priority: '',
  due: '',
  code: '',
  snoozed: '',
  sort: '',
  task: '',
  state: 'dead',
}
export type Filters = typeof FILTERS
