/** Settings of the journal of a clinic's exchanges. docs/journal.md */
import { reject } from './setting-checks.ts'

/** Everything, everything but bodies, or nothing. */
const JOURNAL_MODES = ['full', 'headers', 'off'] as const
export type JournalMode = (typeof JOURNAL_MODES)[number]

/** Bounds of the days and of the number of exchanges to keep. */
export const JOURNAL_DAYS = { least: 1, most: 3_650 } as const
export const JOURNAL_ENTRIES = { least: 100, most: 1_000_000 } as const

/** The mode as a client sent it; null for the default of the server. */
export function checkJournalMode(value: unknown, problems: string[]): JournalMode | undefined {
  if (value === undefined || value === null) return undefined
  const mode = JOURNAL_MODES.find((one) => one === value)
  if (mode !== undefined) return mode
  return reject(problems, `journal must be ${JOURNAL_MODES.join(', ')}, or absent for what the server has`)
}

/** The same for a number. */
export const checkJournalNumber =
  (name: string, { least, most }: { readonly least: number; readonly most: number }) =>
  (value: unknown, problems: string[]): number | undefined => {
    if (value === undefined || value === null) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    return reject(
      problems,
      `${name} must be a whole number from ${least} to ${most}, or absent for what the server has`,
    )
  }
