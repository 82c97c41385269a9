/**
 * The Task for the billing staff: one for each patient of a call, with all facts of the call; repeats in the same call
 * add to it.
 */
import type { Coverage, CoverageEligibilityResponse, DocumentReference, Patient, Task, TaskInput } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { localReference } from '../../fhir/reference.ts'
import type { Versioned } from '../../repository/repository.ts'
import { encounterIdOf } from './call-record.ts'
import { patientFields } from './patient-fields.ts'
import {
  attached,
  attachedReference,
  attachedText,
  codeOfInput,
  createStaffTask,
  inputCodeOf,
  isTaskOf,
  latestVerification,
  type StaffTask,
  upsertStaffTask,
} from './staff-task.ts'

/** Most reasons of one call, each a sentence or two; the latest are kept. */
const MAX_REASONS = 50

/** Maximum length, in characters, of the list of reasons in Task.description; Task.input has all of them in full. */
const MAX_DESCRIPTION = 2_000

interface Moved {
  /** The latest response; absent: the one found by a search, which misses one written by the same change. */
  readonly verification?: CoverageEligibilityResponse | undefined
  /** Patient.id of the Task's previous patient. */
  readonly from?: string | undefined
}

/**
 * Reopens a Task that staff have closed. Without a call (raised by staff), each escalation is a new Task.
 * @param reason absent: the caller gave none
 */
export async function escalateToBilling(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  reason: string | undefined,
  { verification, from }: Moved = {},
): Promise<Versioned<Task>> {
  if (call === undefined)
    return await createStaffTask(
      ctx,
      call,
      patient,
      await escalation(ctx, call, patient, { given: [reason], verification, from }),
    )
  const id = await idFor(ctx, call, from ?? patient.id)
  const earlier = (await ctx.find<Task>('Task', id))?.resource
  const reasons = [...(earlier?.input ?? []).filter(isReason).map(({ valueString }) => valueString), reason]
  return await upsertStaffTask(ctx, call, patient, {
    id,
    ...(await escalation(ctx, call, patient, { given: reasons, verification, from })),
  })
}

/**
 * Id of the call's Task if that is about the patient; otherwise another id, for the patient with whom the call
 * continued.
 */
async function idFor(ctx: Context, { callId }: CallSession, patient: string): Promise<string> {
  const ofCall = derivedId('billing-escalation', callId)
  const focus = (await ctx.find<Task>('Task', ofCall))?.resource.focus?.reference
  return focus === undefined || focus === `Patient/${patient}`
    ? ofCall
    : derivedId('billing-escalation', callId, patient)
}

const isReason = (input: TaskInput): boolean => codeOfInput(input) === 'reason'

interface Given extends Moved {
  readonly given: readonly (string | undefined)[]
}

async function escalation(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { given, verification: latest, from }: Given,
): Promise<StaffTask> {
  const reasons = [...new Set(given.filter((reason) => reason !== undefined))].slice(-MAX_REASONS)
  const text = reasons.join('; ')
  const verification = latest ?? (await latestVerification(ctx, patient))
  const shown = text.length <= MAX_DESCRIPTION ? text : `${text.slice(0, MAX_DESCRIPTION).toWellFormed()} […]`
  return {
    code: 'billing-escalation',
    priority: 'urgent',
    description:
      reasons.length === 0
        ? 'The caller asks for help with billing.'
        : `The caller asks for help with billing: ${shown}`,
    input: [
      ...reasons.flatMap((reason) => attachedText('reason', reason)),
      ...(await callBundle(ctx, call, { patient, from, verification })),
    ],
    ...(verification === undefined ? {} : { verification }),
  }
}

interface Bundled {
  /** The Patient as this change leaves it. */
  readonly patient: Versioned<Patient>
  /** Patient.id that the call had before this change. */
  readonly from: string | undefined
  /** The patient's latest response. */
  readonly verification: CoverageEligibilityResponse | undefined
}

/**
 * Facts about a call beyond those in every Task (staff-task.ts): the patient and their contact points, their statements
 * for the registration and the visit, the outcomes of identification, the insurer's response, and the documents of the
 * call.
 */
