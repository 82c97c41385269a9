/**
 * `_list` of a history: "Only include resource versions that are referenced in the specified list"
 * (https://hl7.org/fhir/R4/http.html#history). A reference without a version means all versions of its resource.
 */
import type { Context } from '../../core/context.ts'
import { parseJson } from '../../fhir/json.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import type { HistoryQuery } from '../../repository/repository.ts'
import { listId } from '../../search/query/criterion.ts'
import { unescaped, valuesOf } from '../../search/value.ts'

type Listed = NonNullable<HistoryQuery['among']>
type ListedVersion = Listed['versions'][number]

/** Most versions of a list: each is looked up, for the page and for the total. */
const MAX_LISTED = 10_000

/**
 * The versions that the Lists in `value` refer to; none for a List that does not exist.
 * @param base the address of this server: references below it are its own
 * @throws FhirError 400 for a value that is not the id of a List, 422 for too many entries
 * @throws BudgetError
 */
export async function listedVersions(ctx: Context, value: string, base: string): Promise<Listed> {
  const context = { name: '_list', baseUrl: base }
  const ids = valuesOf(value, context).map((text) => listId(unescaped(text), context))
  const versions = new Map<string, ListedVersion>()
  for (const id of new Set(ids)) {
    for (const reference of await itemsOf(ctx, id)) {
      const version = versionOf(reference, base)
      if (version !== undefined) versions.set(JSON.stringify(version), version)
    }
    if (versions.size > MAX_LISTED) throw tooManyEntries(value)
  }
  return { name: ids.join(), versions: [...versions.values()] }
}

async function itemsOf({ unit }: Context, id: string): Promise<readonly string[]> {
  const stored = await unit.read('List', id)
  if (stored === undefined || stored.deleted) return []
  const list = parseJson(stored.text)
  const entries: readonly unknown[] = isObject(list) && Array.isArray(list.entry) ? list.entry : []
  return entries.flatMap((entry) => {
    const item = isObject(entry) && isObject(entry.item) ? entry.item : {}
    return typeof item.reference === 'string' ? item.reference : []
  })
}

/** Undefined for a reference to another server, and for a version that this server cannot have assigned. */
function versionOf(reference: string, base: string): ListedVersion | undefined {
  const { type, id, version } = localReference(reference, base) ?? {}
  if (type === undefined || id === undefined) return undefined
  if (version === undefined) return { type, id }
  return /^\d{1,15}$/.test(version) ? { type, id, version: Number(version) } : undefined
}

const tooManyEntries = (value: string): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `_list=${value}: the entries refer to more than ${MAX_LISTED} resources, the most a history looks for; ask by smaller Lists`,
  })
