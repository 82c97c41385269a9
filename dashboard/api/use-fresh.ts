/** What a page shows is read again as soon as the journal tells of a request that may have changed it. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isAboutSandbox } from './clinic.ts'
import { type Entry, isGap, isOwnRead } from './exchanges.ts'
import { hasHeardWithin, listenToJournal } from './live.ts'

/** Milliseconds between readings where the journal tells nothing, as it may be off. */
const WITHOUT_JOURNAL = 5_000
/** And where it does, for what changes without a request, such as a hold that expires. */
const WITH_JOURNAL = 60_000
/** Of what is read here the journal tells too, so silence for longer than that means that there is none. */
const SILENCE = WITH_JOURNAL + WITHOUT_JOURNAL
/** Milliseconds until the second reading, for what the server does after it has answered, such as making free times. */
const AFTERWARDS = 2_000
/** The shortest pause between two readings; it is longer where they take long, so that a busy clinic has time for others. */
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
        // What is being read already may have been answered before, so it is read once more behind it.
        read()
        read()
        return
      }
      if (turnsSandbox(news, clinic)) void client.invalidateQueries({ predicate: isAboutSandbox })
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

/** A batch, a tool call or a delivery may change whatever it likes. */
function mayChange(news: Entry, types: readonly string[]): boolean {
  if (isGap(news)) return true
  const isRead = news.direction === 'in' && (news.method === 'GET' || news.method === 'HEAD')
  return !isRead && !isOwnRead(news) && (news.type === undefined || types.includes(news.type))
}

const turnsSandbox = (news: Entry, clinic: string): boolean =>
  !isGap(news) && news.method === 'PUT' && news.address === `/clinics/${clinic}/sandbox`

/** Asked for while it is under way, or paused after, it is done once more. */
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
