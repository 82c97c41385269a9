/**
 * An unfinished registration or form, as staff see it: a Task whose inputs state which one and how to reach the person,
 * for a placeholder Patient. The completed fields are on the Patient for a registration, else in a
 * QuestionnaireResponse.
 */
import type { Task, TaskInput } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { UnitOfWork, Versioned } from '../../repository/repository.ts'
import { isTaskOf } from './staff-task.ts'
import { concept, hasCoding, TASK_CODE_SYSTEM, TASK_INPUT_SYSTEM } from './vocabulary.ts'

export const ABANDONMENT_KINDS = ['checkout', 'form', 'registration'] as const
export type AbandonmentKind = (typeof ABANDONMENT_KINDS)[number]

export interface ContactPoints {
  /** In the form that spokenPhone returns. */
  readonly phone?: string
  readonly email?: string
}

export interface Abandonment {
  readonly task: Versioned<Task>
  /** Patient.id */
  readonly patient: string
  readonly kind: AbandonmentKind
  readonly stepReached: string
  /** Contact points at which the person may be reached; no other is used. */
  readonly contact: ContactPoints
  readonly consent: boolean
  /** QuestionnaireResponse.id; absent for a registration. */
  readonly form?: string
  /** False once staff or a call have closed it. */
  readonly isOpen: boolean
}

const OF_PATIENT = new URLSearchParams({ code: `${TASK_CODE_SYSTEM}|abandonment-recovery` }).toString()

/**
 * All abandonments of a patient's registration, including closed ones. The change commits only if no other is added
 * meanwhile.
 * @param patient Patient.id
 */
export async function registrationAbandonments(ctx: Context, patient: string): Promise<readonly Abandonment[]> {
  const found = await ctx.searchGuarded<Task>('Task', `patient=Patient/${patient}&${OF_PATIENT}`)
  // Read individually, so that the change commits only if none of them changes meanwhile.
  const all = await Promise.all(found.map(({ id }) => findAbandonment(ctx.unit, id)))
  return all.flatMap((one) => (one?.kind === 'registration' ? one : []))
}

/** Returns undefined if the clinic has no abandonment with that id. */
export async function findAbandonment(unit: Pick<UnitOfWork, 'read'>, id: string): Promise<Abandonment | undefined> {
  const found = await unit.read('Task', id)
  if (found === undefined || found.deleted) return undefined
  const task = found as unknown as Versioned<Task>
  const patient = /^Patient\/([A-Za-z0-9.-]{1,64})$/.exec(task.resource.for?.reference ?? '')?.[1]
  if (!isTaskOf(task.resource, 'abandonment-recovery') || patient === undefined) return undefined
  const input = (name: string) => inputOf(task.resource, name)
  const kind = ABANDONMENT_KINDS.find((one) => one === input('abandonment-kind')?.valueCode)
  if (kind === undefined) return undefined
  const phone = input('contact-phone')?.valueString
  const email = input('contact-email')?.valueString
  const form = input('form')?.valueReference?.reference?.replace('QuestionnaireResponse/', '')
  return {
    task,
    patient,
    kind,
    stepReached: input('step-reached')?.valueString ?? '',
    contact: { ...(phone === undefined ? {} : { phone }), ...(email === undefined ? {} : { email }) },
    consent: input('contact-consent')?.valueBoolean === true,
    ...(form === undefined ? {} : { form }),
    isOpen: isOpenTask(task.resource),
  }
}

const inputOf = ({ input = [] }: Task, code: string): TaskInput | undefined =>
  input.find(({ type }) => hasCoding(type, { system: TASK_INPUT_SYSTEM, code }))

/** Outputs with one code, in stored order. */
export const outputsOf = ({ output = [] }: Task, code: string) =>
  output.filter(({ type }) => hasCoding(type, { system: TASK_INPUT_SYSTEM, code }))

/** Most outputs kept in a Task; further ones displace the oldest. */
const MAX_OUTPUTS = 50

/** The Task, now in progress if it was only requested, with one more output of the recovery. */
export const withOutput = (task: Task, code: string, text: string): Task => ({
  ...task,
  status: task.status === 'requested' ? 'in-progress' : task.status,
  output: [...(task.output ?? []), { type: concept(TASK_INPUT_SYSTEM, code), valueString: text }].slice(-MAX_OUTPUTS),
})
