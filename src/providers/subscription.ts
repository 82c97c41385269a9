/**
 * Subscription: the standard interactions, and the server that carries it out: events/lifecycle.ts.
 * https://hl7.org/fhir/R4/subscription.html
 */
import type { Subscription } from 'fhir/r4'
import { defineProvider, standard } from '../core/provider.ts'
import { stageEnd, stageSubscription } from '../events/lifecycle.ts'
import { newId } from '../fhir/new-id.ts'
import { subscriptionBindingToken, subscriptionEvents, subscriptionStatus } from '../operations/subscription.ts'

export const subscription = defineProvider('Subscription', {
  documentation:
    'A client writes it with the status `requested`; the server makes it `active` within a second, and notifies its endpoint of each later create or update that meets its criteria, in order and once at least, by a rest-hook, a websocket or an e-mail. With the canonical of a topic as its criteria it follows the R5 backport. Values of `channel.header` are never shown. `error` says why notifications were given up; `requested` starts them again, where they stopped.',
  operations: [subscriptionStatus, subscriptionEvents, subscriptionBindingToken],
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      const named = { ...(resource as Subscription), id: resource.id ?? newId() }
      return await standard.create(ctx, await stageSubscription(ctx, named))
    },
    update: async (ctx, resource) =>
      await standard.update(ctx, {
        ...(await stageSubscription(ctx, resource as Subscription & { id: string })),
        id: resource.id,
      }),
    delete: async (ctx, type, id) => {
      await stageEnd(ctx, id)
      return await standard.delete(ctx, type, id)
    },
  },
})
