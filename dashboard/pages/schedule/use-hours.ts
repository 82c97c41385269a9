/** The form of working hours. */
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import type { Schedule } from 'fhir/r4'
import { get } from '../../api/client.ts'
import { put } from '../../api/operations.ts'
import { Problem } from '../../api/problem.ts'
import { readAnew } from '../../api/read-anew.ts'
import { type Availability, availabilityOf, noHours, placeOf, withAvailability } from '../../fhir/availability.ts'
import { useVersionedForm } from '../../parts/use-versioned-form.ts'

export interface HoursProblem {
  /** `weekly.2`; undefined: of the whole. */
  readonly place: string | undefined
  readonly text: string
}

export function useHours(first: Schedule) {
  const client = useQueryClient()
  return useVersionedForm(first, {
    valueIn: (schedule: Schedule): Availability => availabilityOf(schedule) ?? noHours,
    write: (hours, on) => put(withAvailability(on, hours).schedule),
    read: () => get<Schedule>(`Schedule/${first.id}`),
    problemsOf: (error, hours, on) => problemsOf(error, withAvailability(on, hours).places),
    onSaved: () => {
      notifications.show({ message: 'The working hours are saved.', autoClose: 4000 })
      void readAnew(client, 'Schedule', 'Slot')
    },
  })
}

function problemsOf(error: unknown, places: readonly string[]): readonly HoursProblem[] {
  if (!(error instanceof Problem)) return [{ place: undefined, text: String(error) }]
  return error.issues.map(({ text, expression }) => ({ place: placeOf(expression, places), text: wordsOf(text) }))
}

/** The text without its path, as it is shown at the place that it is about. */
const wordsOf = (text: string): string => text.replace(/^Schedule\.extension\[\d+\](\.extension\[\d+\])*\s*/, '')
