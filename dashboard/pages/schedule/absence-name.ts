/** The name of an absence in the address. */
import { type Absence, availabilityOf } from '../../fhir/availability.ts'
import type { Column } from './use-plan.ts'

const SEPARATOR = ' '

/** The absence as the address names it. */
export const absenceName = (schedule: string, { start, end }: Absence): string => [schedule, start, end].join(SEPARATOR)

/** The absence that the address names, if it is still there. */
export function absenceNamed(name: string, columns: readonly Column[]) {
  const [schedule, start, end] = name.split(SEPARATOR)
  const column = columns.find(({ id }) => id === schedule)
  const absences = (column && availabilityOf(column.schedule)?.absences) ?? []
  const absence = absences.find((one) => one.start === start && one.end === end)
  return column === undefined || absence === undefined ? undefined : { column, absence }
}
