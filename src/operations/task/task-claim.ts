/**
 * Task/[id]/$claim: docs/operations/task-claim.md. Of two concurrent claims one gets a conflict, and finds the other's
 * claim.
 */
import type { Task } from 'fhir/r4'
import { type Context, isUser, type UserAgent, userReference } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { Versioned } from '../../repository/repository.ts'
import { closed, readTask, requireNotTaken, staffOf } from './task-input.ts'

export const taskClaim = defineOperation('task-claim', async (request) => {
  const { access, input, id = '' } = request
  const by = staffOf(request)
  const work = input.release === true ? release : claim
  return (await access.change((ctx) => work(ctx, id, by))).resource
})

/** @throws FhirError 404, 409 or 410 */
async function claim(ctx: Context, id: string, by: UserAgent): Promise<Versioned<Task>> {
  const found = await readTask(ctx, id)
  const { resource } = found
  if (!isOpenTask(resource)) throw closed(resource)
  requireNotTaken(resource, by)
  if (isUser(resource.owner, by) && resource.status === 'in-progress') return found
  const start = resource.executionPeriod?.start ?? new Date(ctx.now).toISOString()
  return await ctx.update<Task>({
    ...resource,
    status: 'in-progress',
    owner: userReference(by),
    executionPeriod: { start },
    lastModified: new Date(ctx.now).toISOString(),
  })
}

/**
 * Removes owner and period, so that the next claim starts anew. An admin may release the Tasks of others. @throws
 * FhirError 404, 409 or 410
 */
async function release(ctx: Context, id: string, by: UserAgent): Promise<Versioned<Task>> {
  const found = await readTask(ctx, id)
  const { owner, executionPeriod: _, ...task } = found.resource
  if (!isOpenTask(found.resource)) throw closed(found.resource)
  if (owner === undefined) return found
  if (by.role !== 'admin') requireNotTaken(found.resource, by)
  return await ctx.update<Task>({ ...task, status: 'requested', lastModified: new Date(ctx.now).toISOString() })
}
