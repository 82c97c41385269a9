/** What is chosen of the work list, as the address has it. */

export const FILTERS = { tab: 'open', owner: '', priority: '', due: '', code: '', task: '', state: 'dead' }
export type Filters = typeof FILTERS
