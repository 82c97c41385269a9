/**
 * Patient/$find-duplicates: starts a background search of the clinic for duplicate patients, reports its progress and
 * lists its pairs as a searchset (https://hl7.org/fhir/R4/bundle.html#searchset), by the asynchronous pattern:
 * https://hl7.org/fhir/R4/async.html.
 */

import { randomUUID } from 'node:crypto'
import type { Bundle, BundleEntry, BundleLink, Linkage, Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { Accepted, defineOperation, type OperationRequest } from '../../core/operation.ts'
import { badRequest, type FhirError, type Issue, information, notFound, toOutcome } from '../../fhir/outcome.ts'
import { duplicateOdds } from '../../matching/score.ts'
import type { Versioned } from '../../repository/repository.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'
import { countIn } from '../parameters.ts'
import { matchExplanation, matchGrade, scoreOf } from '../patient-match.ts'
import {
  type CompleteSearch,
  cancelSearch,
  type DuplicateSearch,
  listPairs,
  type PairInList,
  type PatientIds,
  readSearch,
  startSearch,
} from './duplicate-search.ts'
import { areDeclaredDistinct } from './not-duplicates.ts'
import { type DuplicatePair, duplicatePair } from './pair.ts'

/** Default number of pairs on a page. */
const COUNT = 20
/** Most pairs on a page, as each is compared again. */
const MAX_COUNT = 100

export const patientFindDuplicates = defineOperation('patient-find-duplicates', find, { cancel })

async function find(request: OperationRequest) {
  const { access, input, paging, base = '', prefersAsync } = request
  const count = Math.min(countIn(input) ?? COUNT, MAX_COUNT)
  const { run } = input
  if (run === undefined && prefersAsync === true)
    return stateOf(await access.change(({ unit }) => startSearch(unit)), count)
  const ctx = await access.reader()
  const search = await readSearch(ctx.unit)
  if (typeof run === 'number' && search?.number === run && search.state === 'searching') return stateOf(search, count)
  const shown = search?.shown
  if (typeof run === 'number' && shown?.number !== run) throw noSearch(run, search)
  if (search === undefined || shown === undefined) return noPairs(noneComplete(search))
  const notes = search.state === 'searching' ? [underWay(search)] : []
  const cursor = paging?.cursor === undefined ? {} : { cursor: paging.cursor }
  return await pairsPage(ctx, shown, { count, base, notes, ...cursor })
}

/** @throws FhirError 404 if it is not running */
async function cancel({ access, input: { run } }: OperationRequest) {
  if (typeof run !== 'number') throw badRequest('Name the search to end: ?run=[number]', { expression: 'run' })
  const isCancelled = await access.change(({ unit }) => cancelSearch(unit, run))
  if (!isCancelled) throw notFound(`The search ${run} for duplicate patients is not under way`)
  const ended = information(`The search ${run} for duplicate patients is ended; what it has found is deleted`)
  return new Accepted(toOutcome([ended]))
}

const RETRY_AFTER_SECONDS = 2

const stateOf = (search: DuplicateSearch, count: number): Accepted =>
  new Accepted(toOutcome([underWay(search)]), {
    query: { run: String(search.number), ...(count === COUNT ? {} : { _count: String(count) }) },
    progress: progressOf(search),
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/** Patients added during the search may also be compared, so the count may exceed the initial number. */
const progressOf = ({ compared, patients, pairs }: DuplicateSearch): string =>
  `${compared} of about ${Math.max(compared, patients)} patients compared, ${pairs} pairs found`

const underWay = (search: DuplicateSearch): Issue =>
  information(`The search ${search.number} for duplicate patients is under way: ${progressOf(search)}`)

/** The state while no search has completed. */
function noneComplete(search: DuplicateSearch | undefined): Issue {
  if (search === undefined) return information(`This clinic has not been searched for duplicate patients yet; ${BEGIN}`)
  if (search.state === 'searching') return underWay(search)
  return information(`The search ${search.number} for duplicate patients was cancelled; ${BEGIN}`)
}

const BEGIN = 'begin one with the header Prefer: respond-async'

function noSearch(run: number, search: DuplicateSearch | undefined): FhirError {
  const wasThere = search !== undefined && run >= 1 && run <= search.number
  const why = wasThere ? 'was cancelled, or a later one has taken its place' : 'does not exist'
  return notFound(
    `The search ${run} for duplicate patients ${why}; leave out run for the pairs found last, or ${BEGIN}`,
  )
}

interface PageRequest {
  /** Most pairs on the page. */
  readonly count: number
  /** The base URL of this server as the client sees it. */
  readonly base: string
  /** Cursor from the previous page. */
  readonly cursor?: string
  readonly notes: readonly Issue[]
}

/** Most pairs read for one page: if most have been merged by now, the page is shorter than requested. */
const MOST_EXAMINED = 500
const EXAMINED_AT_ONCE = 50

/** @throws InvalidCursor, BudgetError */
async function pairsPage(
  ctx: Context,
  search: CompleteSearch,
  { count, base, cursor, notes }: PageRequest,
): Promise<Bundle> {
  const { pairs, next } = await readPage(ctx, search.number, count, positionIn(cursor))
  const address = (more: Readonly<Record<string, string>>) =>
    `${base}/Patient/$find-duplicates?${new URLSearchParams({ run: String(search.number), _count: String(count), ...more })}`
  const link: BundleLink[] = [
    { relation: 'self', url: address(cursor === undefined ? {} : { _cursor: cursor }) },
    ...(next === undefined ? [] : [{ relation: 'next', url: address({ _cursor: writeCursor(LIST, [next]) }) }]),
  ]
  return searchset(link, [...entriesOf(pairs, base), outcomeOf([summaryOf(search), ...incompleteIn(search), ...notes])])
}

const noPairs = (note: Issue): Bundle => searchset([], [outcomeOf([note])])

const searchset = (link: BundleLink[], entry: BundleEntry[]): Bundle => ({
  resourceType: 'Bundle',
  type: 'searchset',
  ...(link.length === 0 ? {} : { link }),
  entry,
})

const outcomeOf = (issues: readonly Issue[]): BundleEntry => ({
  resource: toOutcome(issues),
  search: { mode: 'outcome' },
})

interface Page {
  readonly pairs: readonly DuplicatePair[]
  /** Position of the last pair read, if there are more. */
  readonly next?: string
}

async function readPage(ctx: Context, search: number, count: number, start: string): Promise<Page> {
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  const pairs: DuplicatePair[] = []
  let after = start
  for (let examined = 0; examined < MOST_EXAMINED; examined += EXAMINED_AT_ONCE) {
    const listed = await listPairs(ctx.unit, search, { after, limit: EXAMINED_AT_ONCE })
    for (const { patients, position } of listed) {
      if (pairs.length === count) return { pairs, next: after }
      const pair = await currentPair(ctx, patients, defaultRegion)
      if (pair !== undefined) pairs.push(pair)
      after = position
    }
    if (listed.length < EXAMINED_AT_ONCE) return { pairs }
  }
  return { pairs, next: after }
}

/** The pair with its current records; undefined if it is no longer to be listed. */
async function currentPair(
  ctx: Context,
  patients: PairInList['patients'],
  region: string | undefined,
): Promise<DuplicatePair | undefined> {
  if (await areDeclaredDistinct(ctx.unit, patients)) return undefined
  const [one, other] = await bothOf(ctx, patients)
  if (one === undefined || other === undefined) return undefined
  return await duplicatePair(ctx.unit, [one, other], { region, baseUrl: ctx.baseUrl })
}

const bothOf = (ctx: Context, [one, other]: PatientIds) =>
  Promise.all([ctx.find<Patient>('Patient', one), ctx.find<Patient>('Patient', other)])

/** The pairs, followed by each patient once. */
function entriesOf(pairs: readonly DuplicatePair[], base: string): readonly BundleEntry[] {
  const patients = new Map(pairs.flatMap((pair) => pair.patients.map((patient) => [patient.id, patient] as const)))
  return [
    ...pairs.map((pair) => pairEntry(pair)),
    ...Array.from(patients.values(), (patient) => include(patient, base)),
  ]
}

/** An inactive Linkage, as a proposal. */
function pairEntry({ patients: [one, other], probability, grade, evidence, frequencies }: DuplicatePair): BundleEntry {
  const resource: Linkage = {
    resourceType: 'Linkage',
    active: false,
    item: [
      { type: 'source', resource: { reference: `Patient/${one.id}` } },
      { type: 'alternate', resource: { reference: `Patient/${other.id}` } },
    ],
  }
  const prior = duplicateOdds(0, frequencies.patients) / Math.LN2
  const extension = [matchGrade(grade), matchExplanation({ evidence, frequencies, probability, prior })]
  return {
    fullUrl: `urn:uuid:${randomUUID()}`,
    resource,
    search: { extension, mode: 'match', score: scoreOf(probability) },
  }
}

const include = ({ id, resource }: Versioned<Patient>, base: string): BundleEntry => ({
  fullUrl: `${base}/Patient/${id}`,
  resource,
  search: { mode: 'include' },
})

const summaryOf = ({ number, endedAt, compared }: CompleteSearch): Issue =>
  information(
    `Search ${number} compared ${compared} patients and ended at ${new Date(endedAt).toISOString()}. Each pair is shown as its records are now`,
  )

const incompleteIn = ({ failed, narrowed }: CompleteSearch): readonly Issue[] => [
  ...(failed === 0 ? [] : [incomplete('warning', `${failed} ${FAILED}`)]),
  ...(narrowed === 0 ? [] : [incomplete('information', `Of ${narrowed} ${NARROWED}`)]),
]

const incomplete = (severity: 'warning' | 'information', diagnostics: string): Issue => ({
  severity,
  code: 'incomplete',
  diagnostics,
})

const FAILED = 'patients were not compared, as that takes too much work: they have too many names or addresses'
const NARROWED =
  'patients not everybody alike is here: something of them is too common in this clinic, such as a frequent name, so that they were ' +
  'compared with those for whom something else agrees too; or they have many pairs, of which the likeliest are here'

const LIST = '$find-duplicates'

/** @throws InvalidCursor */
const positionIn = (cursor: string | undefined): string =>
  cursor === undefined ? '' : readCursor(cursor, LIST, isPosition)[0]

const isPosition = (keys: readonly unknown[]): keys is readonly [string] =>
  typeof keys[0] === 'string' && /^[\d.]{8}\/[A-Za-z0-9\-.]{1,64}\/[A-Za-z0-9\-.]{1,64}$/.test(keys[0])
