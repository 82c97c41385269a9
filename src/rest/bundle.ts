/** batch and transaction: https://hl7.org/fhir/R4/http.html#transaction. */
import { STATUS_CODES } from 'node:http'
import { badRequest, FhirError, toOutcome } from '../fhir/outcome.ts'
import type { ClinicAccess, Context } from '../providers/context.ts'
import { type Entry, inEntry, readBundle } from './bundle-entry.ts'
import { inOrder, PHASES } from './bundle-order.ts'
import { assignIdentities, rewriteReferences } from './bundle-references.ts'
import { bundleText } from './bundle-writer.ts'
import { etagOf, type InteractionRequest, type InteractionResponse } from './interaction.ts'
import { findOperation, runOperation } from './operation.ts'

/** Entries of a batch that run at the same time, and so share commits; each holds the resource it changes. */
const SIDE_BY_SIDE = 64

/** @throws FhirError; for a transaction nothing is written then, and the issue names the entry. */
export async function processBundle(
  access: ClinicAccess,
  request: InteractionRequest,
  representation: boolean,
): Promise<InteractionResponse> {
  const { type, entries, unreadable } = readBundle(request)
  const answers = new Answers(representation)
  for (const [index, error] of unreadable) answers.set(index, failed(error))
  if (type === 'batch') await batch(access, entries, answers)
  else await transaction(access, entries, answers)
  return { status: 200, text: bundleText({ type: `${type}-response` }, answers.texts), kind: 'read' }
}

const READS: ReadonlySet<string> = new Set(['read', 'vread'])

/** Entries stand alone; some of one phase run side by side. */
async function batch(access: ClinicAccess, entries: readonly Entry[], answers: Answers): Promise<void> {
  for (const method of PHASES) {
    const phase = entries.filter((entry) => entry.match.route.method === method)
    // Reads have no commit to share, and one after the other they end where the answer is full.
    const width = method === 'GET' ? 1 : SIDE_BY_SIDE
    for (let from = 0; from < phase.length; from += width) {
      await Promise.all(phase.slice(from, from + width).map((entry) => answerAlone(access, entry, answers)))
    }
  }
}

async function answerAlone(access: ClinicAccess, entry: Entry, answers: Answers): Promise<void> {
  const refused = entry.match.route.method === 'GET' && answers.full
  answers.set(entry.index, refused ? failed(tooMuch()) : await runAlone(access, entry))
}

async function runAlone(access: ClinicAccess, entry: Entry): Promise<InteractionResponse> {
  try {
    if (entry.match.route.method === 'GET' || isOperation(entry)) return await runIn(access.reader(), access, entry)
    return await access.change((ctx) => runIn(ctx, access, entry))
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    return failed(error)
  }
}

const failed = ({ status, issues }: FhirError): InteractionResponse => ({
  status,
  outcome: toOutcome(issues),
  kind: 'write',
})

async function transaction(access: ClinicAccess, entries: readonly Entry[], answers: Answers): Promise<void> {
  entries.filter(isOperation).forEach(checkOperation)
  const responses = await access.change(async (ctx) => {
    const done = new Map<Entry, InteractionResponse>()
    const identities = await assignIdentities(ctx, entries)
    const ready = await rewriteReferences(ctx, entries, identities)
    let read = 0
    for (const entry of inOrder(ready)) {
      if (isAfterCommit(entry)) continue
      const response = identities.existing.get(entry.index) ?? (await naming(entry, () => runIn(ctx, access, entry)))
      if (entry.match.route.method === 'GET') read += response.resource?.text.length ?? 0
      if (read > MOST_CHARACTERS) throw inEntry(tooMuch(), entry)
      done.set(entry, response)
    }
    return done
  })
  for (const [{ index }, response] of responses) answers.set(index, response)
  // Searches look at the stored state, which has the writes only now.
  for (const entry of entries.filter(isAfterCommit)) await answerAlone(access, entry, answers)
}

const isAfterCommit = (entry: Entry): boolean =>
  isOperation(entry) || (entry.match.route.method === 'GET' && !READS.has(entry.match.route.code))

const isOperation = ({ match: { route } }: Entry): boolean => route.run.kind === 'operation'

/** An operation commits for itself, so one that writes would break the promise of all or nothing. */
function checkOperation({ index, request, match: { route, parameters } }: Entry): void {
  const { definition } = findOperation(request, parameters.operation, route.level)
  if (definition.affectsState !== true) return
  throw badRequest(
    `Bundle.entry[${index}]: $${parameters.operation} changes data, so it cannot be part of a transaction; call it by itself or in a batch`,
    { expression: `Bundle.entry[${index}].request` },
  )
}

async function runIn(ctx: Context, access: ClinicAccess, entry: Entry): Promise<InteractionResponse> {
  const { run } = entry.match.route
  if (run.kind === 'interaction') return run.handler(ctx, entry.request)
  return runOperation(access, entry.match.parameters.operation, entry.match.route, entry.request)
}

/** Errors of a transaction say which entry they are about. */
async function naming<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    throw inEntry(error, entry)
  }
}

/** Characters that the resources in an answer have together, before it is full. A process can't make a text of any length. */
const MOST_CHARACTERS = 64 * 1024 * 1024

const tooMuch = (): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `What the Bundle reads is longer than ${MOST_CHARACTERS} characters; read the rest with another one`,
  })

/** The entries of the answer, in the order of those of the request; of each only the text is kept. */
class Answers {
  readonly texts: string[] = []
  readonly #representation: boolean
  #characters = 0

  constructor(representation: boolean) {
    this.#representation = representation
  }

  get full(): boolean {
    return this.#characters > MOST_CHARACTERS
  }

  /** Whoever prefers a representation may get none, if the answer is full. */
  set(index: number, response: InteractionResponse): void {
    const text = entryText(response, this.#representation && !this.full)
    this.#characters += text.length
    this.texts[index] = text
  }
}

function entryText(
  { status, resource, location, text, outcome, kind }: InteractionResponse,
  representation: boolean,
): string {
  const body =
    text ??
    (resource !== undefined && !resource.deleted && status !== 304 && (kind === 'read' || representation)
      ? resource.text
      : undefined)
  const response = {
    status: `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
    ...(location === undefined ? {} : { location }),
    ...(resource === undefined
      ? {}
      : { etag: etagOf(resource.version), lastModified: new Date(resource.lastUpdated).toISOString() }),
    ...(outcome === undefined ? {} : { outcome }),
  }
  return `{${body === undefined ? '' : `"resource":${body},`}"response":${JSON.stringify(response)}}`
}
