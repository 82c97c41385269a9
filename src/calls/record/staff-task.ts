/** A Task for the clinic's staff, with the patient of the call in its focus and all facts of the call attached. */
import type { CoverageEligibilityResponse, Extension, FhirResource, Patient, Task, TaskInput } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isOpenTask } from '../../fhir/task-status.ts'
import type { Versioned } from '../../repository/repository.ts'
import { encounterIdOf } from './call-record.ts'
import { centsValue, readSelfPay, type SelfPay } from './coverage.ts'
import { missingFields, registrationStatus } from './patient-fields.ts'
import { concept, extensionOf, hasCoding, TASK_CODE_SYSTEM, TASK_INPUT_SYSTEM } from './vocabulary.ts'

const DISPLAYS = {
  'identity-outcome': 'Identity outcome',
  'billing-escalation': 'Billing escalation',
  'crm-sync-failed': 'CRM sync failed',
  'insurance-follow-up': 'Insurance follow-up',
  'message-not-sent': 'Message not sent',
  'record-change': 'Record changed by a call',
  'identity-contradiction': 'Somebody else calls',
  'identity-guessing': 'Many failed verifications',
  'abandonment-recovery': 'Abandonment recovery',
  callback: 'Callback',
} as const

export type StaffTaskCode = keyof typeof DISPLAYS

export interface StaffTask {
  readonly code: StaffTaskCode
  readonly priority: NonNullable<Task['priority']>
  readonly description: string
  /** Absent: requested. Completed for a Task that only informs staff. */
  readonly status?: 'requested' | 'completed'
  /** Patient.id of the beneficiary; absent: the patient of the call, who is the focus in either case. */
  readonly beneficiary?: string
  /** FHIR dateTime when it is due. */
  readonly due?: string
  /** Inputs of this Task beyond those attached to every Task. */
  readonly input: readonly TaskInput[]
  /** The latest response; absent: the one found by a search, which misses one written by the same change. */
  readonly verification?: CoverageEligibilityResponse
}

type Value = Omit<TaskInput, 'type'>

/** The code of an input with a value of this argument: `date-of-birth` for dateOfBirth. */
export const inputCodeOf = (argument: string): string =>
  argument.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** One value as Task.input; empty for undefined. */
export const attached = (code: string, value: Value | undefined): readonly TaskInput[] =>
  value === undefined ? [] : [{ type: concept(TASK_INPUT_SYSTEM, code), ...value }]

export const attachedText = (code: string, text: string | undefined): readonly TaskInput[] =>
  attached(code, text === undefined ? undefined : { valueString: text })

/** @param reference `Type/id` */
export const attachedReference = (code: string, reference: string | undefined): readonly TaskInput[] =>
  attached(code, reference === undefined ? undefined : { valueReference: { reference } })

export const codeOfInput = ({ type }: TaskInput): string => type.coding?.[0]?.code ?? ''

/** @param patient as this change leaves it */
export async function createStaffTask(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  task: StaffTask,
): Promise<Versioned<Task>> {
  return await ctx.create<Task>(await staffTask(ctx, call, patient, task))
}

/** Creates the Task with that id, updates it while it is open, or reopens it after staff have closed it. */
export async function upsertStaffTask(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  task: StaffTask & { readonly id: string },
): Promise<Versioned<Task>> {
  const current = (await ctx.find<Task>('Task', task.id))?.resource
  const next = await staffTask(ctx, call, patient, task)
  if (current !== undefined && isOpenTask(current)) {
    const restriction = earlierDue(current.restriction, next.restriction)
    return await ctx.update<Task>({
      ...current,
      ...next,
      id: task.id,
      status: current.status,
      ...(restriction === undefined ? {} : { restriction }),
    })
  }
  // Earlier outputs remain in the Task's history.
  const { output: _output, executionPeriod: _period, ...earlier } = current ?? {}
  return await ctx.update<Task>({ ...earlier, ...next, id: task.id })
}

/** Completes the Task with that id. Returns undefined if there is none, or staff have closed it. */
export async function completeStaffTask(
  ctx: Context,
  id: string,
  description: string,
): Promise<Versioned<Task> | undefined> {
  const current = await ctx.find<Task>('Task', id)
  if (current === undefined || !isOpenTask(current.resource)) return undefined
  return await ctx.update<Task>({ ...current.resource, status: 'completed', description })
}

async function staffTask(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { code, priority, description, status = 'requested', beneficiary = patient.id, due, input, verification }: StaffTask,
): Promise<Task> {
  return {
    resourceType: 'Task',
    status,
    intent: 'order',
    priority,
    code: concept(TASK_CODE_SYSTEM, code, DISPLAYS[code]),
    description,
    focus: { reference: `Patient/${patient.id}` },
    for: { reference: `Patient/${beneficiary}` },
    authoredOn: new Date(ctx.now).toISOString(),
    lastModified: new Date(ctx.now).toISOString(),
    ...(status === 'completed'
      ? {}
      : { restriction: due === undefined ? dueBy(priority, ctx.now) : { period: { end: due } } }),
    ...(call === undefined ? {} : { encounter: { reference: `Encounter/${encounterIdOf(call.callId)}` } }),
    input: [...input, ...callFacts(call), ...(await patientFacts(ctx, patient, verification))],
  }
}

