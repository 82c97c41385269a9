/**
 * Appointment/$find: times that can be booked, as proposed Appointments, which $hold and $book take by their ids.
 * IHE ITI-115: https://profiles.ihe.net/ITI/Scheduling/ITI-115.html
 */
import type { Appointment, Reference, Schedule } from 'fhir/r4'
import { type CountedOpenings, countOpenings, isCountedByIndex, LOOKED_THROUGH } from '../../booking/count-openings.ts'
import { findOpenings, type Opening, type OpeningsQuery } from '../../booking/openings.ts'
import { proposalIds } from '../../booking/proposal.ts'
import { recentActors } from '../../booking/resolvable-actors.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import { checkPageSize } from '../../core/page-size.ts'
import { Searchset } from '../../core/searchset.ts'
import { badRequest, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { Versioned } from '../../repository/repository.ts'
import { proposedAppointment, type VisitContext } from '../../scheduling/proposed-appointment.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { readFindCursor, writeFindCursor } from './find-cursor.ts'
import { type FindInput, readFindInput } from './find-input.ts'
import { whomToSee } from './whom-to-see.ts'

/** Appointments on a page where the client does not say. */
const COUNT = 20

export const appointmentFind = defineOperation('appointment-find', find)

async function find({ access, input, paging }: OperationRequest): Promise<Searchset> {
  const limit = countOf(input['_count'], paging?.maxCount)
  const after = readFindCursor(paging?.cursor)
  const counting = countingOf(input['_total'])
  const ctx = access.reader()
  const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
  const asked = readFindInput(input, clockOf(timeZone), ctx.baseUrl)
  const { schedules, patients, notes, isNobody } = await whomToSee(ctx, asked)
  const { specialties, visitTypes, times, from, until } = asked
  const wanted: OpeningsQuery = {
    ...(isNobody ? { schedules: [] } : schedules === undefined ? {} : { schedules }),
    ...{ from, until, specialties, visitTypes, ...times, limit },
  }
  const isIndexed = wanted.schedules !== undefined && isCountedByIndex(wanted)
  const isCountedHere = after === undefined && counting === 'some' && !isIndexed
  const page = await findOpenings(ctx, {
    ...wanted,
    ...(after === undefined ? {} : { after: after.place }),
    ...(isCountedHere ? { countThrough: LOOKED_THROUGH } : {}),
  })
  const { openings, next } = page
  const counted =
    after === undefined && counting !== 'none'
      ? await countOpenings(ctx, wanted, page, counting === 'all')
      : after?.counted
  const context = contextOf(asked, patients)
  const slots = openings.map((opening) => opening.slots)
  const ids = await proposalIds(access, slots, context)
  return new Searchset({
    matches: await proposals(ctx, openings, ids, context),
    included: [],
    total: counted && Math.max(counted.total, openings.length),
    used: usedOf(input),
    next: next && writeFindCursor({ place: next, ...(counted === undefined ? {} : { counted }) }),
    warnings: [...notes, ...asked.notes, ...overIssues(asked, ctx.now), ...countIssues(counted)],
  })
}

const countIssues = (counted: CountedOpenings | undefined): readonly Issue[] =>
  counted === undefined || counted.isAll
    ? []
    : [
        {
          severity: 'information',
          code: 'informational',
          diagnostics:
            'total is as far as times were counted, and there may be more; with _total=accurate all are counted',
          expression: '_total',
        },
      ]

/** @throws FhirError 400; NeedsThread for a large page */
function countOf(count: unknown, maxCount = COUNT): number {
  if (typeof count !== 'number') return Math.min(COUNT, maxCount)
  if (count < 1) throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
  const most = Math.min(count, maxCount)
  checkPageSize(most)
  return most
}

/** As of a search: https://hl7.org/fhir/R4/search.html#total. @throws FhirError 400 */
function countingOf(total: unknown = 'estimate'): 'none' | 'some' | 'all' {
  if (total === 'none') return 'none'
  if (total === 'estimate') return 'some'
  if (total === 'accurate') return 'all'
  throw badRequest(`_total is ${String(total)}; write one of none, estimate, accurate`, { expression: '_total' })
}

/** What the ids of the proposals say about the visit. */
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

/** They are not stored: a read does not find them. */
async function proposals(
  ctx: Context,
  openings: readonly Opening[],
  ids: readonly string[],
  context: VisitContext,
): Promise<readonly Versioned[]> {
  const actorsOf = new Map<Schedule, readonly Reference[]>()
  const made: Versioned[] = []
  for (const [index, { schedule, slots }] of openings.entries()) {
    const actors = actorsOf.get(schedule) ?? (await recentActors(ctx, schedule.actor))
    actorsOf.set(schedule, actors)
    const { resourceType, ...rest } = proposedAppointment({ schedule, slots, actors }, context)
    const id = ids[index] ?? ''
    const resource: Appointment = { resourceType, id, ...rest }
    const stored = { type: resourceType, id, version: 0, lastUpdated: ctx.now, method: 'POST' as const }
    made.push(new Versioned({ ...stored, text: JSON.stringify(resource) }, resource))
  }
  return made
}

/** As a GET gives them; a patient-resource is for this page alone, as no address should hold it. */
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
    : [
        {
          severity: 'information',
          code: 'informational',
          diagnostics: 'The time that was asked for has passed; visits are offered in the future only',
          expression: 'end',
        },
      ]
