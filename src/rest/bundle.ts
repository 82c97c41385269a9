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

/** @throws FhirError; for a transaction nothing is written then, and the issue names the entry. */
export async function processBundle(
  access: ClinicAccess,
  request: InteractionRequest,
  representation: boolean,
): Promise<InteractionResponse> {
  const { type, entries, unreadable } = readBundle(request)
  const responses = type === 'batch' ? await batch(access, entries) : await transaction(access, entries)
  for (const [index, error] of unreadable) responses[index] = failed(error)
  const texts = responses.map((response) => entryText(response, representation))
  return { status: 200, text: bundleText({ type: `${type}-response` }, texts), kind: 'read' }
}

const READS: ReadonlySet<string> = new Set(['read', 'vread'])

/** Entries stand alone; those of one phase run side by side and so share commits. */
async function batch(access: ClinicAccess, entries: readonly Entry[]): Promise<InteractionResponse[]> {
  const responses: InteractionResponse[] = []
  for (const method of PHASES) {
    const phase = entries.filter((entry) => entry.match.route.method === method)
    await Promise.all(phase.map(async (entry) => (responses[entry.index] = await runAlone(access, entry))))
  }
  return responses
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

async function transaction(access: ClinicAccess, entries: readonly Entry[]): Promise<InteractionResponse[]> {
  entries.filter(isOperation).forEach(checkOperation)
  const later = entries.filter(isAfterCommit)
  const responses = await access.change(async (ctx) => {
    const done: InteractionResponse[] = []
    const identities = await assignIdentities(ctx, entries)
    const ready = await rewriteReferences(ctx, entries, identities)
    for (const entry of inOrder(ready)) {
      if (isAfterCommit(entry)) continue
      const existing = identities.existing.get(entry.index)
      done[entry.index] = existing ?? (await naming(entry, () => runIn(ctx, access, entry)))
    }
    return done
  })
  // Searches look at the stored state, which has the writes only now.
  for (const entry of later) responses[entry.index] = await runAlone(access, entry)
  return responses
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
