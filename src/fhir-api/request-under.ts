/** A request below /as/{profile}, as the interactions see it. */
import type { RequestState } from '../http/exchange.ts'
import type { Media } from '../rehearsal/strictness/profile.ts'
import { withOwnReferences } from './bundle/own-references.ts'
import type { InteractionRequest } from './message/interaction.ts'

/**
 * The request with its links below the profile's address, and references to that address as references to own resources.
 * @throws BudgetError
 */
export function requestUnder(
  { profile, prefix }: NonNullable<RequestState['as']>,
  request: InteractionRequest,
  media: Media,
): InteractionRequest {
  const base = request.base + prefix
  return {
    ...request,
    base,
    body: withOwnReferences(request.body, base),
    handling: profile.handling ?? request.handling,
    strictness: { profile, media },
  }
}
