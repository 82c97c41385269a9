/**
 * Creates an abandonment: a placeholder Patient, the completed fields, and the Task with which staff and calls
 * continue.
 */
import { randomUUID } from 'node:crypto'
import type { Patient, QuestionnaireResponse, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { PLACEHOLDER_TAG } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { AbandonmentKind, ContactPoints } from '../record/abandonment.ts'
import { patientFields } from '../record/patient-fields.ts'
import { attached, attachedReference, attachedText, upsertStaffTask } from '../record/staff-task.ts'
import { holdPlaceholder } from '../session/placeholders.ts'
import type { AbandonmentInput } from './abandonment-input.ts'
import { formOf } from './form-fields.ts'

/** @param key idempotency key of the client; the first request with a key counts */
export async function enterAbandonment(
  ctx: Context,
  input: AbandonmentInput,
  key: string | undefined,
): Promise<Abandoned> {
  const id = key === undefined ? randomUUID() : derivedId('abandonment', key)
  const before = await ctx.find<Task>('Task', id)
  if (before !== undefined) return { id, created: false, patient: patientIdOf(before.resource) }
  const patient = await ctx.create<Patient>(placeholderOf(input))
  await holdPlaceholder(ctx, patient.id)
  const form = input.kind === 'registration' ? undefined : await createForm(ctx, input, patient.id)
  await raiseRecovery(ctx, id, patient, { ...input, form })
  return { id, created: true, patient: patient.id }
}

interface Abandoned {
  /** Task.id. */
  readonly id: string
  readonly created: boolean
  readonly patient: string | undefined
}

const patientIdOf = (task: Task): string | undefined =>
  /^Patient\/([A-Za-z\d.-]+)$/.exec(task.for?.reference ?? '')?.[1]

function placeholderOf({ contact, onPatient }: AbandonmentInput): Patient {
  let patient: Patient = { resourceType: 'Patient', meta: { tag: [PLACEHOLDER_TAG] }, active: false }
  if (contact.phone !== undefined) patient = patientFields.phone.set(patient, contact.phone)
  if (contact.email !== undefined) patient = patientFields.email.set(patient, contact.email)
  return onPatient.reduce((filled, set) => set(filled), patient)
}

const createForm = async (ctx: Context, { fields }: AbandonmentInput, patient: string): Promise<string> =>
  (await ctx.create<QuestionnaireResponse>(formOf(fields, patient, new Date(ctx.now).toISOString()))).id

interface Recovery {
  readonly kind: AbandonmentKind
  readonly stepReached: string
  readonly contact: ContactPoints
  readonly consent: boolean
  readonly form?: string | undefined
}

/** @param id Task.id */
export async function raiseRecovery(
  ctx: Context,
  id: string,
  patient: Versioned<Patient>,
  { kind, stepReached, contact, consent, form }: Recovery,
): Promise<void> {
  await upsertStaffTask(ctx, undefined, patient, {
    id,
    code: 'abandonment-recovery',
    priority: 'routine',
    description: `A ${kind} was not finished; step reached: ${stepReached}`,
    input: [
      ...attached('abandonment-kind', { valueCode: kind }),
      ...attachedText('step-reached', stepReached),
      ...attachedText('contact-phone', contact.phone),
      ...attachedText('contact-email', contact.email),
      ...attached('contact-consent', { valueBoolean: consent }),
      ...attachedReference('form', form === undefined ? undefined : `QuestionnaireResponse/${form}`),
    ],
  })
}
