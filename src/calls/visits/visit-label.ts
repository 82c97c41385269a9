/**
 * A visit in words, "Tuesday, November 24th, at 2:30 in the afternoon with Dr. Amara Okafor at Maple Street", and the spoken
 * names of people who see patients, and of places.
 */
import type { HealthcareService, HumanName, Location, Practitioner, PractitionerRole, Reference } from 'fhir/r4'
import { DateTime } from 'luxon'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { memoize } from '../../fhir/memoize.ts'
import { localReference } from '../../fhir/reference.ts'
import { spend } from '../../isolation/budget.ts'
import { clockOf, zoneOf } from '../../scheduling/zone-clock.ts'
import { sayTime } from '../../spoken/say.ts'

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

export interface NamedActor {
  /**
   * For example `Practitioner/1`. For a PractitionerRole, its practitioner's if it has one; '' if the actor has only a
   * name.
   */
  readonly address: string
  /** The name to read aloud: "Dr. Amara Okafor". */
  readonly name: string
  /** Its other names. */
  readonly alsoCalled: readonly string[]
}

export interface NamedActors {
  readonly people: readonly NamedActor[]
  readonly places: readonly NamedActor[]
}

/** Budget steps to read one actor. */
const LOOKED_UP = 2

/** Omits patients, and actors without a name. @param actors of a Schedule, or participants of an Appointment */
export async function namedActors(ctx: Context, actors: readonly Reference[]): Promise<NamedActors> {
  spend(actors.length * LOOKED_UP, 'the names of those who take part')
  const named = await Promise.all(actors.map((actor) => nameOne(ctx, actor)))
  return {
    people: named.flatMap((one) => one?.people ?? []),
    places: named.flatMap((one) => one?.places ?? []),
  }
}

async function nameOne(
  ctx: Context,
  { reference = '', display }: Reference,
): Promise<Partial<NamedActors> | undefined> {
  const { type, id } = localReference(reference, ctx.baseUrl) ?? {}
  if (type === 'Patient' || type === 'RelatedPerson') return undefined
  if (type === undefined || id === undefined) return { people: called(reference, [display]) }
  switch (type) {
    case 'Practitioner': {
      const found = (await ctx.unit.readRecent<Practitioner>('Practitioner', id))?.resource
      return { people: called(`${type}/${id}`, [...(found?.name ?? []).flatMap(spokenNames), display]) }
    }
    case 'PractitionerRole':
      return await nameRole(ctx, id, display)
    case 'Location': {
      const { name, alias = [], address } = (await ctx.unit.readRecent<Location>('Location', id))?.resource ?? {}
      return { places: called(`${type}/${id}`, [name, display, ...alias, address?.city]) }
    }
    case 'HealthcareService': {
      const found = (await ctx.unit.readRecent<HealthcareService>('HealthcareService', id))?.resource
      return { people: called(`${type}/${id}`, [found?.name, display]) }
    }
    default:
      return undefined
  }
}

async function nameRole(ctx: Context, id: string, display: string | undefined): Promise<Partial<NamedActors>> {
  const { practitioner, location = [] } =
    (await ctx.unit.readRecent<PractitionerRole>('PractitionerRole', id))?.resource ?? {}
  const people = practitioner && (await nameOne(ctx, practitioner))?.people
  const places = await Promise.all(location.map((one) => nameOne(ctx, one)))
  return {
    people: people ?? called(`PractitionerRole/${id}`, [display]),
    places: places.flatMap((one) => one?.places ?? []),
  }
}

function called(address: string, names: readonly (string | null | undefined)[]): readonly NamedActor[] {
  const [name, ...alsoCalled] = names.flatMap((one) => (one == null || one.trim() === '' ? [] : one))
  return name === undefined ? [] : [{ address, name, alsoCalled }]
}

/** "Dr. Amara Okafor", without suffixes. */
function spokenNames({ use, prefix = [], given = [], family, text }: HumanName): readonly string[] {
  if (use === 'old') return []
  const parts = [...prefix, ...given.slice(0, 1), ...(family === undefined ? [] : [family])]
  return [...(family === undefined ? [] : [parts.join(' ')]), ...(text === undefined ? [] : [text])]
}
