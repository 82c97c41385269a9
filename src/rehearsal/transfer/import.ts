/** Resources of another system, or of an export, are written under their own ids (docs/imports.md). */
import type { ClinicAccess, Context } from '../../core/context.ts'
import { checkIsWhole } from '../../core/write.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
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

/** @param name of an item, in messages. @param bytes the most that it may have */
export const itemTooLong = (name: string, bytes: number): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics: `The ${name} is longer than ${bytes} bytes, the most this server takes`,
  })

/** The error for the client of any error, thrown again where it is not of one resource. */
type RefusalOf = (error: unknown) => FhirError

/** How a resource is read from an item. */
export interface ItemReading<Sent> {
  /** @throws whatever is wrong with it */
  readonly parse: (item: Sent) => unknown
  /** @throws whatever is wrong with it */
  readonly resourceIn: (value: unknown) => unknown
}

/** Reads items; one that cannot be read is refused. @throws what `refusalOf` throws */
export function readItems<Sent extends Pick<ImportedItem, 'number'>>(
  items: readonly Sent[],
  { parse, resourceIn }: ItemReading<Sent>,
  refusalOf: RefusalOf,
): { readonly parsed: readonly ImportedItem[]; readonly refused: readonly Refusal[] } {
  const parsed: ImportedItem[] = []
  const refused: Refusal[] = []
  for (const item of items) {
    const { number } = item
    let resource: unknown
    try {
      resource = parse(item)
      parsed.push({ number, resource: resourceIn(resource) })
    } catch (error) {
      refused.push(refusal({ number, resource }, refusalOf(error)))
    }
  }
  return { parsed, refused }
}

/** Number of the items that are done with a change, and what became of them. */
export interface Done extends Imported {
  readonly items: number
}

export interface ImportRules {
  /** Stages in each change how far the import is, so that it goes on from there. */
  readonly note?: (ctx: Context, done: Done) => Promise<void>
  /** A resource that is there already is refused. */
  readonly onlyNew?: boolean
  /** Another change that may be under way: what is refused is tried again after it. */
  readonly earlier?: Promise<void>
}

/**
 * Writes items in one change. Where that is refused, each is written in a change of its own, so that only those that are
 * at fault are refused.
 * @throws whatever is not the fault of a resource
 */
export async function importItems(
  access: ClinicAccess,
  items: readonly ImportedItem[],
  refusalOf: RefusalOf,
  rules: ImportRules = {},
): Promise<Imported> {
  let all = await importTogether(access, items, refusalOf, rules)
  if (all.refused.length > 0 && rules.earlier !== undefined) {
    await rules.earlier
    all = await importTogether(access, items, refusalOf, rules)
  }
  if (all.refused.length === 0) return all
  if (items.length === 1) return all
  let [imported, updated] = [0, 0]
  const refused: Refusal[] = []
  for (const [index, item] of items.entries()) {
    const note = notedAfter(rules, { items: index, imported, updated, refused: [...refused] })
    const one = await importTogether(access, [item], refusalOf, { ...rules, ...note })
    imported += one.imported
    updated += one.updated
    refused.push(...one.refused)
  }
  return { imported, updated, refused }
}

const notedAfter = ({ note }: ImportRules, before: Done): Pick<ImportRules, 'note'> =>
  note === undefined
    ? {}
    : {
        note: (ctx, { items, imported, updated }) =>
          note(ctx, {
            items: before.items + items,
            imported: before.imported + imported,
            updated: before.updated + updated,
            refused: before.refused,
          }),
      }

/** Writes all items in one change, or none: then the first that is at fault is refused. */
export async function importTogether(
  access: ClinicAccess,
  items: readonly ImportedItem[],
  refusalOf: RefusalOf,
  { note, onlyNew = false }: ImportRules = {},
): Promise<Imported> {
  let current = items[0]
  try {
    return await access.change(
      async (ctx) => {
        const created = new Map<string, boolean>()
        for (const item of items) {
          current = item
          const { type, id, created: isNew } = await write(ctx, item.resource, onlyNew)
          created.set(`${type}/${id}`, isNew)
        }
        const imported = [...created.values()].filter((isNew) => isNew).length
        const done = { items: items.length, imported, updated: items.length - imported, refused: [] }
        await note?.(ctx, done)
        return { imported, updated: done.updated, refused: [] }
      },
      { isImport: true },
    )
  } catch (error) {
    if (current === undefined) throw error
    return { imported: 0, updated: 0, refused: [refusal(current, refusalOf(error))] }
  }
}

function refusal({ number, resource }: ImportedItem, error: FhirError): Refusal {
  const address = addressOf(resource)
  return { number, ...(address === undefined ? {} : { resource: address }), error }
}

async function write(ctx: Context, resource: unknown, onlyNew: boolean) {
  checkIsResource(resource)
  await checkIsWhole(ctx, resource)
  return await ctx.update(resource, onlyNew ? { ifNoneMatch: '*' } : {})
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
