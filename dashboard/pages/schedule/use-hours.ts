/** The form of working hours: what is typed, saving it, and what to do when somebody else has saved meanwhile. */
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Schedule } from 'fhir/r4'
import { useState } from 'react'
import { get } from '../../api/client.ts'
import { put } from '../../api/operations.ts'
import { Problem } from '../../api/problem.ts'
import { type Availability, availabilityOf, noHours, placeOf, withAvailability } from '../../fhir/availability.ts'

export interface HoursProblem {
  /** `weekly.2`; undefined: of the whole. */
  readonly place: string | undefined
  readonly text: string
}

export function useHours(first: Schedule) {
  const client = useQueryClient()
  const [base, setBase] = useState(first)
  const [hours, setHours] = useState(() => availabilityOf(first) ?? noHours)
  const [problems, setProblems] = useState<readonly HoursProblem[]>([])
  /** What somebody else has saved. */
  const [theirs, setTheirs] = useState<Schedule>()
  const [isBusy, setBusy] = useState(false)

  const store = async (wanted: Availability, on: Schedule): Promise<void> => {
    const { schedule, places } = withAvailability(on, wanted)
    setBusy(true)
    setProblems([])
    try {
      const saved = await put(schedule)
      setBase(saved)
      setHours(availabilityOf(saved) ?? noHours)
      setTheirs(undefined)
      notifications.show({ message: 'The working hours are saved.', autoClose: 4000 })
    } catch (error) {
      if (error instanceof Problem && error.status === 412) setTheirs(await get<Schedule>(`Schedule/${on.id}`))
      else {
        setTheirs(undefined)
        setProblems(problemsOf(error, places))
      }
    } finally {
      setBusy(false)
      for (const type of ['Schedule', 'Slot']) void client.invalidateQueries({ queryKey: [type] })
    }
  }
  return {
    base,
    hours,
    setHours,
    problems,
    theirs,
    isBusy,
    isChanged: JSON.stringify(hours) !== JSON.stringify(availabilityOf(base) ?? noHours),
    save: () => store(hours, base),
    saveOn: (wanted: Availability, on: Schedule) => {
      setHours(wanted)
      return store(wanted, on)
    },
    leaveConflict: () => setTheirs(undefined),
    reset: () => setHours(availabilityOf(base) ?? noHours),
  }
}

function problemsOf(error: unknown, places: readonly string[]): readonly HoursProblem[] {
  if (!(error instanceof Problem)) return [{ place: undefined, text: String(error) }]
  return error.issues.map(({ text, expression }) => ({ place: placeOf(expression, places), text: wordsOf(text) }))
}

/** Without the path, which is told by the place where it stands. */
const wordsOf = (text: string): string => text.replace(/^Schedule\.extension\[\d+\](\.extension\[\d+\])*\s*/, '')
