/** Conditional references, `Patient?identifier=…`, inside a transaction: https://hl7.org/fhir/R4/http.html#trules. */

import type { Context } from '../../core/context.ts'
import { FhirError, preconditionFailed } from '../../fhir/outcome.ts'
import { extractEntries } from '../../search/index/extract.ts'
import { type Candidate, matches } from '../../search/matches.ts'
import type { Condition } from '../../search/plan.ts'
import { criteriaPlan, resolveCriteria } from '../interactions/conditional.ts'
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

/** Each is a search, and another one when the change is committed. */
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
  const found = await naming(entry, () => resolveCriteria(ctx, type, criteria, entry.request))
  if (found !== undefined) return found.id
  const ids = await written.find(type, (await criteriaPlan(ctx, type, criteria, entry.request)).where)
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  const matched = ids.length === 0 ? 'nothing' : `${ids.length} entries of the Bundle`
  const diagnostics = `The conditional reference '${type}?${criteria}' matches ${matched}; it must match one resource`
  throw inEntry(preconditionFailed(diagnostics), entry)
}

/** What a transaction is about to write, and who of it a condition names. */
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

  /** Only what is valid has values: what is not is refused in the name of its entry. */
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

const isWritten = ({ index, match: { route } }: Entry, { ids, existing }: Identities): boolean =>
  (route.code === 'create' || route.code === 'update') && ids.has(index) && !existing.has(index)
