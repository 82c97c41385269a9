/** The types of the conformance resources that the server ships: those of the server are read by all and changed by none. */
import { unprocessable } from '../fhir/outcome.ts'
import { defineProvider, type Provider } from './provider.ts'
import { isShipped, shippedTypes } from './shipped.ts'
import { standard } from './standard.ts'

export const builtInProviders: readonly Provider[] = shippedTypes.map((type) =>
  defineProvider(type, {
    // A patch goes through update.
    interactions: {
      ...standard,
      update: async (ctx, resource, precondition) => {
        refuseShipped(type, resource.id)
        return standard.update(ctx, resource, precondition)
      },
      delete: async (ctx, _type, id, precondition) => {
        refuseShipped(type, id)
        return standard.delete(ctx, type, id, precondition)
      },
    },
  }),
)

function refuseShipped(type: string, id: string): void {
  if (!isShipped(type, id)) return
  throw unprocessable(`${type}/${id} belongs to the server and cannot be changed; store yours under another id`, {
    expression: `${type}.id`,
  })
}
