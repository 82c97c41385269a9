/** Conditional references, `Patient?identifier=…`, inside a transaction: https://hl7.org/fhir/R4/http.html#trules. */
import { FhirError, preconditionFailed } from '../fhir/outcome.ts'
import type { Context } from '../providers/context.ts'
import { validResource } from '../repository.ts'
import { extractEntries } from '../search/extract.ts'
import type { Condition, IndexEntry } from '../search/plan.ts'
import { referencesIn } from './addresses.ts'
import { type Entry, inEntry } from './bundle-entry.ts'
import type { Identities } from './bundle-identities.ts'
import { criteriaPlan, resolveCriteria } from './conditional.ts'

const CONDITIONAL = /^([A-Z][A-Za-z]+)\?(.+)$/s

/** Each to `Type/id`. @throws FhirError 412 when one matches none or several, 413 when there are too many */
export async function resolveConditionalReferences(
  ctx: Context,
  entries: readonly Entry[],
  identities: Identities,
): Promise<ReadonlyMap<string, string>> {
  const resolved = new Map<string, string>()
  const written = new WrittenResources(entries, identities)
  for (const entry of entries) {
    for (const reference of new Set(referencesIn(entry.request.body))) {
      const [, type, criteria] = CONDITIONAL.exec(reference) ?? []
      if (type === undefined || criteria === undefined || resolved.has(reference)) continue
      if (resolved.size === entry.request.services.limits.bundleEntries) throw tooManyConditions(resolved.size)
      resolved.set(reference, `${type}/${await naming(entry, () => resolve(ctx, type, criteria, entry, written))}`)
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

async function naming<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof FhirError ? inEntry(error, entry) : error
  }
}

/** The id of the one stored resource, else of the one in the Bundle. */
async function resolve(
  ctx: Context,
  type: string,
  criteria: string,
  { request }: Entry,
  written: WrittenResources,
): Promise<string> {
  const found = await resolveCriteria(ctx, type, criteria, request)
  if (found !== undefined) return found.id
  const ids = written.find(type, criteriaPlan(ctx, type, criteria, request).where)
  const [id] = ids
  if (id !== undefined && ids.length === 1) return id
  throw preconditionFailed(
    `The conditional reference '${type}?${criteria}' matches ${ids.length === 0 ? 'nothing' : `${ids.length} entries of the Bundle`}; it must match one resource`,
  )
}

/** What a transaction is about to write, found by identifiers and codes. */
class WrittenResources {
  readonly #entries: readonly Entry[]
  readonly #identities: Identities
  readonly #extracted = new Map<Entry, readonly IndexEntry[]>()

  constructor(entries: readonly Entry[], identities: Identities) {
    this.#entries = entries
    this.#identities = identities
  }

  find(type: string, where: readonly Condition[]): readonly string[] {
    return this.#entries.flatMap((entry) => {
      const id = this.#identities.ids.get(entry.index)
      if (id === undefined || entry.request.type !== type || !this.#isWritten(entry)) return []
      const values = this.#valuesOf(entry)
      return where.every((condition) => isMet(condition, values)) ? [id] : []
    })
  }

  #isWritten({ index, match: { route } }: Entry): boolean {
    return (route.code === 'create' || route.code === 'update') && !this.#identities.existing.has(index)
  }

  /** Only what is valid has values: what is not is refused in the name of its entry. */
  #valuesOf(entry: Entry): readonly IndexEntry[] {
    const known = this.#extracted.get(entry)
    if (known !== undefined) return known
    const values = extractEntries(validResource(entry.request.body, entry.request.type), entry.request.base)
    this.#extracted.set(entry, values)
    return values
  }
}

/** Tokens only, and what joins them: nobody identifies a resource by anything else. */
function isMet(condition: Condition, values: readonly IndexEntry[]): boolean {
  switch (condition.kind) {
    case 'any':
      return condition.of.some((part) => isMet(part, values))
    case 'all':
      return condition.of.every((part) => isMet(part, values))
    case 'token':
      return values.some(
        (value) =>
          value.kind === 'token' &&
          value.param === condition.param &&
          (condition.system ?? value.system) === value.system &&
          (condition.code ?? value.code) === value.code,
      )
    default:
      return false
  }
}
