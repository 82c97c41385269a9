/** Checks who may work on staff Tasks, and on which of them. */
import type { Task } from 'fhir/r4'
import { type Context, isUser, type UserAgent } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { conflict, FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'

/**
 * The user, who must be staff or an admin of the clinic; operators run the service.
 * @throws FhirError 403
 */
export function staffOf({ access: { agent } }: OperationRequest): UserAgent {
  if (agent.kind === 'user' && agent.role !== 'operator') return agent
  throw new FhirError(403, {
    code: 'forbidden',
    diagnostics: 'Only staff and admins of the clinic work on its Tasks; log in as one of them',
  })
}

/** @throws FhirError 409 if it is claimed by, or assigned to, another user */
export function requireNotTaken({ id, owner }: Task, by: UserAgent): void {
  if (owner === undefined || isUser(owner, by)) return
  const whose = owner.display ?? owner.reference ?? 'somebody else'
  throw conflict(`Task/${id} is taken by ${whose}; they, or an admin, can release it with $claim and release=true`, {
    expression: 'Task.owner',
    reason: 'task-taken',
  })
}

export const closed = ({ id, status }: Task) =>
  conflict(`Task/${id} is ${status}; only one that is open can be worked on`, {
    expression: 'Task.status',
    reason: 'task-closed',
  })

export const readTask = (ctx: Context, id: string): Promise<Versioned<Task>> => ctx.read<Task>('Task', id)
