/**
 * Subscription: stored as requested, and never active, as notifications are not sent yet.
 * https://hl7.org/fhir/R4/subscription.html
 */
import type { Subscription } from 'fhir/r4'
import { defineProvider, standard } from '../core/provider.ts'
import { unprocessable } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'

export const subscription = defineProvider('Subscription', {
  documentation:
    'Stored, searched and versioned, but not carried out yet: no notification is sent. A Subscription stays `requested`; `active` is refused.',
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      checkStatus(resource)
      return standard.create(ctx, resource)
    },
    update: async (ctx, resource) => {
      checkStatus(resource)
      return standard.update(ctx, resource)
    },
  },
})

/** The status "marks the server state for managing the subscription": active would mean that notifications are sent. */
function checkStatus(resource: AnyResource): void {
  const { status } = resource as Subscription
  if (status !== 'active') return
  throw unprocessable(
    "Subscription.status is 'active', but this server sends no notifications yet; send 'requested', which it stays, or 'off'",
    { expression: 'Subscription.status' },
  )
}
