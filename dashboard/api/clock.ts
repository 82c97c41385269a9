/** The time of the server, from which the browser's clock may differ, and that of the clinic, which may be set ahead of it. */

/** Milliseconds of difference that are ignored: responses take time, and the Date header has whole seconds only. */
const NOTICEABLE = 30_000

let ahead = 0

/** @param date the Date header of a response that has just arrived */
export function heardTime(date: string | null): void {
  const there = Date.parse(date ?? '')
  if (Number.isNaN(there)) return
  const difference = there - Date.now()
  ahead = Math.abs(difference) < NOTICEABLE ? 0 : difference
}

/** Milliseconds since 1970 UTC, for the journal and for what the clock of a clinic does not change. */
export const now = (): number => Date.now() + ahead

export interface ClinicClock {
  /** FHIR's instant. */
  readonly at: string
  readonly runs: boolean
}

/** How far the clinic is ahead of the server, or where it stands. */
type Rehearsed = { readonly ahead: number } | { readonly at: number }

let rehearsed: Rehearsed = { ahead: 0 }

/** @param clock as it has just been read; undefined: the clinic has none of its own */
export function heardClinicClock(clock: ClinicClock | undefined): void {
  if (clock?.runs === false) {
    rehearsed = { at: Date.parse(clock.at) }
    return
  }
  const difference = clock === undefined ? 0 : Date.parse(clock.at) - now()
  const before = 'ahead' in rehearsed ? rehearsed.ahead : Number.POSITIVE_INFINITY
  // Each reading is a little off: only a jump of the clock makes everything be read anew.
  if (Math.abs(difference - before) < NOTICEABLE) return
  rehearsed = { ahead: Math.abs(difference) < NOTICEABLE ? 0 : difference }
}

/** Changes with each jump of the clinic's clock, and not as it runs. */
export const clinicClockSetting = (): string => JSON.stringify(rehearsed)

/** The clinic's time, by which visits are past or to come, in milliseconds since 1970 UTC. */
export const clinicNow = (): number => ('at' in rehearsed ? rehearsed.at : now() + rehearsed.ahead)

export const MINUTE = 60_000

/** The clinic's time in whole minutes, so that what is made of it stays the same from one render to the next. */
export const thisMinute = (): number => Math.floor(clinicNow() / MINUTE) * MINUTE

/** Whether the clinic's time is that of the server, and goes on with it. */
export const isRealTime = (): boolean => 'ahead' in rehearsed && rehearsed.ahead === 0
