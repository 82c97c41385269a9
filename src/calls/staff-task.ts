/** A Task for the staff of the clinic, on the patient, with everything that is known of the call attached. */
import type { CoverageEligibilityResponse, Extension, Patient, Task, TaskInput } from 'fhir/r4'
import type { Context } from '../providers/context.ts'
import type { Versioned } from '../repository.ts'
import { encounterIdOf } from './call-record.ts'
import type { CallSession } from './call-session.ts'
import { missingFields, registrationStatus } from './registration.ts'
import { readSelfPay } from './self-pay.ts'
import { concept, extensionOf, TASK_CODE_SYSTEM, TASK_INPUT_SYSTEM } from './vocabulary.ts'

export type StaffTaskCode = 'identity-outcome' | 'billing-escalation' | 'crm-sync-failed'

const DISPLAYS: Readonly<Record<StaffTaskCode, string>> = {
  'identity-outcome': 'Identity outcome',
  'billing-escalation': 'Billing escalation',
  'crm-sync-failed': 'CRM sync failed',
}

export interface StaffTask {
  readonly code: StaffTaskCode
  readonly priority: NonNullable<Task['priority']>
  readonly description: string
  /** What this Task is about, beside what is attached to every one. */
  readonly input: readonly TaskInput[]
}

type Value = Omit<TaskInput, 'type'>

/** One thing attached; absent values attach nothing. */
export const attached = (code: string, value: Value | undefined): readonly TaskInput[] =>
  value === undefined ? [] : [{ type: concept(TASK_INPUT_SYSTEM, code), ...value }]

export const attachedText = (code: string, text: string | undefined): readonly TaskInput[] =>
  attached(code, text === undefined ? undefined : { valueString: text })

/** @param patient as this change leaves it */
export async function createStaffTask(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  task: StaffTask,
): Promise<Versioned<Task>> {
  const subject = { reference: `Patient/${patient.id}` }
  return await ctx.create<Task>({
    resourceType: 'Task',
    status: 'requested',
    intent: 'order',
    priority: task.priority,
    code: concept(TASK_CODE_SYSTEM, task.code, DISPLAYS[task.code]),
    description: task.description,
    focus: subject,
    for: subject,
    authoredOn: new Date(ctx.now).toISOString(),
    ...(call === undefined ? {} : { encounter: { reference: `Encounter/${encounterIdOf(call.callId)}` } }),
    input: [
      ...task.input,
      ...callFacts(call),
      ...registrationFacts(patient.resource),
      ...(await billingFacts(ctx, patient.id)),
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

async function billingFacts(ctx: Context, patient: string): Promise<readonly TaskInput[]> {
  const latest = `patient=Patient/${patient}&_sort=-_lastUpdated&_count=1`
  const [verification] = await ctx.search<CoverageEligibilityResponse>('CoverageEligibilityResponse', latest)
  const selfPay = await readSelfPay(ctx, patient)
  return [
    ...attached('insurance-status', codeOf(extensionOf(verification?.resource, 'insurance-status'))),
    ...attachedText('insurance-payer', verification?.resource.insurer.display),
    ...attached('self-pay-decision', selfPay && { valueCode: selfPay.decision }),
    ...attached(
      'self-pay-price-cents',
      selfPay?.priceCents === undefined ? undefined : { valueInteger: selfPay.priceCents },
    ),
  ]
}

const codeOf = (extension: Extension | undefined): Value | undefined =>
  extension?.valueCode === undefined ? undefined : { valueCode: extension.valueCode }
