/** Filters of the journal as they stand in the address of its list, and of an exchange that is opened from it. */

import { READS } from '../api/client.ts'
import type { ExchangeFilters } from '../api/exchanges.ts'
import { sinceOf } from './time-fields.tsx'

/** `range`: seconds until now; `since` and `until` are instants. `own`: what pages of the dashboard read. */
export const EXCHANGE_FILTERS = {
  ...{
    path: '',
    status: '',
    type: '',
    call: '',
    run: '',
    trace: '',
    fault: '',
    method: '',
    direction: '',
    user: '',
    operation: '',
  },
  ...{ text: '', authentication: '', range: '', since: '', until: '', own: 'hidden' },
}

export type FiltersInAddress = typeof EXCHANGE_FILTERS

/** As the server takes them, now. */
export function exchangeFilters({ range, own, since, ...filters }: FiltersInAddress): ExchangeFilters {
  return {
    ...filters,
    since: sinceOf({ range, since }),
    'run:not': own === 'hidden' ? READS : '',
  }
}
