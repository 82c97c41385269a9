/** A visit in words: "Tuesday, November 24th, at 2:30 in the afternoon with Dr. Amara Okafor at Maple Street". */
import type { Reference } from 'fhir/r4'
import { DateTime } from 'luxon'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { memoize } from '../../fhir/memoize.ts'
import { clockOf, zoneOf } from '../../scheduling/zone-clock.ts'
import { sayTime } from '../../spoken/say-time.ts'
import { type NamedActors, namedActors } from './named-actors.ts'

export interface SpokenVisit {
  /** FHIR instant with the clinic's offset. */
  readonly start: string
  readonly label: string
}

/** A visit in words, in parts, with its start. */
export interface VisitWords {
  readonly start: string
  /** "Tuesday, November 24th, at 2:30 in the afternoon" */
  readonly time: string
  /** " with Dr. Amara Okafor", " at Maple Street"; '' if unknown. */
  readonly who: string
  readonly where: string
}

/** @param start FHIR instant @param actors of its Schedule, or its participants */
export const spokenVisit = async (ctx: Context, start: string, actors: readonly Reference[]): Promise<SpokenVisit> =>
  labelled(await visitWords(ctx, start, actors))

export const labelled = ({ start, time, who, where }: VisitWords): SpokenVisit => ({
  start,
  label: `${time}${who}${where}`,
})

export async function visitWords(ctx: Context, start: string, actors: readonly Reference[]): Promise<VisitWords> {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  const { people, places } = await namesOf(ctx, actors)
  const instant = Date.parse(start)
  return {
    start: clockOf(settings.timeZone).format(instant),
    time: spokenTime(`${settings.timeZone} ${instant} ${yearAt(settings, ctx.now)}`),
    who: people[0] === undefined ? '' : ` with ${people[0].name}`,
    where: places[0] === undefined ? '' : ` at ${places[0].name}`,
  }
}

/** Cached by unit of work, as several visits have the same actors. */
const known = new WeakMap<Context['unit'], Map<string, Promise<NamedActors>>>()

function namesOf(ctx: Context, actors: readonly Reference[]): Promise<NamedActors> {
  const ofUnit = known.get(ctx.unit) ?? new Map<string, Promise<NamedActors>>()
  known.set(ctx.unit, ofUnit)
  const key = JSON.stringify(actors)
  const names = ofUnit.get(key) ?? namedActors(ctx, actors)
  ofUnit.set(key, names)
  return names
}

/** Size of the cache of spoken times: the same times are offered in many calls. */
const MOST_TIMES = 5_000

/** Keyed by zone, instant, and current year. */
const spokenTime = memoize(MOST_TIMES, (key): string => {
  const [timeZone = '', instant, year] = key.split(' ')
  return sayTime(DateTime.fromMillis(Number(instant), { zone: zoneOf(timeZone) }), { year: Number(year) })
})

const yearAt = ({ timeZone }: ClinicSettings, instant: number): number =>
  new Date(clockOf(timeZone).wallTimeAt(instant)).getUTCFullYear()

const CHOICE = new Intl.ListFormat('en', { type: 'disjunction' })

/** More could not be remembered. */
const MAX_SPOKEN = 3

/** A choice of a few visits; a common practitioner or place is named once. */
export function sayChoice(visits: readonly VisitWords[]): string {
  const spoken = visits.slice(0, MAX_SPOKEN)
  const [who] = new Set(spoken.map((one) => one.who))
  const isSame = spoken.every((one) => one.who === who)
  const times = spoken.map((one) => (isSame ? one.time : `${one.time}${one.who}`))
  const others = visits.length > spoken.length ? ['another time'] : []
  return `${oneOf([...times, ...others])}${isSame ? (who ?? '') : ''}`
}

/** Joins labels, which contain commas: "a; b; or c". */
export const oneOf = (labels: readonly string[]): string =>
  labels.length < 3 ? CHOICE.format(labels) : `${labels.slice(0, -1).join('; ')}; or ${labels.at(-1)}`
