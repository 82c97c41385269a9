/** Facts about the bytes of an attachment, wherever they are stored. */
import type { Attachment, Binary, DocumentReference, Resource } from 'fhir/r4'
import { factsOf, type WithData } from '../content/attached-content.ts'
import type { ContentFacts } from '../content/contents.ts'
import type { Context } from '../core/context.ts'
import { contentOf } from '../fhir/content/marker.ts'
import { localReference } from '../fhir/reference.ts'

/** Facts about attachments of the current change, as several rules need them. */
const known = new WeakMap<object, Promise<ContentFacts | undefined>>()

/** @returns undefined where it has no content */
export function attachmentFacts(ctx: Context, holder: WithData): Promise<ContentFacts | undefined> {
  const before = known.get(holder)
  if (before !== undefined) return before
  const facts = factsOf(ctx, holder)
  known.set(holder, facts)
  return facts
}

export const hasContent = ({ data, _data }: WithData): boolean => data !== undefined || contentOf(_data) !== undefined

/**
 * The Binary of this clinic that an attachment refers to, or the one contained in its document (`#id`); null where it
 * refers to one that does not exist.
 */
export async function linkedBinary(
  ctx: Context,
  { url }: Attachment,
  { contained = [] }: DocumentReference,
): Promise<Binary | null | undefined> {
  if (url?.startsWith('#')) return contained.filter(isBinary).find(({ id }) => url === `#${id}`) ?? null
  const local = url === undefined ? undefined : localReference(url, ctx.baseUrl)
  if (local === undefined) return undefined
  if (local.type !== 'Binary') return null
  return (await ctx.find<Binary>('Binary', local.id))?.resource ?? null
}

const isBinary = (resource: Resource): resource is Binary => resource.resourceType === 'Binary'
