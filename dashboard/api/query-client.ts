/** The query cache: responses are kept for a while, and fetched anew after the server was unreachable. */
import { QueryCache, QueryClient } from '@tanstack/react-query'
import { isAboutSandbox } from './clinic.ts'
import { isConnectionLost, onConnection } from './connection.ts'
import { isPassing, Problem } from './problem.ts'

/** Milliseconds for which a response counts as current. */
const FRESH = 5_000

export function newQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        // Somebody has turned the sandbox off, which every page then shows.
        if (error instanceof Problem && error.reason === 'sandbox-off')
          void client.invalidateQueries({ predicate: isAboutSandbox })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: FRESH,
        // connection.ts waits for an unreachable server, and triggers the refetch when it is back.
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < 2,
        retryDelay: 700,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  onConnection(() => {
    if (!isConnectionLost()) void client.invalidateQueries()
  })
  return client
}
