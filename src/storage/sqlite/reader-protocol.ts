/** Messages between a thread that reads and the one that has started it. One read is under way at a time. */

import type { SentError } from '../thread-errors.ts'
import type { SentOptions } from './engines.ts'
import type { Answer, Query, ReadKind } from './reads.ts'

/** What a reader is started with. */
export interface ReaderData {
  readonly options: SentOptions
  /** One number: that of the read which nobody waits for any more. */
  readonly abandoned: SharedArrayBuffer
}

export interface ReadRequest<Kind extends ReadKind = ReadKind> {
  readonly number: number
  readonly kind: Kind
  readonly query: Query<Kind>
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  /** What is read, as BudgetError.what. */
  readonly what: string
  /** The request can be begun again in a work thread: an answer that is long is left to that. */
  readonly canMove: boolean
}

export type ReadResponse = { readonly answer: Answer<ReadKind> } | { readonly error: SentError }
