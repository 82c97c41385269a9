/**
 * Creates an abandonment, from the body of `POST /abandonments`: a placeholder Patient, the completed fields, and the Task
 * with which staff and calls continue.
 */
import { randomUUID } from 'node:crypto'
import type { Patient, QuestionnaireResponse, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { PLACEHOLDER_TAG } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { spokenConsent } from '../../spoken/spoken-consent.ts'
import { type ClinicLocale, readStated } from '../../spoken/stated-values.ts'
import { ABANDONMENT_KINDS, type AbandonmentKind, type ContactPoints } from '../record/abandonment.ts'
import { patientFields, REGISTRATION_FIELDS, type RegistrationField } from '../record/patient-fields.ts'
import { attached, attachedReference, attachedText, upsertStaffTask } from '../record/staff-task.ts'
import { type Field, invalid, problemsOf } from '../session/call-sessions.ts'
import { holdPlaceholder } from '../session/patient-of-call.ts'
import { formOf, personFields } from './form-fields.ts'

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

export interface AbandonmentInput {
  readonly kind: AbandonmentKind
  readonly stepReached: string
  /** Values by name; null for a field that is still empty. */
  readonly fields: Readonly<Record<string, string | null>>
  /** Changes of the Patient by the fields of a registration, and by fields of a form that state its person. */
  readonly onPatient: readonly ((patient: Patient) => Patient)[]
  readonly contact: ContactPoints
  readonly consent: boolean
}

const MAX_FIELDS = 50
/** Length in characters. */
const MAX_STEP = 200
const MAX_VALUE = 1_000
const FIELDS: Readonly<Record<string, Field>> = {
  kind: { required: true, accepts: isKind, expected: ABANDONMENT_KINDS.join(', ') },
  stepReached: {
    required: true,
    accepts: (value) => isText(value, MAX_STEP),
    expected: `a text of 1 to ${MAX_STEP} characters`,
  },
  // Their values are read one by one below.
  fields: { required: false, accepts: () => true, expected: 'an object' },
  contact: { required: false, accepts: () => true, expected: 'an object' },
  consent: {
    required: true,
    accepts: (value) => typeof value === 'boolean',
    expected: 'true or false: whether the person agreed to be contacted about it',
  },
}
const FIELD_NAME = /^[A-Za-z][\w.-]{0,63}$/

/** @throws FhirError 400 with an issue for each invalid value */
export function readAbandonment(body: unknown, locale: ClinicLocale): AbandonmentInput {
  if (!isObject(body))
    throw new FhirError(
      400,
      invalid('', `The body must be an object with ${Object.keys(FIELDS).join(', ')}; docs/abandonment.md`),
    )
  const issues = [...problemsOf(body, FIELDS)]
  const { kind, stepReached } = body as { readonly kind: AbandonmentKind; readonly stepReached: string }
  const fields = readFields(body.fields ?? {}, issues)
  const contact = readContact(body.contact, locale, issues)
  const onPatient = kind === 'registration' ? readRegistration(fields, locale, issues) : personFields(fields, locale)
  if (issues.length > 0) throw new FhirError(400, issues)
  return {
    kind,
    stepReached: stepReached.trim(),
    fields,
    onPatient,
    contact,
    consent: body.consent === true,
  }
}

function isKind(value: unknown): boolean {
  return ABANDONMENT_KINDS.some((kind) => kind === value)
}

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.isWellFormed() && value.trim() !== '' && value.length <= most

function readFields(value: unknown, issues: Issue[]): Readonly<Record<string, string | null>> {
  if (!isObject(value) || Object.keys(value).length > MAX_FIELDS) {
    issues.push(invalid('fields', `fields must be an object of at most ${MAX_FIELDS} fields: name and value, or null`))
    return {}
  }
  const read = Object.entries(value).flatMap(([name, field]): readonly (readonly [string, string | null])[] => {
    if (!FIELD_NAME.test(name)) {
      issues.push(invalid('fields', 'fields: a name is a letter and up to 63 letters, digits, "_", "-" or "."'))
      return []
    }
    if (field === null || field === '') return [[name, null] as const]
    const text = typeof field === 'number' || typeof field === 'boolean' ? String(field) : field
    if (isText(text, MAX_VALUE)) return [[name, text.trim()] as const]
    issues.push(invalid(`fields.${name}`, `fields.${name} must be a text of up to ${MAX_VALUE} characters, or null`))
    return []
  })
  return Object.fromEntries(read)
}

function readContact(value: unknown, locale: ClinicLocale, issues: Issue[]): ContactPoints {
  if (!isObject(value) || (value.phone === undefined && value.email === undefined)) {
    issues.push(invalid('contact', 'contact must be an object with phone, email or both'))
    return {}
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, point]): readonly (readonly [string, string])[] => {
      if (name !== 'phone' && name !== 'email') {
        issues.push(invalid('contact', 'contact may have phone and email, and nothing else'))
        return []
      }
      const stated = readStated(name, point, locale)
      if (stated.ok) return [[name, stated.value] as const]
      issues.push(invalid(`contact.${name}`, `contact.${name}: ${stated.error}`))
      return []
    }),
  )
}

/** Applies the rules of update_registration_field. */
const readRegistration = (
  fields: AbandonmentInput['fields'],
  locale: ClinicLocale,
  issues: Issue[],
): AbandonmentInput['onPatient'] =>
  Object.entries(fields).flatMap(([name, value]) => {
    const field = REGISTRATION_FIELDS.find((one) => one === name)
    if (field === undefined) {
      issues.push(invalid(`fields.${name}`, `fields.${name}: a registration has ${REGISTRATION_FIELDS.join(', ')}`))
      return []
    }
    return value === null ? [] : setterOf(field, value, locale, issues)
  })

function setterOf(
  field: RegistrationField,
  value: string,
  locale: ClinicLocale,
  issues: Issue[],
): AbandonmentInput['onPatient'] {
  if (field === 'commsConsent') {
    const stated = spokenConsent(value)
    if (stated.ok) return [(patient) => patientFields.commsConsent.set(patient, stated.value)]
    issues.push(invalid(`fields.${field}`, `fields.${field}: ${stated.error}`))
    return []
  }
  const stated = readStated(field, value, locale)
  if (stated.ok) return [(patient) => patientFields[field].set(patient, stated.value)]
  issues.push(invalid(`fields.${field}`, `fields.${field}: ${stated.error}`))
  return []
}
