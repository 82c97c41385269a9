/** Task/[id]/$complete: docs/operations/task-complete.md. */
import { isDeepStrictEqual } from 'node:util'
import type { CodeableConcept, Task } from 'fhir/r4'
import { type Context, type UserAgent, userReference } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { Versioned } from '../../repository/repository.ts'
import { closed, readTask, requireNotTaken, staffOf } from './task-input.ts'

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
