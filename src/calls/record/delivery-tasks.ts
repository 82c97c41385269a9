/**
 * The Task for staff about a contact that did not reach the clinic's CRM, or a message that was not sent. A later
 * successful delivery completes it.
 */
import type { Patient, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { DeliveryTasks } from '../../integrations/outbox/delivery.ts'
import { messageIdOf, type OutboxRow, patientOf } from '../../integrations/outbox/rows.ts'
import { attachedText, createStaffTask, dueBy, earlierDue, type StaffTask } from './staff-task.ts'

export const deliveryTasks: DeliveryTasks = {
  failed: async (ctx, row, reason, isGivenUp) => {
    const open = await openTask(ctx, row)
    const { priority, description } = isGivenUp ? givenUp(row, reason) : retried(row, reason)
    if (open !== undefined && isGivenUp) {
      const restriction = earlierDue(open.restriction, dueBy(priority, ctx.now))
      await ctx.update<Task>({ ...open, priority, description, ...(restriction === undefined ? {} : { restriction }) })
    }
    // A Task that staff have closed is not reopened.
    return row.task ?? (await raise(ctx, row, { priority, description }))
  },

  delivered: async (ctx, row) => {
    const open = await openTask(ctx, row)
    if (open === undefined) return
    const description =
      row.message === undefined ? 'The intake reached the CRM at a later try.' : 'The message was sent.'
    await ctx.update<Task>({ ...open, status: 'completed', description })
  },

  dropped: async (ctx, row, reason) => {
    const open = await openTask(ctx, row)
    const description = `${subjectOf(row)} was not sent, and will not be: ${reason}.`
    if (open !== undefined) await ctx.update<Task>({ ...open, status: 'completed', description })
    else if (row.task === undefined) await raise(ctx, row, { priority: 'routine', description, status: 'completed' })
  },
}

const subjectOf = ({ message }: OutboxRow): string => {
  switch (message?.channel) {
    case undefined:
      return 'The intake'
    case 'sms':
      return 'A text message'
    case 'email':
      return 'An e-mail'
  }
}

const couldNotBeSent = (row: OutboxRow, reason: string): string =>
  `${subjectOf(row)} could not be sent${row.message === undefined ? ' to the CRM' : ''} (${reason})`

const retried = (row: OutboxRow, reason: string) => ({
  priority: 'routine' as const,
  description: `${couldNotBeSent(row, reason)}; it is tried again.`,
})

const givenUp = (row: OutboxRow, reason: string) => ({
  priority: 'urgent' as const,
  description: `${couldNotBeSent(row, reason)} and is not tried again: ${
    row.message === undefined ? 'enter it there by hand' : 'reach the patient in another way'
  }, or send it again.`,
})

/** Returns undefined if there is no patient for the Task. */
async function raise(
  ctx: Context,
  row: OutboxRow,
  task: Pick<StaffTask, 'priority' | 'description' | 'status'>,
): Promise<string | undefined> {
  const id = patientOf(row)
  const patient = id === undefined ? undefined : await ctx.find<Patient>('Patient', id)
  if (patient === undefined) return undefined
  const [code, inputCode] =
    row.message === undefined
      ? (['crm-sync-failed', 'crm-message-id'] as const)
      : (['message-not-sent', 'message-id'] as const)
  const input = attachedText(inputCode, messageIdOf(row))
  return (await createStaffTask(ctx, row.call, patient, { code, ...task, input })).id
}

/** The row's Task, unless staff have closed it. */
async function openTask(ctx: Context, { task }: OutboxRow): Promise<Task | undefined> {
  const found = task === undefined ? undefined : (await ctx.find<Task>('Task', task))?.resource
  return found !== undefined && isOpenTask(found) ? found : undefined
}
