/** The types of the conformance resources that the server ships: those of the server are read by all and changed by none. */
import { unprocessable } from '../fhir/outcome.ts'
import { codeSystemLookup } from '../operations/code-system-lookup.ts'
import { codeSystemSubsumes } from '../operations/code-system-subsumes.ts'
import { codeSystemValidateCode } from '../operations/code-system-validate-code.ts'
import type { Operation } from '../operations/operation.ts'
import { defineProvider, type Interactions, type Provider } from './provider.ts'
import { searchParameter } from './search-parameter.ts'
import { isShipped, shippedTypes } from './shipped.ts'
import { standard } from './standard.ts'

const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  CodeSystem: [codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode],
}

const INTERACTIONS: Readonly<Record<string, Interactions>> = { SearchParameter: searchParameter }

export const builtInProviders: readonly Provider[] = shippedTypes.map((type) => {
  const interactions = INTERACTIONS[type] ?? standard
  return defineProvider(type, {
    operations: OPERATIONS[type] ?? [],
    // A patch goes through update.
    interactions: {
      ...interactions,
      update: async (ctx, resource, precondition) => {
        refuseShipped(type, resource.id)
        return interactions.update(ctx, resource, precondition)
      },
      delete: async (ctx, _type, id, precondition) => {
        refuseShipped(type, id)
        return interactions.delete(ctx, type, id, precondition)
      },
    },
  })
})

function refuseShipped(type: string, id: string): void {
  if (!isShipped(type, id)) return
  throw unprocessable(`${type}/${id} belongs to the server and cannot be changed; store yours under another id`, {
    expression: `${type}.id`,
  })
}
