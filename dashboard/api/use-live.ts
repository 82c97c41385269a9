/** New exchanges, for components. */
import { useEffect, useRef, useState } from 'react'
import { type Entry, type ExchangeFilters, isGap, isWanted } from './exchanges.ts'
import { listenToJournal } from './live.ts'

/** The most exchanges kept. */
const MOST = 500

/**
 * The exchanges that have arrived since the component was mounted, the newest first.
 * @param filters only what they let through, and gaps
 * @param onStart is called once no exchange can be missed any more, so that earlier ones can be read
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
      else if (isGap(news) ? !wanted.authentication : isWanted(news, wanted))
        setEntries((before) => [news, ...before].slice(0, MOST))
    })
  }, [clinic, key])
  return entries
}
