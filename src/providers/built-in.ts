/** The types of the conformance resources shipped with the server, which can be read but not changed. */

import type { Operation } from '../core/operation.ts'
import { defineProvider, type Interactions, type Provider } from '../core/provider.ts'
import { isShipped, shippedTypes } from '../core/shipped.ts'
import { standard } from '../core/standard.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode } from '../operations/terminology/code-system.ts'
import { valueSetExpand, valueSetValidateCode } from '../operations/terminology/value-set.ts'
import { searchParameter } from './search-parameter.ts'

const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  CodeSystem: [codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode],
  ValueSet: [valueSetExpand, valueSetValidateCode],
}

const INTERACTIONS: Readonly<Record<string, Interactions>> = { SearchParameter: searchParameter }

export const builtInProviders: readonly Provider[] = shippedTypes.map((type) => {
  const interactions = INTERACTIONS[type] ?? standard
  return defineProvider(type, {
    operations: OPERATIONS[type] ?? [],
    // A patch is executed as an update.
    interactions: {
      ...interactions,
      update: async (ctx, resource) => {
        refuseShipped(type, resource.id)
        return interactions.update(ctx, resource)
      },
      delete: async (ctx, _type, id) => {
        refuseShipped(type, id)
        return interactions.delete(ctx, type, id)
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
