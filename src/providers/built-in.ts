/** The types of the conformance resources that the server ships: those of the server are read by all and changed by none. */
import { unprocessable } from '../fhir/outcome.ts'
import { codeSystemLookup } from '../operations/code-system-lookup.ts'
import { codeSystemSubsumes } from '../operations/code-system-subsumes.ts'
import { codeSystemValidateCode } from '../operations/code-system-validate-code.ts'
import type { Operation } from '../operations/operation.ts'
import { defineProvider, type Provider } from './provider.ts'
import { isShipped, shippedTypes } from './shipped.ts'
import { standard } from './standard.ts'

const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  CodeSystem: [codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode],
}

export const builtInProviders: readonly Provider[] = shippedTypes.map((type) =>
  defineProvider(type, {
    operations: OPERATIONS[type] ?? [],
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
