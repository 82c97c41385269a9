/**
 * The requested kind of visit, person and place, mapping keys and spoken names to what the clinic's Schedules offer; and the
 * requested times, read in the clinic's zone, region and working hours.
 */
import type { Appointment, CodeableConcept, Period } from 'fhir/r4'
import type { DateTime } from 'luxon'
import { activeSchedules, availabilityOf, offeredTypes, toldSchedules } from '../../booking/offered-types.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { DAYS_OF_WEEK } from '../../scheduling/availability.ts'
import { workingHours } from '../../scheduling/opening-hours.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { splitUnescaped, tokenText, unescaped } from '../../search/value.ts'
import { listed } from '../../spoken/say.ts'
import { chooseSpoken, isNamed } from '../../spoken/spoken-choice.ts'
import { spokenTimes } from '../../spoken/spoken-times.ts'
import { localeOf } from '../../spoken/stated-values.ts'
import { WEEKDAYS } from '../../spoken/when/calendar.ts'
import { endAt, type OpeningTime, startAt, type TimeWindow } from '../../spoken/when/window.ts'
import { isKeyShaped, unknownKey, valueOfKey } from '../session/call-keys.ts'
import { type NamedActor, type NamedActors, namedActors, oneOf } from './visit-label.ts'

/** A kind of visit that the clinic offers. */
export interface AskedType {
  /** In the form of OfferedType.query. */
  readonly query: string
  readonly name: string
  readonly durationMinutes: number
}

/** The element of a Slot or an Appointment that states the kind of visit. */
export function elementOf({ query, name }: Pick<AskedType, 'query' | 'name'>): {
  readonly appointmentType?: CodeableConcept
  readonly serviceType?: CodeableConcept[]
} {
  const [[param, token] = ['', '']] = new URLSearchParams(query)
  const [code = '', system] = splitUnescaped(token, '|').map(unescaped).reverse()
  const concept = { coding: [{ ...(system === undefined ? {} : { system }), code, display: name }] }
  return param === 'appointment-type' ? { appointmentType: concept } : { serviceType: [concept] }
}

/** The inverse of elementOf, in the form of OfferedType.query; undefined if there is no code. */
export function queryOf({ appointmentType, serviceType = [] }: Pick<Appointment, 'appointmentType' | 'serviceType'>) {
  const coded = (concepts: readonly CodeableConcept[]) =>
    concepts.flatMap(({ coding = [] }) => coding).find(({ code }) => code !== undefined)
  const type = coded(appointmentType === undefined ? [] : [appointmentType])
  const { system, code } = type ?? coded(serviceType) ?? {}
  if (code === undefined) return undefined
  const param = type === undefined ? 'service-type' : 'appointment-type'
  return String(new URLSearchParams({ [param]: tokenText(system, code) }))
}

/**
 * Duration of a visit of the type, in minutes; undefined for a service, which takes one Slot.
 * @returns minutes
 */
export const minutesOf = ({ query, durationMinutes }: AskedType): number | undefined =>
  query.startsWith('appointment-type=') ? durationMinutes : undefined

/** The type as a parameter of the search for times: `system|code`. */
export function visitTypeOf({ query }: Pick<AskedType, 'query'>): string {
  const [[, token] = ['', '']] = new URLSearchParams(query)
  return unescaped(token)
}

/**
 * @param said a key of list_appointment_types, or the caller's words; undefined, or "an appointment", for any kind
 * @throws FhirError 422 with a question, or with the kinds on offer; 404 `unknown-key`
 */
export async function askedType(
  ctx: Context,
  call: CallSession | undefined,
  said: unknown,
): Promise<AskedType | undefined> {
  const text = said === undefined ? '' : String(said)
  if (!isNamed(text)) return undefined
  const query = call && (await valueOfKey(ctx, call, 'appointment-type', text))
  const types = await offeredTypes(ctx)
  const ofKey = types.find((type) => type.query === query)
  if (ofKey !== undefined) return ofKey
  const { certain, similar } = chooseSpoken(
    text,
    types.map(({ name }) => name),
  )
  if (isKeyShaped(text) && certain.length === 0) throw unknownKey('appointment-type', 'appointmentType')
  return only('appointmentType', 'appointment-type', types, { certain, similar })
}

export interface AskedActors {
  /** Schedule.id of suitable Schedules; absent: any. */
  readonly schedules?: readonly string[]
  readonly practitioner?: NamedActor
  readonly location?: NamedActor
}

/**
 * @param names the caller's words; absent if any person, or any place, will do
 * @throws FhirError 422 with a question, or with the names on offer
 */
