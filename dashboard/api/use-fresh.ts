/** Refetches the data of a page when the journal reports a request that may have changed it. */
import { type QueryFilters, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isAboutSandbox } from './clinic.ts'
import { type Entry, type Exchange, isGap, isOwnRead, isWanted } from './exchanges.ts'
import { hasHeardWithin, listenToJournal } from './live.ts'
import { rehearsalKey } from './rehearsal.ts'
import { runKey } from './runs.ts'

/** Milliseconds between two reads while the journal is silent, as it may be off. */
const WITHOUT_JOURNAL = 5_000
/**
 * Milliseconds between two reads while the journal works, for changes without a request, such as a hold that expires.
 */
const WITH_JOURNAL = 60_000
/** Milliseconds of silence that mean there is no journal: it would report the reads made here. */
const SILENCE = WITH_JOURNAL + WITHOUT_JOURNAL
/** Milliseconds until the second read, for work that the server does after its response, such as making free times. */
const AFTERWARDS = 2_000
/**
 * The shortest pause between two reads, in milliseconds; it is longer where reads take long, to spare a busy server.
 */
const PAUSE = 250
const TIMES_LONGER = 3

/**
 * Follows the changes of the clinic for as long as the component is there.
 * @param types of resources that are shown
 * @param others names of further queries that depend on them
 */
export function useFresh(clinic: string, types: readonly string[], others: readonly string[] = []): void {
  const client = useQueryClient()
  const key = JSON.stringify([types, others])
  useEffect(() => {
    const [wanted, besides]: readonly [readonly string[], readonly string[]] = JSON.parse(key)
    const names = new Set<unknown>([...wanted, ...besides])
    let readAt = Date.now()
    const read = oneAtATime(() => {
      readAt = Date.now()
      return client.invalidateQueries({ predicate: ({ queryKey: [name] }) => names.has(name) })
    })
    let afterwards: ReturnType<typeof setTimeout> | undefined
    const end = listenToJournal(clinic, (news) => {
      if (news === 'started') {
        // A read already under way may have been served before the stream began, so a second one follows it.
        read()
        read()
        return
      }
      const besidesThem = queriesBesides(news, clinic)
      if (besidesThem !== undefined) void client.invalidateQueries(besidesThem)
      if (!mayChange(news, wanted)) return
      read()
      clearTimeout(afterwards)
      afterwards = setTimeout(read, AFTERWARDS)
    })
    const timer = setInterval(() => {
      const isDue = Date.now() - readAt >= WITH_JOURNAL || !hasHeardWithin(clinic, SILENCE)
      if (isDue && document.visibilityState === 'visible') read()
    }, WITHOUT_JOURNAL)
    return () => {
      end()
      clearInterval(timer)
      clearTimeout(afterwards)
    }
  }, [client, clinic, key])
}

/** Follows a run of the clinic: it is read again after each of its requests. */
export function useFreshRun(clinic: string, run: string): void {
  const client = useQueryClient()
  useEffect(() => {
    const read = oneAtATime(() => client.invalidateQueries({ queryKey: runKey(clinic, run) }))
    return listenToJournal(clinic, (news) => {
      if (news === 'started' || isGap(news) || isWanted(news, { run })) read()
    })
  }, [client, clinic, run])
}

/** Whether a request may have changed one of the types; a batch, a tool call or a delivery may change any. */
function mayChange(news: Entry, types: readonly string[]): boolean {
  if (isGap(news)) return true
  const isRead = news.direction === 'in' && (news.method === 'GET' || news.method === 'HEAD')
  return !isRead && !isOwnRead(news) && (news.type === undefined || types.includes(news.type))
}

/** The queries, besides those of resources, that show what a request has changed. */
function queriesBesides(news: Entry, clinic: string): QueryFilters | undefined {
  if (isGap(news)) return undefined
  if (changes(news, clinic, 'sandbox')) return { predicate: isAboutSandbox }
  // Everything is of the generation before.
  if (changes(news, clinic, 'reset')) return {}
  const isRehearsal = news.fault !== undefined || changes(news, clinic, 'clock', 'faults', 'snapshots', 'runs', 'plans')
  return isRehearsal ? { queryKey: rehearsalKey(clinic) } : undefined
}

/** Whether a request has changed one of these things of the clinic. */
const changes = (exchange: Exchange, clinic: string, ...things: readonly string[]): boolean =>
  exchange.method !== 'GET' &&
  !isOwnRead(exchange) &&
  things.some((thing) => `${exchange.address}/`.startsWith(`/clinics/${clinic}/${thing}/`))

/** Runs the work one at a time: calls during a run, or the pause after it, lead to one more run. */
function oneAtATime(work: () => Promise<unknown>): () => void {
  let isBusy = false
  let isAskedFor = false
  const run = async (): Promise<void> => {
    isBusy = true
    while (isAskedFor) {
      isAskedFor = false
      const began = Date.now()
      await work().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE, (Date.now() - began) * TIMES_LONGER)))
    }
    isBusy = false
  }
  return () => {
    isAskedFor = true
    if (!isBusy) void run()
  }
}
