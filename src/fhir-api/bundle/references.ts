/**
 * References inside a transaction: to other entries by their fullUrl, and conditional ones (`Patient?identifier=…`), as `Type/id`
 * (https://hl7.org/fhir/R4/http.html#trules).
 */
import type { Context } from '../../core/context.ts'
import { badRequest, FhirError, preconditionFailed } from '../../fhir/outcome.ts'
import { Meter } from '../../isolation/budget.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { type Candidate, matches } from '../../search/matches.ts'
import type { Condition, IndexEntry } from '../../search/plan.ts'
import type { Links } from '../../search/value.ts'
import { guardedMatch, planOf } from '../interactions/conditional.ts'
import { type Entry, inEntry, naming } from './entry.ts'
import type { Identities } from './identities.ts'
import { type Replacements, referencesIn, rewriteLinks } from './rewrite-references.ts'

const CONDITIONAL = /^([A-Z][A-Za-z]+)\?(.+)$/s

/** Resolves each to `Type/id`. @throws FhirError 412 when one matches none or several, 413 when there are too many */
async function resolveConditionalReferences(
  ctx: Context,
  entries: readonly Entry[],
  identities: Identities,
): Promise<ReadonlyMap<string, string>> {
  const resolved = new Map<string, string>()
  const written = new WrittenResources(entries, identities, ctx)
  for (const entry of entries) {
    for (const reference of new Set(referencesIn(entry.request.body))) {
      const [, type, criteria] = CONDITIONAL.exec(reference) ?? []
      if (type === undefined || criteria === undefined || resolved.has(reference)) continue
      if (resolved.size === entry.request.services.limits.bundleEntries) throw tooManyConditions(resolved.size)
      resolved.set(reference, `${type}/${await resolve(ctx, type, criteria, entry, written)}`)
    }
  }
  return resolved
}

/** The error for too many conditional references: each is a search, and another one at the commit. */
const tooManyConditions = (most: number): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `The Bundle has more than ${most} conditional references; send it in parts`,
    expression: 'Bundle.entry',
  })

/** The id of the one stored resource, else of the one in the Bundle. */
async function resolve(
  ctx: Context,
  type: string,
  criteria: string,
  entry: Entry,
  written: WrittenResources,
): Promise<string> {
  const plan = await naming(entry, () => planOf(ctx, type, criteria, { ...entry.request, links: written.links }))
  const found = await naming(entry, () => guardedMatch(ctx, plan, criteria))
  if (found !== undefined) return found.id
  const ids = await written.find(type, plan.where)
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  const matched = ids.length === 0 ? 'nothing' : `${ids.length} entries of the Bundle`
  const diagnostics = `The conditional reference '${type}?${criteria}' matches ${matched}; it must match one resource`
  throw inEntry(preconditionFailed(diagnostics), entry)
}

/** The resources that a transaction is about to write, searchable by criteria. */
class WrittenResources {
  readonly #entries: readonly Entry[]
  readonly #identities: Identities
  readonly #ctx: Context
  readonly #byType = new Map<string, CandidateIndex>()
  readonly #meter = new Meter('its conditional references')

  constructor(entries: readonly Entry[], identities: Identities, ctx: Context) {
    this.#entries = entries.filter((entry) => isWritten(entry, identities))
    this.#identities = identities
    this.#ctx = ctx
  }

  /** References by which criteria may name the entries. */
  get links(): Links {
    return this.#identities.references
  }

  /** The ids of the resources that match all conditions. */
  async find(type: string, where: readonly Condition[]): Promise<readonly string[]> {
    const written = await this.#writtenOf(type)
    const candidates = written.mayMatch(where)
    for (const { entries } of candidates) this.#meter.pay(1 + (entries.length * where.length) / COMPARED_IN_A_STEP)
    return candidates
      .filter((candidate) => where.every((condition) => matches(condition, candidate)))
      .map(({ id }) => id)
  }

