/** The view of the schedule, and the dialog open over it. */
import type { Appointment } from 'fhir/r4'
import type { FreeTime } from '../../fhir/free-times.ts'
import type { Visit } from '../../fhir/visits.ts'

export type View = 'day' | 'week' | 'month' | 'list'

export type Opened =
  | { readonly kind: 'visit' | 'move' | 'cancel'; readonly visit: Visit }
  | { readonly kind: 'book'; readonly time: FreeTime | undefined; readonly entry?: Appointment }