async function callBundle(
  ctx: Context,
  call: CallSession | undefined,
  { patient, from, verification }: Bundled,
): Promise<readonly TaskInput[]> {
  return [
    ...personFacts(patient.resource),
    ...(await insuranceFacts(ctx, verification)),
    ...(call === undefined
      ? []
      : [...(await identityFacts(ctx, call, [patient.id, from])), ...(await documents(ctx, call))]),
  ]
}

function personFacts(patient: Patient): readonly TaskInput[] {
  const { firstName, lastName, commsConsent, ...texts } = patientFields
  const consent = commsConsent.get(patient)
  const name = [firstName.get(patient), lastName.get(patient)].filter(Boolean).join(' ')
  return [
    ...attachedText('name', name === '' ? undefined : name),
    ...Object.entries(texts).flatMap(([field, { get }]) => attachedText(inputCodeOf(field), get(patient))),
    ...attached('communication-consent', consent === undefined ? undefined : { valueBoolean: consent }),
  ]
}

async function insuranceFacts(
  ctx: Context,
  verification: CoverageEligibilityResponse | undefined,
): Promise<readonly TaskInput[]> {
  if (verification === undefined) return []
  const { reference } = verification.insurance?.[0]?.coverage ?? {}
  const { type, id } = localReference(reference ?? '', ctx.baseUrl) ?? {}
  const coverage = type === 'Coverage' && id !== undefined ? await ctx.find<Coverage>('Coverage', id) : undefined
  const cents = copayCents(verification)
  return [
    ...attachedText('insurance-member-id', coverage?.resource.subscriberId),
    ...attachedText('insurance-message', verification.disposition),
    ...attached('insurance-copay-cents', cents === undefined ? undefined : { valueInteger: cents }),
    ...attachedReference('coverage', reference),
    ...attachedReference('insurance-response', `CoverageEligibilityResponse/${verification.id}`),
  ]
}

function copayCents({ insurance = [] }: CoverageEligibilityResponse): number | undefined {
  const benefits = insurance.flatMap(({ item = [] }) => item.flatMap(({ benefit = [] }) => benefit))
  const copay = benefits.find(({ type }) => type.coding?.some(({ code }) => code === 'copay'))?.allowedMoney?.value
  return copay === undefined ? undefined : Math.round(copay * 100)
}

/**
 * The latest outcomes of resolve_patient_identity and of verify_patient.
 * @param patients Patient.id of each patient of the call whom they may be about
 */
async function identityFacts(
  ctx: Context,
  call: CallSession,
  patients: readonly (string | undefined)[],
): Promise<readonly TaskInput[]> {
  const isAbout = ({ focus }: Task) => patients.some((id) => focus?.reference === `Patient/${id}`)
  const tasks = await ctx.search<Task>('Task', `${ofCall(call)}&_sort=-_lastUpdated&_count=${MAX_TASKS}`)
  const outcomes = new Map<string, readonly TaskInput[]>()
  for (const { id, resource } of tasks) {
    if (!isTaskOf(resource, 'identity-outcome') || !isAbout(resource)) continue
    const said = (resource.input ?? []).filter((input) => IDENTITY_CODES.has(codeOfInput(input)))
    const kind = said.some((input) => codeOfInput(input) === 'verification') ? 'verification' : 'match'
    const task = attachedReference('identity-outcome', `Task/${id}`)
    if (!outcomes.has(kind)) outcomes.set(kind, [...task, ...said])
  }
  return [...outcomes.values()].flat()
}

/** More Tasks than any call has. */
const MAX_TASKS = 100

const IDENTITY_CODES: ReadonlySet<string> = new Set([
  'patient-type',
  'match-grade',
  'matched-by',
  'verification',
  'failed-attempts',
  'candidate',
  'more-candidates',
  'search-narrowed',
])

const ofCall = ({ callId }: CallSession): string => `encounter=Encounter/${encounterIdOf(callId)}`

/** More documents than any call has. */
const MAX_DOCUMENTS = 20

/** Transcripts and similar documents, which the platform has written with the call's Encounter as context. */
async function documents(ctx: Context, call: CallSession): Promise<readonly TaskInput[]> {
  const found = await ctx.search<DocumentReference>(
    'DocumentReference',
    `${ofCall(call)}&_sort=_lastUpdated&_count=${MAX_DOCUMENTS}`,
  )
  return found.flatMap(({ id }) => attachedReference('transcript', `DocumentReference/${id}`))
}
