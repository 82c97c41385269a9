/** What staff see of an intake that did not reach the clinic's CRM: one Task for it, completed by a later delivery. */
import type { Patient, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { DeliveryTasks, OutboxRow } from '../../integrations/outbox.ts'
import { attachedText, createStaffTask } from './staff-task.ts'

export const crmSyncTasks: DeliveryTasks = {
  failed: async (ctx, row, reason, isGivenUp) => {
    const open = await openTask(ctx, row)
    const { priority, description } = isGivenUp ? givenUp(reason) : retried(reason)
    if (open !== undefined && isGivenUp) await ctx.update<Task>({ ...open, priority, description })
    // A Task that staff have closed is not raised again.
    if (row.task !== undefined) return row.task
    const { patient: patientId, messageId } = row.contact
    const patient = await ctx.find<Patient>('Patient', patientId)
    if (patient === undefined) return undefined
    const input = attachedText('crm-message-id', messageId)
    return (await createStaffTask(ctx, row.call, patient, { code: 'crm-sync-failed', priority, description, input })).id
  },

  delivered: async (ctx, row) => {
    const open = await openTask(ctx, row)
    if (open === undefined) return
    await ctx.update<Task>({ ...open, status: 'completed', description: 'The intake reached the CRM at a later try.' })
  },
}

const retried = (reason: string) => ({
  priority: 'routine' as const,
  description: `The intake could not be sent to the CRM (${reason}); it is tried again.`,
})

const givenUp = (reason: string) => ({
  priority: 'urgent' as const,
  description: `The intake could not be sent to the CRM (${reason}) and is not tried again: enter it there by hand.`,
})

/** The row's Task, while staff have not closed it. */
async function openTask(ctx: Context, { task }: OutboxRow): Promise<Task | undefined> {
  const found = task === undefined ? undefined : (await ctx.find<Task>('Task', task))?.resource
  return found !== undefined && isOpenTask(found) ? found : undefined
}
