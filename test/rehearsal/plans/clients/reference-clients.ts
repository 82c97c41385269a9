/** The reference clients of the built-in plans: for each plan one that passes it, and for each step one that fails it alone. */
import { AbandonmentClient, abandonmentMistakes } from './abandonment.ts'
import { AvailabilityClient, availabilityMistakes } from './availability.ts'
import { BookingClient, bookingMistakes } from './booking-lifecycle.ts'
import type { ClientClass, Mistakes } from './client.ts'
import { DocumentClient, documentMistakes } from './document-write-back.ts'
import { CallClient, callMistakes } from './live-call-tools.ts'
import { MatchingClient, matchingMistakes } from './patient-matching.ts'
import { ResilientClient, resilienceMistakes } from './resilience.ts'

export interface ReferenceClients {
  readonly plan: string
  readonly good: ClientClass
  readonly mistakes: Mistakes
}

export const REFERENCE_CLIENTS: readonly ReferenceClients[] = [
  { plan: 'abandonment', good: AbandonmentClient, mistakes: abandonmentMistakes },
  { plan: 'availability', good: AvailabilityClient, mistakes: availabilityMistakes },
  { plan: 'booking-lifecycle', good: BookingClient, mistakes: bookingMistakes },
  { plan: 'document-write-back', good: DocumentClient, mistakes: documentMistakes },
  { plan: 'live-call-tools', good: CallClient, mistakes: callMistakes },
  { plan: 'patient-matching', good: MatchingClient, mistakes: matchingMistakes },
  { plan: 'resilience', good: ResilientClient, mistakes: resilienceMistakes },
]