async function patientFacts(
  ctx: Context,
  patient: Versioned<Patient>,
  verification: CoverageEligibilityResponse | undefined,
): Promise<readonly TaskInput[]> {
  return [
    ...registrationFacts(patient.resource),
    ...insuranceFacts(verification ?? (await latestVerification(ctx, patient))),
    ...selfPayFacts(await readSelfPay(ctx, patient.id)),
  ]
}

const PATIENT_FACTS: ReadonlySet<string> = new Set([
  'registration-status',
  'missing-field',
  'insurance-status',
  'insurance-payer',
  'self-pay-decision',
  'self-pay-price-cents',
])

/** True for an open Task about the call itself, which follows the call to another patient. */
export const goesAlong = (resource: FhirResource): boolean =>
  (isTaskOf(resource, 'billing-escalation') || isTaskOf(resource, 'identity-outcome')) && isOpenTask(resource)

export const isTaskOf = (resource: FhirResource, code: StaffTaskCode): resource is Task =>
  resource.resourceType === 'Task' && hasCoding(resource.code ?? {}, { system: TASK_CODE_SYSTEM, code })

interface Moved {
  /** Patient.id */
  readonly from: string
  /** The latest response of `to`, if the same change writes it. */
  readonly verification: CoverageEligibilityResponse | undefined
}

/** The beneficiary stays if the stated details identified them, even if that is `from`. */
export async function moveStaffTask(
  ctx: Context,
  task: Task,
  to: Versioned<Patient>,
  { from, verification }: Moved,
): Promise<Versioned<Task>> {
  const input = task.input ?? []
  const isSingledOut = input.some((one) => codeOfInput(one) === 'match-grade' && one.valueCode === 'probable')
  const own = { reference: `Patient/${to.id}` }
  const beneficiary = isSingledOut || task.for?.reference !== `Patient/${from}` ? task.for : own
  return await ctx.update<Task>({
    ...task,
    focus: own,
    ...(beneficiary === undefined ? {} : { for: beneficiary }),
    lastModified: new Date(ctx.now).toISOString(),
    input: [
      ...input.filter((one) => !PATIENT_FACTS.has(codeOfInput(one))),
      ...(await patientFacts(ctx, to, verification)),
    ],
  })
}

const callFacts = (call: CallSession | undefined): readonly TaskInput[] => [
  ...attachedText('call-id', call?.callId),
  ...attachedText('caller-number', call?.callerNumber),
  ...attachedText('dialed-number', call?.dialedNumber),
]

const registrationFacts = (patient: Patient): readonly TaskInput[] => [
  ...attached('registration-status', { valueCode: registrationStatus(patient) }),
  ...missingFields(patient).flatMap((field) => attachedText('missing-field', field)),
]

/** The stored response; undefined if there is none except those entered in error. */
export async function latestVerification(
  ctx: Context,
  { id, created }: Versioned<Patient>,
): Promise<CoverageEligibilityResponse | undefined> {
  // A patient created by this change has none yet.
  if (created) return undefined
  const latest = `patient=Patient/${id}&status:not=entered-in-error&_sort=-_lastUpdated&_count=1`
  const [found] = await ctx.search<CoverageEligibilityResponse>('CoverageEligibilityResponse', latest)
  return found?.resource
}

const insuranceFacts = (verification: CoverageEligibilityResponse | undefined): readonly TaskInput[] => [
  ...attached('insurance-status', codeOf(extensionOf(verification, 'insurance-status'))),
  ...attachedText('insurance-payer', verification?.insurer.display),
]

const selfPayFacts = (selfPay: SelfPay | undefined): readonly TaskInput[] => [
  ...attached('self-pay-decision', selfPay && { valueCode: selfPay.decision }),
  ...attached('self-pay-price-cents', selfPay?.priceCents === undefined ? undefined : centsValue(selfPay.priceCents)),
]

const codeOf = (extension: Extension | undefined): Value | undefined =>
  extension?.valueCode === undefined ? undefined : { valueCode: extension.valueCode }

type Priority = NonNullable<Task['priority']>

const HOUR = 3_600_000

/** Milliseconds from creation to the due time. https://hl7.org/fhir/R4/valueset-request-priority.html */
const TIME_TO_DO: Readonly<Record<Priority, number>> = {
  stat: HOUR,
  asap: 4 * HOUR,
  urgent: 24 * HOUR,
  routine: 72 * HOUR,
}

/**
 * Due time of a Task for staff, as Task.restriction.period.end: the business rule of the work list.
 * @param now milliseconds since 1970 UTC
 */
export const dueBy = (priority: Priority, now: number): NonNullable<Task['restriction']> => ({
  period: { end: new Date(now + TIME_TO_DO[priority]).toISOString() },
})

/** The earlier of two due times, so that additions to an open Task never postpone it. */
export const earlierDue = (one: Task['restriction'], other: Task['restriction']): Task['restriction'] =>
  endOf(one) <= endOf(other) ? one : other

const endOf = (restriction: Task['restriction']): number => {
  const end = Date.parse(restriction?.period?.end ?? '')
  return Number.isNaN(end) ? Infinity : end
}
