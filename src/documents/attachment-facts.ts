/** The bytes of attachments: facts about them wherever they are stored, and their storage in Binaries. */
import type { Attachment, Binary, DocumentReference, Resource } from 'fhir/r4'
import { ContentDigest, type ContentFacts } from '../content/content-digest.ts'
import type { Context } from '../core/context.ts'
import { contentOf } from '../fhir/content/marker.ts'
import { localReference } from '../fhir/reference.ts'

/** An Attachment or a Binary. Where it is written its base64 is short, as longer data is stored separately. */
type WithData = Pick<Attachment, 'data'> & { readonly _data?: unknown }

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

/** @returns undefined where it has no content, or the clinic does not have the content it names */
export async function factsOf(
  { clinic, contents }: Pick<Context, 'clinic' | 'contents'>,
  { data, _data }: WithData,
): Promise<ContentFacts | undefined> {
  const sha256 = contentOf(_data)
  if (sha256 !== undefined) return await contents.facts(clinic, sha256)
  if (data === undefined) return undefined
  const digest = new ContentDigest(Number.POSITIVE_INFINITY)
  digest.push(Buffer.from(data, 'base64'))
  return digest.end()
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

const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Inline content as a Binary of its own, where the clinic keeps documents so: documents.content is `reference`.
 * @returns the document with links to Binaries, which are created in the same change. Attachments with a link of their own are
 * unchanged.
 */
export async function byReference(ctx: Context, document: DocumentReference): Promise<DocumentReference> {
  const content: DocumentReference['content'] = []
  for (const item of document.content) content.push({ ...item, attachment: await linked(ctx, item.attachment) })
  return { ...document, content }
}

async function linked(ctx: Context, attachment: Attachment): Promise<Attachment> {
  if (!hasContent(attachment) || attachment.url !== undefined) return attachment
  const { data, _data, ...rest } = attachment
  const binary: Binary = {
    resourceType: 'Binary',
    contentType: attachment.contentType ?? UNKNOWN_TYPE,
    ...(data !== undefined && { data }),
    ...(_data !== undefined && { _data }),
  }
  return { ...rest, url: `Binary/${(await ctx.create(binary)).id}` }
}
