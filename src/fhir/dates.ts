/** FHIR dates as the time ranges they denote: https://hl7.org/fhir/R4/datatypes.html#dateTime. */

/** Milliseconds since 1970 UTC, both ends included. */
export interface TimeRange {
  readonly low: number
  readonly high: number
}

/** Milliseconds since 1970 UTC of an instant. NaN for one that is absent, which is neither before nor after any time. */
export const timeOf = (instant: string | undefined): number => Date.parse(instant ?? '')

/** The instant of a time: milliseconds since 1970 UTC. */
export const instantOf = (at: number): string => new Date(at).toISOString()

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/**
 * The first and last millisecond that `2026`, `2026-03`, `2026-03-01`, `2026-03-01T09:00`, `…:00Z` or
 * `…:00.123+02:00` covers. A time without a zone is UTC. Undefined for a malformed or impossible date.
 */
export function parseDateRange(text: string): TimeRange | undefined {
  const parts = DATE.exec(text)
  if (parts === null) return undefined
  const [, year = '', month, day, hour, minute = '00', second, fraction = '', zone = 'Z'] = parts
  const iso = `${year}-${month ?? '01'}-${day ?? '01'}T${hour ?? '00'}:${minute}:${second === '60' ? '59' : (second ?? '00')}${milliseconds(fraction)}${zone}`
  const low = Date.parse(iso)
  // Date.parse reads February 30 as March 2.
  if (Number.isNaN(low) || (day !== undefined && !existsDay(Number(year), Number(month), Number(day)))) return undefined
  return { low, high: low + spanOf(low, month, day, hour, second, fraction) - 1 }
}

const milliseconds = (fraction: string): string => (fraction === '' ? '' : fraction.slice(0, 4).padEnd(4, '0'))

function existsDay(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function spanOf(low: number, month?: string, day?: string, hour?: string, second?: string, fraction = ''): number {
  const date = new Date(low)
  if (month === undefined) return date.setUTCFullYear(date.getUTCFullYear() + 1) - low
  if (day === undefined) return date.setUTCMonth(date.getUTCMonth() + 1) - low
  if (hour === undefined) return 86_400_000
  if (second === undefined) return 60_000
  return fraction === '' ? 1000 : Math.max(1, 10 ** (4 - Math.min(fraction.length, 4)))
}