export async function askedActors(
  ctx: Context,
  names: { readonly practitionerName?: unknown; readonly locationName?: unknown },
): Promise<AskedActors> {
  const [practitionerName, locationName] = [names.practitionerName, names.locationName].map(wished)
  if (practitionerName === undefined && locationName === undefined) return {}
  const schedules = await ctx.unit.recentView('who has which Schedule', NAMED, () => namedSchedules(ctx))
  const practitioner = choose('practitionerName', 'practitioner', practitionerName, schedules, ({ people }) => people)
  const location = choose('locationName', 'location', locationName, schedules, ({ places }) => places)
  const fit = schedules.filter(
    ({ people, places }) =>
      (practitioner === undefined || people.some((one) => identityOf(one) === identityOf(practitioner))) &&
      (location === undefined || places.some((one) => identityOf(one) === identityOf(location))),
  )
  if (fit.length === 0) throw notThere(`${practitioner?.name} does not see patients at ${location?.name}`)
  return {
    schedules: fit.map(({ id }) => id),
    ...(practitioner === undefined ? {} : { practitioner }),
    ...(location === undefined ? {} : { location }),
  }
}

/** The types of named actors, and those on which their names depend. */
const NAMED = ['Schedule', 'Practitioner', 'PractitionerRole', 'Location', 'HealthcareService']

/** The identity of an actor, by name if it has no reference. */
const identityOf = ({ address, name }: NamedActor): string => (address === '' ? name : address)

type NamedSchedule = NamedActors & { readonly id: string }

const namedSchedules = async (ctx: Context): Promise<readonly NamedSchedule[]> =>
  await Promise.all(
    (await activeSchedules(ctx)).map(async ({ id, resource }) => ({ id, ...(await namedActors(ctx, resource.actor)) })),
  )

const wished = (said: unknown): unknown => (said === undefined || isNamed(String(said)) ? said : undefined)

const notThere = (sentence: string): FhirError =>
  new FhirError(422, {
    code: 'not-found',
    reason: 'practitioner-not-at-location',
    diagnostics: `practitionerName and locationName: ${sentence}; give one of them`,
    text: `I am sorry, ${sentence}. Would you like somebody else, or another place?`,
    expression: 'locationName',
  })

type Kind = 'appointment-type' | 'practitioner' | 'location'

function choose<Schedule>(
  argument: string,
  kind: Kind,
  said: unknown,
  schedules: readonly Schedule[],
  actorsOf: (schedule: Schedule) => readonly NamedActor[],
): NamedActor | undefined {
  if (said === undefined) return undefined
  const actors = [...new Map(schedules.flatMap(actorsOf).map((actor) => [identityOf(actor), actor])).values()]
  const texts = actors.map(({ name, alsoCalled }) => [name, ...alsoCalled].join(' '))
  const byName = chooseSpoken(
    String(said),
    actors.map(({ name }) => name),
  )
  return only(argument, kind, actors, byName.certain.length > 0 ? byName : chooseSpoken(String(said), texts))
}

interface Words {
  readonly which: string
  readonly none: string
  readonly offer: string
  readonly ask: string
}

const WORDS: Readonly<Record<Kind, Words>> = {
  'appointment-type': {
    which: 'Which kind of appointment do you mean',
    none: 'I am sorry, we do not offer that.',
    offer: 'We offer',
    ask: 'Which one would you like?',
  },
  practitioner: {
    which: 'Whom do you mean',
    none: 'I am sorry, I do not find that name here.',
    offer: 'You can see',
    ask: 'Whom would you like to see?',
  },
  location: {
    which: 'Which place do you mean',
    none: 'I am sorry, I do not know that place.',
    offer: 'We are at',
    ask: 'Where would you like to come?',
  },
}

/** More would be too long to listen to. */
const MAX_SPOKEN = 6

/** The single match. @throws FhirError 422 if it is uncertain */
function only<Named extends { readonly name: string }>(
  argument: string,
  kind: Kind,
  all: readonly Named[],
  { certain, similar }: { readonly certain: readonly number[]; readonly similar: readonly number[] },
): Named {
  const meant = (certain.length > 0 ? certain : similar).flatMap((index) => all[index] ?? [])
  const [first] = meant
  if (first !== undefined && certain.length === 1) return first
  const { which, none, offer, ask } = WORDS[kind]
  const names = (some: readonly Named[]) => some.slice(0, MAX_SPOKEN).map(({ name }) => name)
  if (first !== undefined) {
    throw new FhirError(422, {
      code: 'multiple-matches',
      reason: `${kind}-unclear`,
      diagnostics: `${argument} fits ${names(meant).join(', ')}; ask the caller which one, and send that name`,
      text: meant.length === 1 ? `Do you mean ${first.name}?` : `${which}: ${oneOf(names(meant))}?`,
      expression: argument,
    })
  }
  throw new FhirError(422, {
    code: 'not-found',
    reason: `${kind}-unknown`,
    diagnostics: `${argument} is none that this clinic has; it has ${names(all).join(', ') || 'none'}`,
    text: all.length === 0 ? none : `${none} ${offer} ${listed(names(all))}. ${ask}`,
    expression: argument,
  })
}

