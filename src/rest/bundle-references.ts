/**
 * Identities and references inside a transaction: ids for new resources, urn:uuid and conditional references
 * resolved wherever they occur (https://hl7.org/fhir/R4/http.html#trules).
 */
import { randomUUID } from 'node:crypto'
import { badRequest, FhirError, preconditionFailed } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import type { Context } from '../providers/context.ts'
import { type Entry, inEntry } from './bundle-entry.ts'
import { criteriaOf, resolveCriteria } from './conditional.ts'
import { type InteractionResponse, locationOf } from './interaction.ts'

export interface Identities {
  /** Entry index to the id its resource will have. */
  readonly ids: ReadonlyMap<number, string>
  /** What stands in for an entry in references, to `Type/id`. */
  readonly references: ReadonlyMap<string, string>
  /** Entries that are answered already: a conditional create that found its resource. */
  readonly existing: ReadonlyMap<number, InteractionResponse>
}

/** @throws FhirError 400 when two entries write one resource, 412 when criteria match several. */
export async function assignIdentities(ctx: Context, entries: readonly Entry[]): Promise<Identities> {
  const ids = new Map<number, string>()
  const references = new Map<string, string>()
  const existing = new Map<number, InteractionResponse>()
  const written = new Map<string, number>()
  for (const entry of entries) {
    const { route } = entry.match
    if (route.method === 'GET' || route.run.kind !== 'interaction' || route.code === 'search-type') continue
    const { type, base } = entry.request
    const found = await identityOf(ctx, entry)
    if (found === undefined) continue
    if (entry.fullUrl !== undefined) claimFullUrl(references, entry.fullUrl, entry)
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
async function identityOf(ctx: Context, entry: Entry): Promise<Identity | undefined> {
  const { request, match } = entry
  try {
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
  } catch (error) {
    throw error instanceof FhirError ? inEntry(error, entry) : error
  }
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

function claimFullUrl(references: ReadonlyMap<string, string>, fullUrl: string, { index }: Entry): void {
  if (!references.has(fullUrl)) return
  const expression = `Bundle.entry[${index}].fullUrl`
  throw badRequest(`${expression} is that of another entry too; references name an entry by it, so it must be unique`, {
    expression,
  })
}

/** The fullUrl, and for `http://elsewhere/Patient/1` the relative reference other entries may use. */
function namesOf({ fullUrl, match }: Entry): string[] {
  if (fullUrl === undefined) return []
  const relative = /^https?:.*\/([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})$/.exec(fullUrl)?.[1]
  return relative === undefined || match.route.method !== 'POST' ? [fullUrl] : [fullUrl, relative]
}

/** The entries with every reference to another entry, and every conditional reference, as `Type/id`. */
export async function rewriteReferences(
  ctx: Context,
  entries: readonly Entry[],
  { ids, references }: Identities,
): Promise<Entry[]> {
  const conditional = await resolveConditionalReferences(ctx, entries)
  const names = new Map([...references, ...conditional])
  return entries.map((entry) => {
    const assignedId = ids.get(entry.index)
    const body = names.size === 0 ? entry.request.body : rewrite(entry.request.body, names)
    return { ...entry, request: { ...entry.request, body, ...(assignedId === undefined ? {} : { assignedId }) } }
  })
}

const CONDITIONAL = /^([A-Z][A-Za-z]+)\?(.+)$/s

async function resolveConditionalReferences(ctx: Context, entries: readonly Entry[]): Promise<Map<string, string>> {
  const resolved = new Map<string, string>()
  for (const entry of entries) {
    for (const reference of new Set(referencesIn(entry.request.body))) {
      if (resolved.has(reference)) continue
      if (resolved.size === entry.request.services.limits.bundleEntries) throw tooManyConditions(resolved.size)
      const target = await resolveReference(ctx, reference, entry)
      if (target !== undefined) resolved.set(reference, target)
    }
  }
  return resolved
}

/** Each is a search, and another one when the change is committed. */
const tooManyConditions = (most: number): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `The Bundle has more than ${most} conditional references; send it in parts`,
    expression: 'Bundle.entry',
  })

/** `Type/id` for a conditional reference, undefined for any other. @throws FhirError 412 when none or several match. */
async function resolveReference(ctx: Context, reference: string, entry: Entry): Promise<string | undefined> {
  const [, type, criteria] = CONDITIONAL.exec(reference) ?? []
  if (type === undefined || criteria === undefined) return undefined
  try {
    const found = await resolveCriteria(ctx, type, criteria, entry.request)
    if (found !== undefined) return `${type}/${found.id}`
    throw preconditionFailed(`The conditional reference '${reference}' matches nothing; it must match one resource`)
  } catch (error) {
    throw error instanceof FhirError ? inEntry(error, entry) : error
  }
}

/** The text of every Reference in a resource, contained ones included. */
export function* referencesIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const item of value) yield* referencesIn(item)
  else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'reference' && typeof member === 'string') yield member
      else if (typeof member === 'object') yield* referencesIn(member)
    }
  }
}

/** Untouched parts are shared, not copied. */
function rewrite(value: unknown, names: ReadonlyMap<string, string>, name = ''): unknown {
  if (typeof value === 'string') return rewriteText(value, names, name)
  if (Array.isArray(value)) return value.map((item) => rewrite(item, names, name))
  if (!isObject(value)) return value
  // Identifier.value and ContactPoint.value are strings, not references, even when they look like one.
  const keep = 'system' in value ? 'value' : ''
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === keep ? member : rewrite(member, names, key)]),
  )
}

function rewriteText(text: string, names: ReadonlyMap<string, string>, name: string): string {
  if (name === 'div') {
    return text.replace(
      /((?:href|src)\s*=\s*)("|')(.*?)\2/g,
      (whole, attribute: string, quote: string, target: string) =>
        names.has(target) ? `${attribute}${quote}${names.get(target)}${quote}` : whole,
    )
  }
  const direct = names.get(text)
  if (direct !== undefined) return direct
  // A versioned reference or one into a contained resource: urn:uuid:…#part
  const [head = '', fragment] = text.split('#')
  const target = fragment === undefined ? undefined : names.get(head)
  return target === undefined ? text : `${target}#${fragment}`
}
