/** The addresses that a report names. */
import type { RunReport } from '../runs/run.ts'

type Located = Pick<RunReport, 'base' | 'as' | 'clinic'>

/** Gives the address of an exchange, for readers who can open it. */
export type LinkOf = (report: Located, exchange: string) => string

/** The address of the server, without a strictness profile. */
export function serverOf({ base, as }: Pick<Located, 'base' | 'as'>): string {
  const ending = `/as/${as}`
  return as !== undefined && base.endsWith(ending) ? base.slice(0, -ending.length) : base
}

/** An exchange in the journal: docs/journal.md. */
export const exchangeAddress: LinkOf = (report, exchange) =>
  `${serverOf(report)}/clinics/${encodeURIComponent(report.clinic)}/exchanges/${encodeURIComponent(exchange)}`

/** The page of an exchange in the dashboard. */
export const exchangePage: LinkOf = (report, exchange) =>
  `${serverOf(report)}/dashboard/journal/${encodeURIComponent(exchange)}`
