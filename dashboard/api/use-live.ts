/** New exchanges, for components. */
import { useEffect, useRef, useState } from 'react'
import { type Entry, type ExchangeFilters, isGap, isWanted } from './exchanges.ts'
import { listenToJournal } from './live.ts'

/** So many are kept; whoever looks away for long reads the list again. */
const MOST = 500

/**
 * Those that have come since the component is there, the newest first.
 * @param filters only what they let through, and gaps
 * @param onStart is told when nothing is missed any more, so that what happened before can be read
 */
export function useLiveExchanges(clinic: string, filters: ExchangeFilters, onStart: () => unknown): readonly Entry[] {
  const [entries, setEntries] = useState<readonly Entry[]>([])
  const key = JSON.stringify(filters)
  const started = useRef(onStart)
  started.current = onStart
  useEffect(() => {
    const wanted: ExchangeFilters = JSON.parse(key)
    setEntries([])
    return listenToJournal(clinic, (news) => {
      if (news === 'started') started.current()
      else if (isGap(news) || isWanted(news, wanted)) setEntries((before) => [news, ...before].slice(0, MOST))
    })
  }, [clinic, key])
  return entries
}