/**
 * Returns undefined if nothing was said.
 * @throws FhirError 422 `when-unclear` with a question, or `when-not-understood`
 */
export async function askedTimes(ctx: Context, when: unknown): Promise<readonly TimeWindow[] | undefined> {
  if (when === undefined) return undefined
  const text = String(when)
  const { timeZone, defaultRegion: region } = await readSettings(ctx.unit, ctx.clinic)
  const { now } = localeOf({ timeZone, defaultRegion: region }, ctx.now)
  const alone = spokenTimes(text, { now, region, openingTimes: [] })
  // Working hours are read only if the words are ambiguous.
  const read =
    alone.kind === 'question' ? spokenTimes(text, { now, region, openingTimes: await openingTimes(ctx) }) : alone
  switch (read.kind) {
    case 'windows':
      return read.windows
    case 'question':
      throw unclear('when-unclear', `when can be read in several ways: ${read.question}`, read.question)
    case 'error':
      throw unclear('when-not-understood', `when: ${read.error}`, `Sorry. ${read.error}.`)
  }
}

const unclear = (reason: string, diagnostics: string, text: string): FhirError =>
  new FhirError(422, { code: 'value', reason, diagnostics, text, expression: 'when' })

const MIDNIGHT = 1440

/** Empty where no Schedule says when its practitioner works. */
export async function openingTimes(ctx: Context): Promise<readonly OpeningTime[]> {
  const availabilities = (await toldSchedules(ctx)).flatMap((found) => availabilityOf(found) ?? [])
  const week = workingHours(availabilities)
  return WEEKDAYS.flatMap((weekday, index) => {
    const day = DAYS_OF_WEEK[index]
    const hours = day === undefined ? [] : (week.get(day) ?? [])
    return hours.map(({ from, until }) => ({ weekday, from, until: Math.min(until, MIDNIGHT) }))
  })
}

/** Most days written individually; later ones must be requested when they are nearer. */
const MOST_DAYS = 92
const MOST_PERIODS = 100

/**
 * The requested times as periods of an Appointment, each of them without a gap: recurring hours become one period a day.
 * @param timeZone IANA name of the clinic's time zone
 */
export function requestedPeriods(windows: readonly TimeWindow[], timeZone: string): Period[] {
  const clock = clockOf(timeZone)
  const written = ({ start, end }: Span): Period => ({
    start: clock.format(start.toMillis()),
    ...(end === undefined ? {} : { end: clock.format(end.toMillis()) }),
  })
  return windows.flatMap(spansOf).slice(0, MOST_PERIODS).map(written)
}

interface Span {
  readonly start: DateTime
  readonly end?: DateTime | undefined
}

function spansOf({ start, end, weekdays, timeOfDay = { from: 0, until: MIDNIGHT } }: TimeWindow): readonly Span[] {
  const isWholeDay = timeOfDay.from === 0 && timeOfDay.until === MIDNIGHT
  if (weekdays === undefined && (isWholeDay || isOneDay({ start, end })))
    return [end === undefined ? { start } : { start, end }]
  const spans: Span[] = []
  for (let day = start.startOf('day'), days = 0; days < MOST_DAYS && (end === undefined || day < end); days++) {
    const hours = { start: later(startAt(day, timeOfDay.from), start), end: earlier(endAt(day, timeOfDay.until), end) }
    const isAskedFor = weekdays === undefined || weekdays.some((weekday) => weekday === day.weekday)
    if (isAskedFor && hours.start < hours.end) spans.push(hours)
    day = day.plus({ days: 1 })
  }
  return spans
}

const isOneDay = ({ start, end }: Span): boolean => end !== undefined && end <= start.plus({ days: 1 }).startOf('day')

const later = (one: DateTime, other: DateTime): DateTime => (one > other ? one : other)
const earlier = (one: DateTime, other: DateTime | undefined): DateTime =>
  other === undefined || one < other ? one : other
