/** The types of the conformance resources shipped with the server, which can be read but not changed. */

import type { Operation } from '../core/operation.ts'
import { defineProvider, type Interactions, type Provider, standard } from '../core/provider.ts'
import { isShipped, shippedTypes } from '../core/shipped.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { codeSystemLookup } from '../operations/terminology/code-system-lookup.ts'
import { codeSystemSubsumes } from '../operations/terminology/code-system-subsumes.ts'
import { codeSystemValidateCode } from '../operations/terminology/code-system-validate-code.ts'
import { valueSetExpand } from '../operations/terminology/value-set-expand.ts'
import { valueSetValidateCode } from '../operations/terminology/value-set-validate-code.ts'
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
