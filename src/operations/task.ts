/** The operations of the work list: $claim and $complete of a Task. */

import { isDeepStrictEqual } from 'node:util'
import type { CodeableConcept, Task } from 'fhir/r4'
import { type Context, isUser, type UserAgent, userReference } from '../core/context.ts'
import { defineOperation, type OperationRequest } from '../core/operation.ts'
import { badRequest, conflict, FhirError } from '../fhir/outcome.ts'
import { isOpenTask } from '../fhir/task-status.ts'
import type { Versioned } from '../repository/repository.ts'

/**
 * docs/operations/task-claim.md. Of two concurrent claims one gets a conflict, and finds the other's claim.
 */
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

/** Type of the outcome in Task.output. */
const OUTCOME: CodeableConcept = {
  coding: [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/task-output', code: 'outcome', display: 'Outcome' }],
}

/** Most characters of a note. */
const MAX_NOTE = 10_000

interface Completion {
  readonly outcome: CodeableConcept
  readonly note?: string
}

/** docs/operations/task-complete.md */
export const taskComplete = defineOperation('task-complete', async (request) => {
  const { access, input, id = '' } = request
  const by = staffOf(request)
  const completion = {
    outcome: input.outcome as CodeableConcept,
    ...(input.note === undefined ? {} : { note: String(input.note) }),
  }
  check(completion)
  return (await access.change((ctx) => complete(ctx, id, by, completion))).resource
})

/** @throws FhirError 400 */
function check({ outcome, note = '' }: Completion): void {
  if (!outcome.text && !outcome.coding?.some(({ code }) => code))
    throw badRequest('outcome says nothing; give it a text, or a coding with a code', { expression: 'outcome' })
  if (note.length > MAX_NOTE)
    throw badRequest(`note has ${note.length} characters; it may have ${MAX_NOTE}`, { expression: 'note' })
}

/** Repeating the same outcome changes nothing. @throws FhirError 404, 409 or 410 */
async function complete(
  ctx: Context,
  id: string,
  by: UserAgent,
  { outcome, note }: Completion,
): Promise<Versioned<Task>> {
  const found = await readTask(ctx, id)
  const { resource } = found
  const output = { type: OUTCOME, valueCodeableConcept: outcome }
  if (resource.status === 'completed' && resource.output?.some((one) => isDeepStrictEqual(one, output))) return found
  if (!isOpenTask(resource)) throw closed(resource)
  requireNotTaken(resource, by)
  const now = new Date(ctx.now).toISOString()
  const owner = resource.owner ?? userReference(by)
  return await ctx.update<Task>({
    ...resource,
    status: 'completed',
    owner,
    executionPeriod: { ...resource.executionPeriod, end: now },
    lastModified: now,
    output: [...(resource.output ?? []).filter(({ type }) => !isDeepStrictEqual(type, OUTCOME)), output],
    ...(note === undefined
      ? {}
      : { note: [...(resource.note ?? []), { authorReference: userReference(by), time: now, text: note }] }),
  })
}

/**
 * The user, who must be staff or an admin of the clinic; operators run the service.
 * @throws FhirError 403
 */
function staffOf({ access: { agent } }: OperationRequest): UserAgent {
  if (agent.kind === 'user' && agent.role !== 'operator') return agent
  throw new FhirError(403, {
    code: 'forbidden',
    diagnostics: 'Only staff and admins of the clinic work on its Tasks; log in as one of them',
  })
}

/** @throws FhirError 409 if it is claimed by, or assigned to, another user */
function requireNotTaken({ id, owner }: Task, by: UserAgent): void {
  if (owner === undefined || isUser(owner, by)) return
  const whose = owner.display ?? owner.reference ?? 'somebody else'
  throw conflict(`Task/${id} is taken by ${whose}; they, or an admin, can release it with $claim and release=true`, {
    expression: 'Task.owner',
    reason: 'task-taken',
  })
}

const closed = ({ id, status }: Task) =>
  conflict(`Task/${id} is ${status}; only one that is open can be worked on`, {
    expression: 'Task.status',
    reason: 'task-closed',
  })

const readTask = (ctx: Context, id: string): Promise<Versioned<Task>> => ctx.read<Task>('Task', id)
