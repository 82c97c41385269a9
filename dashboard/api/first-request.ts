/** The newest request that a client has sent: one that is in the journal, and was not sent by the dashboard. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { get } from './client.ts'
import { type Entry, type Exchange, isGap, isOwnRead, pathOf, pathOfOne, type WholeExchange } from './exchanges.ts'
import { listenToJournal } from './live.ts'

/** Exchanges whose headers are looked at: the newest. */
const MOST = 20

const keyOf = (clinic: string) => ['clinic', clinic, 'first-request']

/** @param enabled whether it is looked for, and waited for. The data are null while there is none. */
export function useFirstRequest(clinic: string, enabled = true) {
  const client = useQueryClient()
  useEffect(() => {
    if (!enabled) return
    return listenToJournal(clinic, (news) => {
      if (news === 'started') void client.invalidateQueries({ queryKey: keyOf(clinic) })
      else if (isCandidate(news))
        void clientRequestIn(clinic, [news]).then((found) => {
          if (found !== null) client.setQueryData(keyOf(clinic), found)
        })
    })
  }, [client, clinic, enabled])
  return useQuery({
    queryKey: keyOf(clinic),
    queryFn: async ({ signal }) => {
      const { exchanges } = await get<{ readonly exchanges: readonly Entry[] }>(pathOf(clinic, {}), signal)
      return clientRequestIn(clinic, exchanges.filter(isCandidate).slice(0, MOST))
    },
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** A login uses no data yet. */
const isCandidate = (entry: Entry): entry is Exchange =>
  !isGap(entry) && entry.direction === 'in' && !isOwnRead(entry) && !entry.address.startsWith('/session')

async function clientRequestIn(clinic: string, exchanges: readonly Exchange[]): Promise<Exchange | null> {
  for (const exchange of exchanges) {
    const whole = await get<WholeExchange>(pathOfOne(clinic, exchange.id))
    if (!isOfPage(whole)) return exchange
  }
  return null
}

/** Browsers name themselves, and pages of others name their origin: https://www.rfc-editor.org/rfc/rfc6454#section-7. */
function isOfPage({ request: { headers }, replayOf }: WholeExchange): boolean {
  const { 'user-agent': agent = '', origin = location.origin } = headers
  return replayOf !== undefined || (agent.startsWith('Mozilla/') && origin === location.origin)
}
