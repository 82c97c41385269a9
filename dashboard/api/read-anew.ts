/** Queries that are read anew after a change of what they show. */
import type { QueryClient } from '@tanstack/react-query'

/** All queries of these types. @returns once those that are shown are there */
export const readAnew = (client: QueryClient, ...types: readonly string[]): Promise<unknown> =>
  Promise.all(types.map((type) => client.invalidateQueries({ queryKey: [type] })))
