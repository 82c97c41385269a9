/** The form of the settings: what is typed, saving it, and what to do when somebody else has saved meanwhile. */
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  problemsIn,
  readSettings,
  type Settings,
  type TaggedSettings,
  writeSettings,
} from '../../api/clinic-settings.ts'
import { Problem } from '../../api/problem.ts'

export function useSettings(clinic: string, first: TaggedSettings) {
  const client = useQueryClient()
  const [base, setBase] = useState(first)
  const [settings, setSettings] = useState<Settings>(first.settings)
  const [problems, setProblems] = useState<readonly string[]>([])
  /** What somebody else has saved. */
  const [theirs, setTheirs] = useState<TaggedSettings>()
  const [isBusy, setBusy] = useState(false)

  const store = async (wanted: TaggedSettings): Promise<void> => {
    setBusy(true)
    setProblems([])
    try {
      const saved = await writeSettings(clinic, wanted)
      setBase(saved)
      setSettings(saved.settings)
      setTheirs(undefined)
      notifications.show({ message: 'The settings are saved.', autoClose: 4000 })
      await client.invalidateQueries({ queryKey: ['clinic', clinic] })
    } catch (error) {
      if (error instanceof Problem && error.status === 412) setTheirs(await readSettings(clinic))
      else {
        setTheirs(undefined)
        setProblems(problemsIn(error))
      }
    } finally {
      setBusy(false)
    }
  }
  return {
    base,
    settings,
    setSettings: (next: unknown) => setSettings(next as Settings),
    problems,
    theirs,
    isBusy,
    isChanged: JSON.stringify(settings) !== JSON.stringify(base.settings),
    save: () => store({ settings, tag: base.tag }),
    saveOn: (wanted: unknown, { tag }: TaggedSettings) => {
      setSettings(wanted as Settings)
      return store({ settings: wanted as Settings, tag })
    },
    leaveConflict: () => setTheirs(undefined),
    reset: () => setSettings(base.settings),
  }
}
