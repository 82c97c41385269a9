/**
 * The patient of a call: the one stored with it; else the clinic's single patient whose phone is the caller's number;
 * else the single placeholder of that number; else a new placeholder. The first write of a call stores the patient with
 * it. Nothing that a caller says selects another one: who turns out to be somebody else gets a placeholder.
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { phoneSpellings } from '../../matching/phones.ts'
import { isPlaceholder, isReplaced, PLACEHOLDER_TAG, replacedBy } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { isReal } from '../record/registration.ts'

/** The placeholder of a caller's number. The caller has not stated the number, so the Patient does not hold it. */
const CALLER = recordKind<CallerPlaceholder>('caller')

interface CallerPlaceholder {
  /** Patient.id. */
  readonly patient: string
}

/** Undefined when nothing is known of the caller yet. @throws FhirError 403 as `sessionRecord` does */
export async function patientOfCall(ctx: Context, session: CallSession): Promise<Versioned<Patient> | undefined> {
  return (await storedPatient(ctx, session)) ?? (await patientOfNumber(ctx, session.callerNumber))
}

/**
 * The patient to write to, stored with the call in the same change; stages a placeholder where there is none.
 * @throws FhirError 403 as `sessionRecord` does
 */
export async function patientForWrite(ctx: Context, session: CallSession): Promise<Versioned<Patient>> {
  const stored = await storedPatient(ctx, session)
  if (stored !== undefined) {
    // Though it stays the same: a request that goes on as another person at the same time would leave behind what is written.
    if (!isPlaceholder(stored.resource)) await putSession(ctx, session)
    return stored
  }
  const { callerNumber } = session
  const patient = (await patientOfNumber(ctx, callerNumber)) ?? (await createPlaceholder(ctx, callerNumber))
  await storePatient(ctx, session, patient)
  return patient
}

async function storedPatient(ctx: Context, session: CallSession): Promise<Versioned<Patient> | undefined> {
  const stored = await sessionRecord(ctx, session)
  const patient = stored?.session.patient ?? session.patient
  return patient === undefined ? undefined : await currentRecord(ctx, patient)
}

/**
 * The call's own placeholder, or the patient that it has become since, as this call has completed the registration; not
 * one that staff have merged it into.
 */
export async function isOwnPlaceholder(ctx: Context, session: CallSession, own: Versioned<Patient>): Promise<boolean> {
  if (isPlaceholder(own.resource)) return true
  const stored = (await sessionRecord(ctx, session))?.session
  return stored?.registers === true && stored.patient === own.id
}

/**
 * The placeholder of a caller who is not the patient of the call, stored with the call in the same change: the open one of
 * the caller's number where it may be theirs, so that the next call goes on with it; else a new one.
 */
export async function placeholderInstead(
  ctx: Context,
  session: CallSession,
  { before, mayBe }: { readonly before: Versioned<Patient>; readonly mayBe: (placeholder: Patient) => boolean },
): Promise<Versioned<Patient>> {
  const { callerNumber } = session
  const known = callerNumber === undefined ? undefined : await placeholderOf(ctx, callerNumber)
  const isTheirs = known !== undefined && mayBe(known.resource)
  const own = isTheirs ? known : await createPlaceholder(ctx, callerNumber)
  const stored = (await sessionRecord(ctx, session))?.session
  const insteadOf = stored?.insteadOf ?? stored?.patient ?? before.id
  await storePatient(ctx, session, own, { insteadOf })
  return own
}

/** Merges in a row that are followed. */
const MAX_MERGES = 5

/** The record of a patient: where it was merged into another one, that one. */
export async function currentRecord(ctx: Context, id: string): Promise<Versioned<Patient> | undefined> {
  let patient = await ctx.find<Patient>('Patient', id)
  for (let merges = 0; merges < MAX_MERGES && patient !== undefined; merges++) {
    const target = replacedBy(patient.resource)
    const next = target === undefined ? undefined : await ctx.find<Patient>('Patient', target)
    if (next === undefined) return patient
    patient = next
  }
  return patient
}

/** @throws FhirError 403 when the call belongs to another clinic, which only a fault of this server can cause */
async function sessionRecord(ctx: Context, { callId }: CallSession) {
  const record = await ctx.unit.records.read(CALL, callKey(callId))
  if (record === undefined) return undefined
  const session = record.value
  if (session.clinic === ctx.clinic) return { session, due: record.due }
  throw new FhirError(403, {
    code: 'forbidden',
    diagnostics: 'The call belongs to another clinic',
    reason: 'call-mismatch',
  })
}

/**
 * Of two requests of a call that come here at the same time one meets a conflict; it runs again and finds the other's
 * patient.
 */
async function storePatient(
  ctx: Context,
  session: CallSession,
  patient: Versioned<Patient>,
  more: Pick<CallSession, 'insteadOf'> = {},
): Promise<void> {
  const registers = isPlaceholder(patient.resource) ? { registers: true as const } : {}
  await putSession(ctx, session, { patient: patient.id, ...registers, ...more })
}

async function putSession(ctx: Context, session: CallSession, more: Partial<CallSession> = {}): Promise<void> {
  const stored = await sessionRecord(ctx, session)
  const value: CallSession = { ...session, ...stored?.session, ...more }
  const due = stored?.due ?? ctx.now + CALL_LIFETIME
  ctx.unit.records.put(CALL, callKey(session.callId), value, { due })
}

async function patientOfNumber(ctx: Context, number: string | undefined): Promise<Versioned<Patient> | undefined> {
  if (number === undefined) return undefined
  const found = await withNumber(ctx, number)
  const real = found.filter(({ resource }) => isReal(resource))
  if (real.length === 1) return real[0]
  const remembered = await placeholderOf(ctx, number)
  const placeholders = found.filter(({ resource, id }) => isOpenPlaceholder(resource) && id !== remembered?.id)
  const all = [...placeholders, ...(remembered === undefined ? [] : [remembered])]
  return all.length === 1 ? all[0] : undefined
}

/**
 * A number of another country may have the same digits, so what the search finds is compared in the clinic's region.
 */
async function withNumber(ctx: Context, number: string): Promise<readonly Versioned<Patient>[]> {
  const query = String(new URLSearchParams({ phone: phoneSpellings(number).join(',') }))
  const found = await ctx.search<Patient>('Patient', query)
  if (found.length === 0) return []
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  return found.filter(({ resource }) => sharesPhone([number], telecom(resource, 'phone'), defaultRegion))
}

const isOpenPlaceholder = (patient: Patient): boolean => isPlaceholder(patient) && !isReplaced(patient)

async function placeholderOf(ctx: Context, number: string): Promise<Versioned<Patient> | undefined> {
  const id = (await ctx.unit.records.read(CALLER, number))?.value.patient
  const found = id === undefined ? undefined : await ctx.find<Patient>('Patient', id)
  return found !== undefined && isOpenPlaceholder(found.resource) ? found : undefined
}

/** Of two calls from one number at the same time one meets a conflict here, too; so both get the same placeholder. */
async function createPlaceholder(ctx: Context, number: string | undefined): Promise<Versioned<Patient>> {
  const patient = await ctx.create<Patient>({
    resourceType: 'Patient',
    meta: { tag: [PLACEHOLDER_TAG] },
    active: false,
  })
  if (number !== undefined) {
    // Read for its version: the record may hold an earlier placeholder, whose registration was completed since.
    await ctx.unit.records.read(CALLER, number)
    ctx.unit.records.put(CALLER, number, { patient: patient.id })
  }
  return patient
}
