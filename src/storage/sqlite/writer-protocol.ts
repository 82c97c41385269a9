/** Messages between the thread that owns the writing connection and its clients. */
import type { TypeIndex } from '../index/index-parts.ts'
import type { ChangeSet } from '../port.ts'
import type { SentError } from '../thread-errors.ts'
import type { Refill } from './refill.ts'

/** A message from a client, by its own port. */
export type WriterRequest =
  | { readonly kind: 'write'; readonly id: number; readonly sets: readonly ChangeSet[] }
  | { readonly kind: 'lease'; readonly id: number; readonly holder: string; readonly milliseconds: number }
  | { readonly kind: 'complete'; readonly id: number; readonly index: TypeIndex }
  | { readonly kind: 'refill'; readonly id: number; readonly rows: Refill }

export type Outcome<T> = { readonly value: T } | { readonly error: SentError }

/** A message to a client. `ready` comes first. */
export type WriterResponse =
  | { readonly kind: 'ready' }
  /** The errors of the sets that were not written, by their index. */
  | { readonly kind: 'written'; readonly id: number; readonly refused: ReadonlyMap<number, SentError> }
  | { readonly kind: 'done'; readonly id: number; readonly outcome: Outcome<unknown> }
