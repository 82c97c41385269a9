/** What each entry of a transaction writes, and the ids of new resources: https://hl7.org/fhir/R4/http.html#trules. */
import { randomUUID } from 'node:crypto'
import type { Context } from '../../core/context.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { criteriaOf, resolveCriteria } from '../interactions/conditional.ts'
import { type InteractionResponse, locationOf } from '../interactions/interaction.ts'
import { type Entry, naming } from './entry.ts'

export interface Identities {
  /** Entry index to the id its resource will have. */
  readonly ids: ReadonlyMap<number, string>
  /** What stands in for an entry in references, to `Type/id`. */
  readonly references: ReadonlyMap<string, string>
  /** Entries that are answered already: a conditional create that found its resource. */
  readonly existing: ReadonlyMap<number, InteractionResponse>
}

/** @throws FhirError 400 when two entries have one fullUrl or write one resource, 412 when criteria match several. */
export async function assignIdentities(ctx: Context, entries: readonly Entry[]): Promise<Identities> {
  const ids = new Map<number, string>()
  const references = new Map<string, string>()
  const existing = new Map<number, InteractionResponse>()
  const written = new Map<string, number>()
  checkFullUrls(entries)
  for (const entry of entries) {
    const { route } = entry.match
    if (route.method === 'GET' || route.run.kind !== 'interaction' || route.code.startsWith('search')) continue
    const { type, base } = entry.request
    const found = await naming(entry, () => identityOf(ctx, entry))
    if (found === undefined) continue
    claim(written, `${type}/${found.id}`, entry)
    if (found.criteria !== undefined) claim(written, `${type}?${found.criteria}`, entry)
    ids.set(entry.index, found.id)
    if (found.existing !== undefined) {
      existing.set(entry.index, {
        status: 200,
        resource: found.existing,
        location: locationOf(base, found.existing),
        kind: 'write',
      })
    }
    for (const name of namesOf(entry)) references.set(name, `${type}/${found.id}`)
  }
  return { ids, references, existing }
}

type Identity = {
  readonly id: string
  readonly criteria?: string
  readonly existing?: Awaited<ReturnType<typeof resolveCriteria>>
}

/** The id an entry writes to; undefined for a conditional delete or patch that finds nothing. */
async function identityOf(ctx: Context, { request, match }: Entry): Promise<Identity | undefined> {
  if (request.id !== '') return { id: request.id }
  if (match.route.code === 'create') {
    const { ifNoneExist } = request
    if (ifNoneExist === undefined) return { id: randomUUID() }
    const found = await resolveCriteria(ctx, request.type, ifNoneExist.replace(/^\?/, ''), request)
    return { id: found?.id ?? randomUUID(), criteria: ifNoneExist.replace(/^\?/, ''), existing: found }
  }
  const criteria = criteriaOf(request, match.route.code)
  const found = await resolveCriteria(ctx, request.type, criteria, request)
  if (match.route.code !== 'update') return found && { id: found.id }
  const bodyId = isObject(request.body) && typeof request.body.id === 'string' ? request.body.id : undefined
  return { id: found?.id ?? bodyId ?? randomUUID(), criteria }
}

function claim(written: Map<string, number>, identity: string, { index }: Entry): void {
  const other = written.get(identity)
  if (other !== undefined) {
    throw badRequest(
      `Bundle.entry[${other}] and Bundle.entry[${index}] both write ${identity}; a transaction may write a resource once`,
      { expression: `Bundle.entry[${index}]` },
    )
  }
  written.set(identity, index)
}

/** References name an entry by its fullUrl (bdl-7). */
function checkFullUrls(entries: readonly Entry[]): void {
  const first = new Map<string, number>()
  for (const { fullUrl, index } of entries) {
    if (fullUrl === undefined) continue
    const other = first.get(fullUrl)
    if (other !== undefined) {
      throw badRequest(
        `Bundle.entry[${other}] and Bundle.entry[${index}] have the same fullUrl, ${fullUrl}; a reference to it could mean either`,
        { expression: `Bundle.entry[${index}].fullUrl` },
      )
    }
    first.set(fullUrl, index)
  }
}

/** The fullUrl, and for `http://elsewhere/Patient/1` the relative reference other entries may use. */
function namesOf({ fullUrl, match }: Entry): string[] {
  if (fullUrl === undefined) return []
  const relative = /^https?:.*\/([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})$/.exec(fullUrl)?.[1]
  return relative === undefined || match.route.method !== 'POST' ? [fullUrl] : [fullUrl, relative]
}
