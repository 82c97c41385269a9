/** Messages between a reader thread and the thread that has started it, which sends one read at a time. */

import type { SentError } from '../thread-errors.ts'
import type { SentOptions } from './engines.ts'
import type { Answer, Query, ReadKind } from './reads.ts'

/** The data with which a reader is started. */
export interface ReaderData {
  readonly options: SentOptions
  /** One number: that of the read whose client has left. */
  readonly abandoned: SharedArrayBuffer
}

export interface ReadRequest<Kind extends ReadKind = ReadKind> {
  readonly number: number
  readonly kind: Kind
  readonly query: Query<Kind>
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  /** The purpose of the read: see BudgetError.what. */
  readonly what: string
  /** The request can restart in a worker, which then receives a long result itself. */
  readonly canMove: boolean
}

export type ReadResponse = { readonly answer: Answer<ReadKind> } | { readonly error: SentError }
