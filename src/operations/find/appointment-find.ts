/**
 * Appointment/$find: available times as proposed Appointments, which $hold and $book accept by id.
 * IHE ITI-115: https://profiles.ihe.net/ITI/Scheduling/ITI-115.html
 */
import type { CountedOpenings, OpeningsQuery } from '../../booking/openings.ts'
import { readSettings } from '../../clinics/settings.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import { checkPageSize } from '../../core/search-request.ts'
import { Searchset } from '../../core/searchset.ts'
import { badRequest, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { VisitContext } from '../../scheduling/proposed-appointment.ts'
import { clockOf } from '../../scheduling/zone-clock.ts'
import { type FindInput, readFindInput } from './find-input.ts'
import { type Counting, foundPage, readFindCursor, writeFindCursor } from './found-page.ts'
import { whomToSee } from './whom-to-see.ts'

/** Default number of Appointments on a page. */
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
        {
          severity: 'information',
          code: 'informational',
          diagnostics:
            'total is as far as times were counted, and there may be more; with _total=accurate all are counted',
          expression: '_total',
        },
      ]

/** @throws FhirError 400; OffloadRequired for a large page */
function countOf(count: unknown, maxCount = COUNT): number {
  if (typeof count !== 'number') return Math.min(COUNT, maxCount)
  if (count < 1) throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
  const most = Math.min(count, maxCount)
  checkPageSize(most)
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
    : [
        {
          severity: 'information',
          code: 'informational',
          diagnostics: 'The time that was asked for has passed; visits are offered in the future only',
          expression: 'end',
        },
      ]
