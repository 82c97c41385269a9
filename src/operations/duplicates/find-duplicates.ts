/**
 * Patient/$find-duplicates: starts a background search of the clinic for duplicate patients, reports its progress and
 * lists its results, by the asynchronous pattern: https://hl7.org/fhir/R4/async.html.
 */
import { Accepted, defineOperation, type OperationRequest } from '../../core/operation.ts'
import { badRequest, type FhirError, type Issue, notFound, toOutcome } from '../../fhir/outcome.ts'
import { cancelSearch, type DuplicateSearch, readSearch, startSearch } from './duplicate-search.ts'
import { noPairs, pairsPage } from './pairs-page.ts'

/** Default number of pairs on a page. */
const COUNT = 20
/** Most pairs on a page, as each is compared again. */
const MAX_COUNT = 100

export const patientFindDuplicates = defineOperation('patient-find-duplicates', find, { cancel })

async function find(request: OperationRequest) {
  const { access, input, paging, base = '', prefersAsync } = request
  const count = countOf(input._count)
  const { run } = input
  if (run === undefined && prefersAsync === true)
    return stateOf(await access.change(({ unit }) => startSearch(unit)), count)
  const ctx = access.reader()
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
  const ended = note(`The search ${run} for duplicate patients is ended; what it has found is deleted`)
  return new Accepted(toOutcome([ended]))
}

/** @throws FhirError 400 */
function countOf(count: unknown): number {
  if (typeof count !== 'number') return COUNT
  if (count < 1) throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
  return Math.min(count, MAX_COUNT)
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
  note(`The search ${search.number} for duplicate patients is under way: ${progressOf(search)}`)

/** The state while no search has completed. */
function noneComplete(search: DuplicateSearch | undefined): Issue {
  if (search === undefined) return note(`This clinic has not been searched for duplicate patients yet; ${BEGIN}`)
  if (search.state === 'searching') return underWay(search)
  return note(`The search ${search.number} for duplicate patients was cancelled; ${BEGIN}`)
}

const note = (diagnostics: string): Issue => ({ severity: 'information', code: 'informational', diagnostics })

const BEGIN = 'begin one with the header Prefer: respond-async'

function noSearch(run: number, search: DuplicateSearch | undefined): FhirError {
  const wasThere = search !== undefined && run >= 1 && run <= search.number
  const why = wasThere ? 'was cancelled, or a later one has taken its place' : 'does not exist'
  return notFound(
    `The search ${run} for duplicate patients ${why}; leave out run for the pairs found last, or ${BEGIN}`,
  )
}
