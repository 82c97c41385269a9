/** What must be true of a provider before it is served. */
import type { Provider } from '../core/provider.ts'
import { checkOperationOf } from '../operations/check-definition.ts'
import { searchParametersOf } from '../search/parameters.ts'

/** @throws Error naming the provider and what it declares wrongly; it stops the start. */
export function checkProvider({ type, interactions, operations, combined }: Provider): void {
  for (const [code, handler] of Object.entries(interactions)) {
    if (typeof handler !== 'function') throw new Error(`Provider ${type} declares ${code} without a handler`)
  }
  for (const [index, operation] of operations.entries()) {
    checkOperationOf(type, operation)
    if (operations.findIndex(({ code }) => code === operation.code) !== index)
      throw new Error(`Provider ${type} declares operation $${operation.code} twice`)
  }
  const known = searchParametersOf(type)
  for (const { equal, range } of combined) {
    const unknown = [...equal, range].find((code) => !known.has(code))
    if (unknown !== undefined)
      throw new Error(
        `Provider ${type}: its combined index names '${unknown}', which is no search parameter of ${type}`,
      )
  }
}
