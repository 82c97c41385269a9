/** Errors in messages between threads, which keep neither the class nor the properties of an error. */
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { BudgetError, OffloadRequired } from '../isolation/budget.ts'
import { InvalidCursor } from '../search/cursor.ts'
import { EntriesOutdated, IndexIncomplete, StoreConflict, StoreUnavailable } from './store-errors.ts'

export type SentError =
  | { readonly kind: 'conflict'; readonly on: StoreConflict['on']; readonly subject: string }
  | { readonly kind: 'incomplete' | 'outdated'; readonly uses: readonly string[] }
  | {
      readonly kind: 'unavailable'
      readonly message: string
      readonly reason: StoreUnavailable['reason']
      readonly mayBeWritten: boolean
    }
  | { readonly kind: 'cursor' }
  | {
      readonly kind: 'refused'
      readonly status: number
      readonly issues: readonly Issue[]
      readonly headers: FhirError['headers']
    }
  | { readonly kind: 'budget'; readonly reason: BudgetError['reason']; readonly what: string }
  /** Any other error is a fault of the program. */
  | { readonly kind: 'fault'; readonly name: string; readonly message: string; readonly stack: string | undefined }

export function toSent(error: unknown): SentError {
  if (error instanceof StoreConflict) return { kind: 'conflict', on: error.on, subject: error.subject }
  if (error instanceof EntriesOutdated) return { kind: 'outdated', uses: error.uses }
  if (error instanceof IndexIncomplete) return { kind: 'incomplete', uses: error.uses }
  if (error instanceof StoreUnavailable) {
    const { message, reason, mayBeWritten } = error
    return { kind: 'unavailable', message, reason, mayBeWritten }
  }
  if (error instanceof InvalidCursor) return { kind: 'cursor' }
  if (error instanceof FhirError)
    return { kind: 'refused', status: error.status, issues: error.issues, headers: error.headers }
  if (error instanceof BudgetError) return { kind: 'budget', reason: error.reason, what: error.what }
  if (!(error instanceof Error)) return { kind: 'fault', name: 'Error', message: String(error), stack: undefined }
  return { kind: 'fault', name: error.name, message: error.message, stack: error.stack }
}

export function toThrown(sent: SentError): Error {
  switch (sent.kind) {
    case 'conflict':
      return new StoreConflict(sent.on, sent.subject)
    case 'incomplete':
      return new IndexIncomplete(sent.uses)
    case 'outdated':
      return new EntriesOutdated(sent.uses)
    case 'unavailable':
      return new StoreUnavailable(sent.message, sent)
    case 'cursor':
      return new InvalidCursor()
    case 'refused':
      return new FhirError(sent.status, sent.issues, sent.headers)
    case 'budget':
      return sent.reason === 'needs thread' ? new OffloadRequired(sent.what) : new BudgetError(sent.reason, sent.what)
    case 'fault': {
      const { name, message, stack = '' } = sent
      return Object.assign(new Error(message), { name, stack })
    }
  }
}
