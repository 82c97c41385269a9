/** Resources of another system, or of an export, are written under their own ids (docs/imports.md). */
import type { ClinicAccess, Context } from '../../core/context.ts'
import { checkIsWhole } from '../../core/write.ts'
import { badRequest, type FhirError } from '../../fhir/outcome.ts'
import { type AnyResource, isObject } from '../../fhir/resource.ts'

/** A parsed item. */
export interface ImportedItem {
  /** See Item. */
  readonly number: number
  readonly resource: unknown
}

export interface Refusal {
  readonly number: number
  /** `Type/id`, as far as it is known. */
  readonly resource?: string
  readonly error: FhirError
}

export interface Imported {
  /** Number of resources that are new, and of those that had been there. */
  readonly imported: number
  readonly updated: number
  readonly refused: readonly Refusal[]
}

/** The error for the client of any error, thrown again where it is not of one resource. */
type RefusalOf = (error: unknown) => FhirError

/**
 * Writes items in one change. Where that is refused, each is written in a change of its own, so that only those that are
 * at fault are refused.
 * @throws whatever is not the fault of a resource
 */
export async function importItems(
  access: ClinicAccess,
  items: readonly ImportedItem[],
  refusalOf: RefusalOf,
): Promise<Imported> {
  const all = await importTogether(access, items, refusalOf)
  if (all.refused.length === 0) return all
  if (items.length === 1) return all
  let [imported, updated] = [0, 0]
  const refused: Refusal[] = []
  for (const item of items) {
    const one = await importTogether(access, [item], refusalOf)
    imported += one.imported
    updated += one.updated
    refused.push(...one.refused)
  }
  return { imported, updated, refused }
}

/** Writes all items in one change, or none: then the first that is at fault is refused. */
export async function importTogether(
  access: ClinicAccess,
  items: readonly ImportedItem[],
  refusalOf: RefusalOf,
): Promise<Imported> {
  let current = items[0]
  try {
    const written = await access.change(
      async (ctx) => {
        const created = new Map<string, boolean>()
        for (const item of items) {
          current = item
          const { type, id, created: isNew } = await write(ctx, item.resource)
          created.set(`${type}/${id}`, isNew)
        }
        return created
      },
      { isImport: true },
    )
    const imported = [...written.values()].filter((isNew) => isNew).length
    return { imported, updated: items.length - imported, refused: [] }
  } catch (error) {
    if (current === undefined) throw error
    return { imported: 0, updated: 0, refused: [refusal(current, refusalOf(error))] }
  }
}

export function refusal({ number, resource }: ImportedItem, error: FhirError): Refusal {
  const address = addressOf(resource)
  return { number, ...(address === undefined ? {} : { resource: address }), error }
}

async function write(ctx: Context, resource: unknown) {
  checkIsResource(resource)
  await checkIsWhole(ctx, resource)
  return await ctx.update(resource)
}

/** @throws FhirError 400 */
function checkIsResource(value: unknown): asserts value is AnyResource {
  if (!isObject(value) || typeof value.resourceType !== 'string') {
    throw badRequest('It is no resource: a JSON object with its "resourceType"')
  }
  if (value.id === undefined) {
    throw badRequest(
      `The ${value.resourceType.slice(0, MOST_SHOWN)} has no id; resources are imported under their own ids`,
      {
        expression: 'id',
      },
    )
  }
}

/** Characters of a type or an id that a client has sent. */
const MOST_SHOWN = 64

function addressOf(resource: unknown): string | undefined {
  if (!isObject(resource) || typeof resource.resourceType !== 'string') return undefined
  const type = resource.resourceType.slice(0, MOST_SHOWN)
  return typeof resource.id === 'string' ? `${type}/${resource.id.slice(0, MOST_SHOWN)}` : type
}
