/** The work list of the staff (docs/work-list.md). */
import type { Task } from 'fhir/r4'
import { conceptText } from './names.ts'

export const OPEN_STATUSES = 'requested,received,accepted,ready,in-progress,on-hold'

export const taskTitle = ({ description, code }: Task): string => description ?? conceptText(code) ?? 'Task'

/** When it is to be done by. */
export const dueOf = ({ restriction }: Task): string | undefined => restriction?.period?.end
