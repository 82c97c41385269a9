/** Calls and their log are read again when a tool call has been answered. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isGap } from '../../api/exchanges.ts'
import { listenToJournal } from '../../api/live.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

/** Where the clinic keeps no journal, it is looked at so often, in milliseconds. */
const WITHOUT_JOURNAL = 3000

export function useFreshCalls(): void {
  const { id, settings } = useClinic()
  const client = useQueryClient()
  const hasJournal = settings.journal !== 'off'
  useEffect(() => {
    const refresh = () => {
      void client.invalidateQueries({ queryKey: ['Communication'] })
      void client.invalidateQueries({ queryKey: ['Encounter'] })
    }
    if (!hasJournal) {
      const timer = setInterval(refresh, WITHOUT_JOURNAL)
      return () => clearInterval(timer)
    }
    return listenToJournal(id, (news) => {
      if (news === 'started' || isGap(news) || news.call !== undefined) refresh()
    })
  }, [id, client, hasJournal])
}
