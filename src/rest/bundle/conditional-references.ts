/** Conditional references, `Patient?identifier=…`, inside a transaction: https://hl7.org/fhir/R4/http.html#trules. */

import type { Context } from '../../core/context.ts'
import { FhirError, preconditionFailed } from '../../fhir/outcome.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { type Candidate, matches } from '../../search/matches.ts'
import type { Condition } from '../../search/plan.ts'
import { guardedMatch, planOf } from '../interactions/conditional.ts'
import { type Entry, inEntry, naming } from './entry.ts'
import type { Identities } from './identities.ts'
import { referencesIn } from './rewrite-references.ts'

const CONDITIONAL = /^([A-Z][A-Za-z]+)\?(.+)$/s

/** Each to `Type/id`. @throws FhirError 412 when one matches none or several, 413 when there are too many */
export async function resolveConditionalReferences(
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

/** Each is a search, and a second one when the change is committed. */
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
  const plan = await naming(entry, () => planOf(ctx, type, criteria, entry.request))
  const found = await naming(entry, () => guardedMatch(ctx, plan, criteria))
  if (found !== undefined) return found.id
  const ids = await written.find(type, plan.where)
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  const matched = ids.length === 0 ? 'nothing' : `${ids.length} entries of the Bundle`
  const diagnostics = `The conditional reference '${type}?${criteria}' matches ${matched}; it must match one resource`
  throw inEntry(preconditionFailed(diagnostics), entry)
}

/** The resources that a transaction is about to write, and which of them criteria match. */
class WrittenResources {
  readonly #entries: readonly Entry[]
  readonly #identities: Identities
  readonly #ctx: Context
  readonly #candidates = new Map<Entry, Candidate>()

  constructor(entries: readonly Entry[], identities: Identities, ctx: Context) {
    this.#entries = entries.filter((entry) => isWritten(entry, identities))
    this.#identities = identities
    this.#ctx = ctx
  }

  /** The ids of those that match all conditions. */
  async find(type: string, where: readonly Condition[]): Promise<readonly string[]> {
    const entries = this.#entries.filter(({ request }) => request.type === type)
    const candidates = await Promise.all(entries.map((entry) => this.#candidateOf(entry)))
    return candidates
      .filter((candidate) => where.every((condition) => matches(condition, candidate)))
      .map(({ id }) => id)
  }

  /** Values are extracted from valid resources only; an invalid one is refused with the name of its entry. */
  async #candidateOf(entry: Entry): Promise<Candidate> {
    const known = this.#candidates.get(entry)
    if (known !== undefined) return known
    const { type, body, base } = entry.request
    const custom = (await this.#ctx.unit.customParameters())?.extractorsOf(type)
    const candidate = {
      type,
      id: this.#identities.ids.get(entry.index) ?? '',
      lastUpdated: this.#ctx.now,
      entries: await naming(entry, () => extractEntries(this.#ctx.unit.validate(body, type), base, custom)),
    }
    this.#candidates.set(entry, candidate)
    return candidate
  }
}

/** A conditional create that finds its resource writes nothing. */
function isWritten({ index, match: { route } }: Entry, { ids, matches }: Identities): boolean {
  if (route.code === 'create') return matches.get(index)?.resource === undefined
  return route.code === 'update' && ids.has(index)
}
