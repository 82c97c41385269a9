/** What the bytes of an attachment are, wherever they are kept. */
import { createHash } from 'node:crypto'
import type { Attachment, Binary } from 'fhir/r4'
import { type ContentLooks, looksOf } from '../content/sniff.ts'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'

export interface AttachmentFacts {
  /** Bytes. */
  readonly size: number
  /** SHA-1 as base64, as in Attachment.hash. */
  readonly sha1: string
  readonly looks: ContentLooks
}

/** What a Binary and an Attachment have in common. */
interface WithContent {
  readonly data?: string | undefined
  readonly _data?: unknown
}

/** Undefined where there is no content. */
export type Facts = AttachmentFacts | undefined

/** Of what is looked at while one change is made, since it is looked at several times. */
const known = new WeakMap<object, Promise<Facts>>()

export function factsOf(_ctx: Context, holder: WithContent): Promise<Facts> {
  const before = known.get(holder)
  if (before !== undefined) return before
  const facts = Promise.resolve(holder.data === undefined ? undefined : inlineFacts(holder.data))
  known.set(holder, facts)
  return facts
}

/** Of base64 as R4's definitions have it. */
function inlineFacts(data: string): AttachmentFacts {
  const bytes = Buffer.from(data, 'base64')
  return { size: bytes.length, sha1: createHash('sha1').update(bytes).digest('base64'), looks: looksOf(bytes) }
}

export const hasData = ({ data, _data }: WithContent): boolean => data !== undefined || _data !== undefined

/** The Binary of this clinic to which an attachment leads; null where it leads to one that is not there. */
export async function linkedBinary(ctx: Context, { url }: Attachment): Promise<Binary | null | undefined> {
  const local = url === undefined ? undefined : localReference(url, ctx.baseUrl)
  if (local === undefined) return undefined
  if (local.type !== 'Binary') return null
  return (await ctx.find<Binary>('Binary', local.id))?.resource ?? null
}
