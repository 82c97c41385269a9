/**
 * A page of the times that $find offers. It is cached until its data change or one of its times passes, so that it is
 * current however often it is requested.
 */
import type { Appointment, Reference, Schedule } from 'fhir/r4'
import {
  type CountedOpenings,
  countOpenings,
  findOpenings,
  isCountedByIndex,
  LOOKED_THROUGH,
  lookedFrom,
  type Opening,
  type Openings,
  type OpeningsQuery,
  type Place,
} from '../../booking/openings.ts'
import { type OfferedRun, proposalIds } from '../../booking/proposal.ts'
import { recentActors } from '../../booking/resolvable-actors.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { Versioned } from '../../repository/repository.ts'
import { bookableStarts } from '../../scheduling/booking-policies.ts'
import { proposedAppointment, type VisitContext } from '../../scheduling/proposed-appointment.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'

/** Extent of the count of the times on all pages. */
export type Counting = 'none' | 'some' | 'all'

export interface PageQuery {
  /** The query of the first page. */
  readonly wanted: OpeningsQuery
  /** Start of a later page. */
  readonly after?: Place | undefined
  readonly counting: Counting
  /** The source of `wanted.isWanted`, apart from the clinic's time zone. */
  readonly timing: unknown
  readonly context: VisitContext
}

export interface FoundPage {
  /** Proposals are not stored: a read does not find them. */
  readonly proposals: readonly Versioned<Appointment>[]
  readonly next?: Place
  /** Only on the first page, unless nothing is counted. */
  readonly counted?: CountedOpenings
}

export async function foundPage(access: ClinicAccess, ctx: Context, query: PageQuery): Promise<FoundPage> {
  const { policies, timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const { first } = bookableStarts(ctx.now, policies)
  const from = lookedFrom({ from: query.wanted.from, after: query.after }, first)
  // Clients request times from now or from midnight on. One page is cached for each hour of the start, and is valid for
  // part of it.
  const wanted = { ...query.wanted, from: Math.floor(from / HOUR) }
  const nameOf = () => JSON.stringify([{ ...query, wanted }, policies, timeZone, ctx.baseUrl])
  const { times, ...page } = await ctx.unit.unchanged(nameOf, {
    types: TYPES,
    make: () => makePage(ctx, query),
    charactersOf: (made) => made.times.reduce((sum, { rest }) => sum + rest.length, 0),
    holds: ({ sameFrom }) => sameFrom !== undefined && sameFrom.start <= from && from <= sameFrom.end,
  })
  const ids = await proposalIds(
    access,
    times.map(({ run }) => run),
    query.context,
  )
  return { ...page, proposals: times.map(({ rest }, index) => proposal(ids[index] ?? '', rest, ctx.now)) }
}

/**
 * Types on which a page depends. Not Patient, although actors may be Patients, as patients change all the time: see
 * `makePage`.
 */
const TYPES = ['Slot', 'Schedule', 'Practitioner', 'PractitionerRole', 'Location']

const HOUR = 3_600_000

/** The Appointment for a time, without its type and id. */
interface Time {
  readonly run: OfferedRun
  /** JSON text. */
  readonly rest: string
}

interface KeptPage extends Pick<FoundPage, 'next' | 'counted'>, Pick<Openings, 'sameFrom'> {
  readonly times: readonly Time[]
}

async function makePage(ctx: Context, { wanted, after, counting, context }: PageQuery): Promise<KeptPage> {
  const isIndexed = wanted.schedules !== undefined && isCountedByIndex(wanted)
  const isCountedHere = after === undefined && counting === 'some' && !isIndexed
  const page = await findOpenings(ctx, {
    ...wanted,
    ...(after === undefined ? {} : { after }),
    ...(isCountedHere ? { countThrough: LOOKED_THROUGH } : {}),
  })
  const { openings, next } = page
  const isCounted = after === undefined && counting !== 'none'
  const isOfPatients = openings.some(({ schedule }) => schedule.actor.some((actor) => isPatient(ctx, actor)))
  return {
    times: await timesOf(ctx, openings, context),
    ...(next === undefined ? {} : { next }),
    ...(isCounted ? { counted: await countOpenings(ctx, wanted, page, counting === 'all') } : {}),
    sameFrom: isOfPatients ? undefined : page.sameFrom,
  }
}

const isPatient = ({ baseUrl }: Context, { reference = '' }: Reference): boolean =>
  localReference(reference, baseUrl)?.type === 'Patient'

async function timesOf(ctx: Context, openings: readonly Opening[], context: VisitContext): Promise<readonly Time[]> {
  const actorsOf = new Map<Schedule, readonly Reference[]>()
  const times: Time[] = []
  for (const { schedule, slots } of openings) {
    const actors = actorsOf.get(schedule) ?? (await recentActors(ctx, schedule.actor))
    actorsOf.set(schedule, actors)
    const { resourceType: _type, ...rest } = proposedAppointment({ schedule, slots, actors }, context)
    times.push({ run: { 0: { id: slots[0].id }, length: slots.length }, rest: JSON.stringify(rest) })
  }
  return times
}

function proposal(id: string, rest: string, now: number): Versioned<Appointment> {
  const text = `{"resourceType":"Appointment","id":${JSON.stringify(id)},${rest.slice(1)}`
  return new Versioned({ type: 'Appointment', id, version: 0, lastUpdated: now, method: 'POST', text })
}

/** The page cursor of $find. */
export interface FindCursor {
  /** The start of the page. */
  readonly place: Place
  /** The total of all pages, as counted for the first one. */
  readonly counted?: CountedOpenings
}

const LIST = 'Appointment/$find'

export const writeFindCursor = (cursor: FindCursor): string => writeCursor(LIST, [cursor])

/** @throws InvalidCursor */
export const readFindCursor = (text: string | undefined): FindCursor | undefined =>
  text === undefined ? undefined : readCursor(text, LIST, isShape)[0]

const isShape = (keys: readonly unknown[]): keys is readonly [FindCursor] => isCursor(keys[0])

const isCursor = (value: unknown): value is FindCursor =>
  isObject(value) && isPlace(value['place']) && (value['counted'] === undefined || isCount(value['counted']))

const isCount = (value: unknown): value is CountedOpenings =>
  isObject(value) &&
  Number.isSafeInteger(value['total']) &&
  Number(value['total']) >= 0 &&
  typeof value['isAll'] === 'boolean'

function isPlace(value: unknown): value is Place {
  if (!isObject(value) || !Number.isSafeInteger(value['start'])) return false
  const { of } = value
  if (of === undefined) return true
  return (
    isObject(of) &&
    typeof of['slot'] === 'string' &&
    Array.isArray(of['preference']) &&
    of['preference'].every(Number.isInteger)
  )
}
