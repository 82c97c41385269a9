/** Checks a provider before it is served. */
import type { Provider } from '../core/provider.ts'
import { checkOperationOf } from '../operations/check-definition.ts'
import { searchParametersOf } from '../search/parameters.ts'

/** @throws Error naming the provider and its invalid declaration; it stops the start. */
export function checkProvider(provider: Provider): void {
  const { type, interactions, operations } = provider
  for (const [code, handler] of Object.entries(interactions)) {
    if (typeof handler !== 'function') throw new Error(`Provider ${type} declares ${code} without a handler`)
  }
  for (const [index, operation] of operations.entries()) {
    checkOperationOf(type, operation)
    if (operations.findIndex(({ code }) => code === operation.code) !== index)
      throw new Error(`Provider ${type} declares operation $${operation.code} twice`)
  }
  checkSearchParameters(provider)
}

function checkSearchParameters({ type, searchParams = [], combined }: Provider): void {
  const known = searchParametersOf(type)
  const unknown = searchParams.find((code) => !known.has(code))
  if (unknown !== undefined) throw new Error(`Provider ${type}: there is no search parameter '${unknown}' for ${type}`)
  const unindexed = combined.flatMap(({ equal, range }) => [...equal, range]).find((code) => !known.has(code))
  if (unindexed !== undefined)
    throw new Error(
      `Provider ${type}: its combined index names '${unindexed}', which is no search parameter of ${type}`,
    )
}
