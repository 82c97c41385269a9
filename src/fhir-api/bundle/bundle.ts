/** batch and transaction: https://hl7.org/fhir/R4/http.html#transaction. */
import type { ClinicAccess, Context } from '../../core/context.ts'
import { checkProvideBundle } from '../../documents/mhd/provide-bundle.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { failureOf } from '../../http/errors.ts'
import { BudgetError, currentBudget, OffloadRequired, requireWorkThread, spend } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Access } from '../../record/audit/event.ts'
import { findOperation, runOperation } from '../interactions/operation.ts'
import { withWarnings } from '../interactions/warnings.ts'
import { accessAfter, asImport, attemptOf } from '../message/access.ts'
import { bundleText } from '../message/bundle-writer.ts'
import type { InteractionRequest, InteractionResponse } from '../message/interaction.ts'
import { underProfile } from '../message/under-profile.ts'
import { Answers, type EntryAnswer, failureText, notCarriedOut, responseText, tooMuch } from './answers.ts'
import { type Entry, inEntry, naming, readBundle } from './entry.ts'
import { assignIdentities } from './identities.ts'
import { inOrder, PHASES } from './order.ts'
import { rewriteReferences } from './references.ts'

/** Entries of a batch that run at the same time and so share commits; each holds the resource it changes in memory. */
const SIDE_BY_SIDE = 64

/** Steps for an entry, besides what its interaction costs: to route it, to run it, to answer it. */
const ENTRY = 50

/** @throws FhirError, BudgetError; for a transaction nothing is written then, and the issue names the entry. */
export async function processBundle(
  access: ClinicAccess,
  request: InteractionRequest,
  representation: boolean,
): Promise<InteractionResponse> {
  if (isExpensiveBundle(request.body)) requireWorkThread('its entries')
  const { type: kind, entries, unreadable } = readBundle(request)
  checkProvideBundle(request.body, request.base)
  for (const type of new Set(entries.map((entry) => entry.request.type)))
    await request.services.providers.get(type)?.settle?.(access)
  const answers =
    kind === 'batch' ? await batch(access, entries, representation) : await transaction(access, entries, representation)
  for (const [index, error] of unreadable) answers.refuse(index, failureText(error))
  const text = bundleText({ type: `${kind}-response` }, answers.texts)
  return { status: 200, text, about: [], accesses: answers.accesses, kind: 'read' }
}

const READS: ReadonlySet<string> = new Set(['read', 'vread'])

/** Entries are independent. Writes of one phase run side by side, since they share commits; reads run one by one. */
async function batch(access: ClinicAccess, entries: readonly Entry[], representation: boolean): Promise<Answers> {
  const answers = new Answers(representation)
  for (const method of PHASES) {
    const phase = entries.filter((entry) => entry.match.route.method === method)
    const writers = phase.filter((entry) => !isAnsweredAlone(entry))
    // Each commits by itself, and none may be carried out twice.
    if (writers.length > 0) currentBudget()?.pinToThread()
    for (let from = 0; from < writers.length; from += SIDE_BY_SIDE) {
      await Promise.all(writers.slice(from, from + SIDE_BY_SIDE).map((entry) => answerAlone(access, entry, answers)))
    }
    for (const entry of phase.filter(isAnsweredAlone)) await afterYielding(() => answerAlone(access, entry, answers))
  }
  currentBudget()?.allowAnswer()
  return answers
}

const isAnsweredAlone = (entry: Entry): boolean => entry.match.route.method === 'GET' || isOperation(entry)

/** Yields first: reads never wait for the disk, so a Bundle of reads would keep the event loop to itself. */
async function afterYielding(work: () => Promise<void>): Promise<void> {
  await yieldToEventLoop()
  await work()
}

async function answerAlone(access: ClinicAccess, entry: Entry, answers: Answers): Promise<void> {
  const refused = entry.match.route.method === 'GET' && answers.full
  answers.set(entry.index, refused ? failed(entry, tooMuch()) : await runAlone(access, entry, answers))
}

/**
 * Carries out one entry; a failure is the response to this entry alone. So is the end of the budget, which each further
 * entry meets again.
 * @throws OffloadRequired on the event loop, before anything is written
 */
async function runAlone(access: ClinicAccess, entry: Entry, answers: Answers): Promise<EntryAnswer> {
  const { method, path } = entry.match.route
  try {
    spend(ENTRY, 'its entries')
    if (method === 'GET' || isOperation(entry)) return await run(await access.reader(), access, entry, answers)
    const { isImport } = entry.request
    return await access.change((ctx) => run(ctx, access, entry, answers), { isImport })
  } catch (error) {
    if (error instanceof OffloadRequired) throw error
    if (error instanceof BudgetError) return failed(entry, notCarriedOut(error))
    return failed(entry, failureOf(error, entry.request.services.logger, { method, route: path }))
  }
}