  async #writtenOf(type: string): Promise<CandidateIndex> {
    const known = this.#byType.get(type)
    if (known !== undefined) return known
    const entries = this.#entries.filter(({ request }) => request.type === type)
    const index = new CandidateIndex(await Promise.all(entries.map((entry) => this.#candidateOf(entry))))
    this.#byType.set(type, index)
    return index
  }

  /** Extracts values from valid resources only; an invalid one is refused with the name of its entry. */
  async #candidateOf(entry: Entry): Promise<Candidate> {
    const { type, body, base } = entry.request
    const custom = (await this.#ctx.unit.customParameters())?.extractorsOf(type)
    return {
      type,
      id: this.#identities.ids.get(entry.index) ?? '',
      lastUpdated: this.#ctx.unit.writtenAt,
      entries: await naming(entry, () => extractEntries(this.#ctx.unit.validate(body, type), base, custom)),
    }
  }
}

/** Values of a resource that are compared with a condition in one step. */
const COMPARED_IN_A_STEP = 20

/** Resources by the values that conditional references mostly use: identifiers and other codes, references, URIs. */
class CandidateIndex {
  readonly #all: readonly Candidate[]
  readonly #byValue = new Map<string, Set<Candidate>>()

  constructor(candidates: readonly Candidate[]) {
    this.#all = candidates
    for (const candidate of candidates) {
      for (const entry of candidate.entries) {
        const key = keyOfEntry(entry)
        if (key === undefined) continue
        const list = this.#byValue.get(key) ?? new Set()
        this.#byValue.set(key, list.add(candidate))
      }
    }
  }

  /** All candidates that match `where`, and perhaps others. */
  mayMatch(where: readonly Condition[]): readonly Candidate[] {
    const keys = where.map(keysOf).find((one) => one !== undefined)
    if (keys === undefined) return this.#all
    const found = new Set(keys.flatMap((key) => [...(this.#byValue.get(key) ?? [])]))
    return keys.length === 1 ? [...found] : this.#all.filter((candidate) => found.has(candidate))
  }
}

function keyOfEntry(entry: IndexEntry): string | undefined {
  switch (entry.kind) {
    case 'token':
      return `${entry.param} token ${entry.code}`
    case 'reference':
      return `${entry.param} reference ${entry.id}`
    case 'uri':
      return `${entry.param} uri ${entry.value}`
    default:
      return undefined
  }
}

/** Keys of which every match of the condition has one; undefined where it may have any. */
function keysOf(condition: Condition): readonly string[] | undefined {
  switch (condition.kind) {
    case 'token':
      return condition.code === undefined ? undefined : [`${condition.param} token ${condition.code}`]
    case 'reference':
      return [`${condition.param} reference ${condition.id}`]
    case 'uri':
      return condition.match === 'exact' ? [`${condition.param} uri ${condition.value}`] : undefined
    case 'any': {
      const keys = condition.of.map(keysOf)
      return keys.every((one) => one !== undefined) ? keys.flat() : undefined
    }
    case 'all':
      return condition.of.map(keysOf).find((one) => one !== undefined)
    default:
      return undefined
  }
}

/** False for a conditional create that finds its resource. */
function isWritten({ index, match: { route } }: Entry, { ids, matches }: Identities): boolean {
  if (route.code === 'create') return matches.get(index)?.resource === undefined
  return route.code === 'update' && ids.has(index)
}

/**
 * The entries with every reference to another entry, and every conditional reference, as `Type/id`.
 * @throws FhirError 400 when an entry refers to a urn:uuid that no entry has, 412 for criteria that match none or several
 */
export async function rewriteReferences(
  ctx: Context,
  entries: readonly Entry[],
  identities: Identities,
): Promise<Entry[]> {
  const conditional = await resolveConditionalReferences(ctx, entries, identities)
  const replacements = { conditional, links: identities.references, placeholders: identities.placeholders }
  const isNothing = conditional.size + identities.references.size === 0
  return entries.map((entry) => {
    checkResolved(entry, replacements)
    const { request, index } = entry
    const [assignedId, conditionalMatch] = [identities.ids.get(index), identities.matches.get(index)]
    const body = isNothing ? request.body : rewriteLinks(request.body, replacements)
    const decided = {
      ...(assignedId === undefined ? {} : { assignedId }),
      ...(conditionalMatch === undefined ? {} : { conditionalMatch }),
    }
    return { ...entry, request: { ...request, body, links: identities.references, ...decided } }
  })
}

/** A urn:uuid has a meaning inside this Bundle only. */
function checkResolved(entry: Entry, { links }: Replacements): void {
  if (entry.match.route.run.kind !== 'interaction') return
  for (const reference of referencesIn(entry.request.body)) {
    if (/^urn:uuid:/i.test(reference) && !links.has(reference.replace(/#.*$/s, ''))) {
      throw inEntry(badRequest(`No entry of the Bundle has the fullUrl '${reference}' that a reference names`), entry)
    }
  }
}
