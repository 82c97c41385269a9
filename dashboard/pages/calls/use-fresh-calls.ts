/** Calls and their log are read again when a tool call has been answered. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { isGap } from '../../api/exchanges.ts'
import { listenToJournal } from '../../api/live.ts'
import { useClinic } from '../../parts/clinic-context.tsx'

/** Where the clinic may keep no journal, they are read again so often, in milliseconds. */
const WITHOUT_JOURNAL = 5000

export function useFreshCalls(): void {
  const { id, settings } = useClinic()
  const client = useQueryClient()
  // Absent, it is as the server has it, which is off in production.
  const hasJournal = settings.journal === 'full' || settings.journal === 'headers'
  useEffect(() => {
    const refresh = () => {
      void client.invalidateQueries({ queryKey: ['Communication'] })
      void client.invalidateQueries({ queryKey: ['Encounter'] })
    }
    const timer = hasJournal ? undefined : setInterval(refresh, WITHOUT_JOURNAL)
    const end = listenToJournal(id, (news) => {
      if (news === 'started' || isGap(news) || news.call !== undefined) refresh()
    })
    return () => {
      clearInterval(timer)
      end()
    }
  }, [id, client, hasJournal])
}
