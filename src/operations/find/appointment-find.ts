/**
 * Appointment/$find: available times as proposed Appointments, which $hold and $book accept by id.
 * IHE ITI-115: https://profiles.ihe.net/ITI/Scheduling/ITI-115.html
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
import { defineOperation, type OperationInput, type OperationRequest, Searchset } from '../../core/operation.ts'
import { checkPageSize } from '../../core/search-request.ts'
import { badRequest, type Issue, information } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { Versioned } from '../../repository/repository.ts'
import { bookableStarts } from '../../scheduling/booking-policies.ts'
import { proposedAppointment, type VisitContext } from '../../scheduling/proposed-appointment.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'
import { countIn } from '../parameters.ts'
import { type FindInput, readFindInput } from './find-input.ts'
import { whomToSee } from './whom-to-see.ts'

/** Default number of Appointments on a page. */
const COUNT = 20

export const appointmentFind = defineOperation('appointment-find', find)

async function find({ access, input, paging }: OperationRequest): Promise<Searchset> {
  const limit = pageSizeOf(countIn(input), paging?.maxCount)
  const after = readFindCursor(paging?.cursor)
  const counting = countingOf(input['_total'])
  const ctx = await access.reader()
  const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const asked = readFindInput(input, clockOf(timeZone), ctx.baseUrl)
  const { schedules, patients, notes, isNobody } = await whomToSee(ctx, asked)
  const { specialties, visitTypes, times, from, until } = asked
  const wanted: OpeningsQuery = {
    ...(isNobody ? { schedules: [] } : schedules === undefined ? {} : { schedules }),
    ...{ from, until, specialties, visitTypes, ...times, limit },
  }
  const context = contextOf(asked, patients)
  const place = after?.place
  const page = await foundPage(access, ctx, { wanted, after: place, counting, timing: input['timing'], context })
  const { proposals, next } = page
  const counted = after === undefined ? page.counted : after.counted
  return new Searchset({
    matches: proposals,
    included: [],
    total: counted && Math.max(counted.total, proposals.length),
    used: usedOf(input),
    next: next && writeFindCursor({ place: next, ...(counted === undefined ? {} : { counted }) }),
    warnings: [...notes, ...asked.notes, ...overIssues(asked, ctx.now), ...countIssues(counted)],
  })
}

const countIssues = (counted: CountedOpenings | undefined): readonly Issue[] =>
  counted === undefined || counted.isAll
    ? []
    : [
        information(
          'total is as far as times were counted, and there may be more; with _total=accurate all are counted',
          '_total',
        ),
      ]

/** @throws OffloadRequired for a large page */
function pageSizeOf(count: number | undefined, maxCount = COUNT): number {
  const most = Math.min(count ?? COUNT, maxCount)
  if (count !== undefined) checkPageSize(most)
  return most
}

/** As in a search: https://hl7.org/fhir/R4/search.html#total. @throws FhirError 400 */
function countingOf(total: unknown = 'estimate'): Counting {
  if (total === 'none') return 'none'
  if (total === 'estimate') return 'some'
  if (total === 'accurate') return 'all'
  throw badRequest(`_total is ${String(total)}; write one of none, estimate, accurate`, { expression: '_total' })
}

/** The part of the visit that the ids of the proposals encode. */
function contextOf(asked: FindInput, patients: readonly string[]): VisitContext {
  const { visitTypes, reasons, referral, insurances } = asked
  return {
    ...(patients.length === 0 ? {} : { patients }),
    ...(visitTypes.length === 0 ? {} : { visitTypes }),
    ...(reasons.length === 0 ? {} : { reasons }),
    ...(referral === undefined ? {} : { referral }),
    ...(insurances.length === 0 ? {} : { insurances }),
  }
}

/** Parameters for the links. A patient-resource applies to this page only, as no URL should contain it. */
const usedOf = (input: OperationInput): readonly (readonly [string, string])[] =>
  Object.entries(input).flatMap(([name, value]) =>
    name === 'patient-resource' ? [] : [value].flat().map((one: unknown) => [name, textOf(one)] as const),
  )

function textOf(value: unknown): string {
  if (!isObject(value)) return String(value)
  const { reference, system, value: identifier, ...others } = value
  const isPlain = Object.keys(others).length === 0
  if (isPlain && typeof reference === 'string' && identifier === undefined) return reference
  if (isPlain && typeof system === 'string' && typeof identifier === 'string' && !identifier.includes('|'))
    return `${system}|${identifier}`
  return JSON.stringify(value)
}

const overIssues = ({ until }: FindInput, now: number): readonly Issue[] =>
  until > now
    ? []
    : [information('The time that was asked for has passed; visits are offered in the future only', 'end')]

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

async function foundPage(access: ClinicAccess, ctx: Context, query: PageQuery): Promise<FoundPage> {
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
  return { ...page, proposals: times.map(({ rest }, index) => proposal(ids[index] ?? '', rest, ctx.unit.writtenAt)) }
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

function proposal(id: string, rest: string, lastUpdated: number): Versioned<Appointment> {
  const text = `{"resourceType":"Appointment","id":${JSON.stringify(id)},${rest.slice(1)}`
  return new Versioned({ type: 'Appointment', id, version: 0, lastUpdated, method: 'POST', text })
}

/** The page cursor of $find. */
export interface FindCursor {
  /** The start of the page. */
  readonly place: Place
  /** The total of all pages, as counted for the first one. */
  readonly counted?: CountedOpenings
}

const LIST = 'Appointment/$find'

const writeFindCursor = (cursor: FindCursor): string => writeCursor(LIST, [cursor])

/** @throws InvalidCursor */
const readFindCursor = (text: string | undefined): FindCursor | undefined =>
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
