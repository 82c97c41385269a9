/**
 * Task: the standard interactions, the operations of the work list, refusals of waitlist offers, and the tools of
 * abandonment recovery, which work on the Task of an abandonment.
 */
import type { Task } from 'fhir/r4'
import { noteRefusal } from '../booking/waitlist.ts'
import { withRefusal } from '../booking/waitlist-offers.ts'
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { taskClaim, taskComplete } from '../operations/task.ts'

export const task = defineProvider('Task', {
  interactions: {
    ...standard,
    update: async (ctx, resource) => {
      const before = (await ctx.find<Task>('Task', resource.id))?.resource
      const after = resource as Task & { id: string }
      const refused = before === undefined ? undefined : withRefusal(before, after)
      if (refused === undefined) return await standard.update(ctx, after)
      const updated = await standard.update(ctx, { ...refused, id: after.id })
      await noteRefusal(ctx, refused)
      return updated
    },
  },
  operations: [taskClaim, taskComplete, ...toolOperations(toolFamilies, 'Task')],
})