async function transaction(access: ClinicAccess, entries: readonly Entry[], representation: boolean): Promise<Answers> {
  entries.filter(isOperation).forEach(checkOperation)
  const { answers, ready } = await access.change(
    async (ctx) => {
      const done = new Answers(representation)
      const identities = await assignIdentities(ctx, entries)
      const ready = await rewriteReferences(ctx, entries, identities)
      for (const entry of inOrder(ready)) {
        spend(ENTRY, 'its entries')
        if (isAfterCommit(entry)) continue
        done.set(entry.index, await naming(entry, () => run(ctx, access, entry, done)))
        if (entry.match.route.method === 'GET' && done.full) throw inEntry(tooMuch(), entry)
      }
      return { answers: done, ready }
    },
    { isImport: entries.some(({ request }) => request.isImport) },
  )
  // Searches see the stored state, which has the writes only now.
  for (const entry of ready.filter(isAfterCommit)) await afterYielding(() => answerAlone(access, entry, answers))
  currentBudget()?.allowAnswer()
  return answers
}

const isAfterCommit = (entry: Entry): boolean =>
  isOperation(entry) || (entry.match.route.method === 'GET' && !READS.has(entry.match.route.code))

const isOperation = ({ match: { route } }: Entry): boolean => route.run.kind === 'operation'

/** An operation commits by itself, so one that writes would break all or nothing. */
function checkOperation({ index, request, match: { route, parameters } }: Entry): void {
  const { definition } = findOperation(request, parameters.operation, route.level)
  if (definition.affectsState !== true) return
  throw badRequest(
    `Bundle.entry[${index}]: $${parameters.operation} changes data, so it cannot be part of a transaction; call it by itself or in a batch`,
    { expression: `Bundle.entry[${index}].request` },
  )
}

/** The answer to an entry as text, made before the commit, since making it may fail. */
async function run(ctx: Context, access: ClinicAccess, entry: Entry, { wanted }: Answers): Promise<EntryAnswer> {
  const { match, request } = entry
  const { strictness } = request
  const carryOut = () => carriedOut(ctx, access, entry)
  const response =
    strictness === undefined ? await carryOut() : await underProfile(strictness, match, request, carryOut)
  return {
    text: responseText(response, entry, wanted),
    access: accessAfter(attemptOfEntry(entry), response, entry.request.base),
  }
}

async function carriedOut(ctx: Context, access: ClinicAccess, { match, request }: Entry): Promise<InteractionResponse> {
  const { route, parameters } = match
  return route.run.kind === 'interaction'
    ? await withWarnings(ctx, request, await route.run.handler(ctx, request))
    : await runOperation(access, parameters.operation, route, request)
}

const failed = (entry: Entry, error: FhirError): EntryAnswer => ({
  text: failureText(error),
  access: { ...attemptOfEntry(entry), status: error.status },
})

function attemptOfEntry({ match: { route, parameters }, url, request: { isImport } }: Entry): Access {
  const attempt = attemptOf(route, parameters, `/${url}`)
  return isImport && route.method !== 'GET' && route.run.kind === 'interaction' ? asImport(attempt) : attempt
}

/** Most entries of a Bundle that may start on the event loop. */
const MAX_ENTRIES = 20
/** Entries that search: searches, histories, and conditional interactions. */
const MAX_SEARCHES = 3

/**
 * Whether a Bundle may hold the event loop for long: decided from its entries, before any is carried out.
 * @param bundle any JSON value
 */
export function isExpensiveBundle(bundle: unknown): boolean {
  const { type, entry } = isObject(bundle) ? bundle : {}
  if (!Array.isArray(entry)) return false
  if (entry.length > MAX_ENTRIES) return true
  const kinds = entry.map(kindOf)
  const count = (kind: EntryKind): number => kinds.filter((one) => one === kind).length
  const [searches, writes] = [count('search'), count('write')]
  if (count('operation') > 0 || searches + count('conditional write') > MAX_SEARCHES) return true
  // Work after a commit cannot restart in a work thread: further writes of a batch, and searches, which see what was
  // written.
  const all = writes + count('conditional write')
  return type === 'batch' ? all > 1 || (all > 0 && searches > 0) : all > 0 && searches > 0
}

type EntryKind = 'read' | 'search' | 'write' | 'conditional write' | 'operation'

function kindOf(entry: unknown): EntryKind {
  const request = isObject(entry) && isObject(entry.request) ? entry.request : {}
  const { method, url, ifNoneExist } = request
  const address = typeof url === 'string' ? url : ''
  if (address.includes('$')) return 'operation'
  if (method !== 'GET' && method !== 'HEAD')
    return ifNoneExist !== undefined || address.includes('?') ? 'conditional write' : 'write'
  return POINT_READ.test(address) ? 'read' : 'search'
}

/** `Type/id` or `Type/id/_history/1`, with or without a base. */
const POINT_READ = /[A-Z][A-Za-z]+\/[A-Za-z0-9.-]{1,64}(?:\/_history\/\d+)?$/
