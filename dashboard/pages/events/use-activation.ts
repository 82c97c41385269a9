/** Subscriptions that were requested, until the server has activated them: no request tells of that. */
import { useQueryClient } from '@tanstack/react-query'
import type { Subscription } from 'fhir/r4'
import { useEffect } from 'react'

/** Milliseconds between two looks. */
const EVERY = 1_000

export function useActivation(subscriptions: readonly Subscription[]): void {
  const client = useQueryClient()
  const isAwaited = subscriptions.some(({ status }) => status === 'requested')
  useEffect(() => {
    if (!isAwaited) return
    const timer = setInterval(() => client.invalidateQueries({ queryKey: ['Subscription'] }), EVERY)
    return () => clearInterval(timer)
  }, [client, isAwaited])
}
