/** Inline content as a Binary of its own, where the clinic keeps documents so: documents.content is `reference`. */
import type { Attachment, Binary, DocumentReference } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { hasContent } from './attachment-facts.ts'

const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * The document with links to Binaries, which are created in the same change. Attachments with a link of their own are
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
