/**
 * The patient of a call: the one stored with it; else the clinic's only patient whose phone is the caller's number;
 * else the only placeholder of that number that may be theirs; else a new placeholder. The first write of a call stores the
 * patient with it. A caller who turns out to be someone else gets a placeholder. A placeholder created by a call is that
 * call's own; another call from the number continues with it once the first one has ended and its caller states the full
 * name on it (docs/live-calls.md).
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { OperationRequest } from '../../core/operation.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { phoneSpellings } from '../../matching/phones.ts'
import { isPlaceholder, isReplaced, PLACEHOLDER_TAG, replacedBy } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { isReal, patientFields } from '../record/patient-fields.ts'
import { hasFullName, isCalled, type StatedPerson } from '../record/stated-person.ts'

/** Returns undefined while nothing is known of the caller. @throws FhirError 403 as `sessionRecord` does */
export const patientOfCall = async (ctx: Context, session: CallSession): Promise<Versioned<Patient> | undefined> =>
  (await storedPatient(ctx, session)) ??
  (await patientAmong(ctx, session, await recordsOfNumber(ctx, session.callerNumber)))

/**
 * The patient to write to, stored with the call in the same change; stages a placeholder if there is none.
 * @param stated the caller's statements about themselves in this write
 * @throws FhirError 403 as `sessionRecord` does
 */
export async function patientForWrite(
  ctx: Context,
  session: CallSession,
  stated: StatedPerson = {},
): Promise<Versioned<Patient>> {
  const stored = await storedPatient(ctx, session)
  if (stored !== undefined) {
    // Written although unchanged, so that this request conflicts with a concurrent one that switches the call to
    // another person. Otherwise its data would remain with the wrong patient.
    if (isPlaceholder(stored.resource)) await holdPlaceholder(ctx, stored.id, session)
    await putSession(ctx, session)
    return stored
  }
  const records = await recordsOfNumber(ctx, session.callerNumber)
  const known = await patientAmong(ctx, session, records, stated)
  return known === undefined ? await makePlaceholder(ctx, session, records) : await storePatient(ctx, session, known)
}

async function storedPatient(ctx: Context, session: CallSession): Promise<Versioned<Patient> | undefined> {
  const stored = await sessionRecord(ctx, session)
  const patient = stored?.session.patient ?? session.patient
  return patient === undefined ? undefined : await currentRecord(ctx, patient)
}

/**
 * True for the call's placeholder, and for the patient that it became when this call completed the registration; false
 * for a patient into which staff have merged it.
 */
export async function isOwnPlaceholder(ctx: Context, session: CallSession, own: Versioned<Patient>): Promise<boolean> {
  if (isPlaceholder(own.resource)) return true
  const stored = (await sessionRecord(ctx, session))?.session
  return stored?.registers === true && stored.patient === own.id
}

/** True if this call created the record from the caller's statements, even if its registration is complete by now. */
export const hasMade = async (ctx: Context, session: CallSession, patient: string): Promise<boolean> =>
  (await placeholdersOf(ctx, session)).includes(patient)

/**
 * The record of a caller who is not `before`, stored with the call in the same change: one that this call has created
 * for them earlier; else a placeholder of the caller's number that may be theirs; else a new one.
 */
export async function patientInstead(
  ctx: Context,
  session: CallSession,
  { before, stated }: { readonly before: Versioned<Patient>; readonly stated: StatedPerson },
): Promise<Versioned<Patient>> {
  const stored = (await sessionRecord(ctx, session))?.session
  const insteadOf = stored?.insteadOf ?? stored?.patient ?? before.id
  const records = await recordsOfNumber(ctx, session.callerNumber)
  const known = (await madeEarlier(ctx, session, stated)) ?? (await placeholderNamed(ctx, session, records, stated))
  return known === undefined
    ? await makePlaceholder(ctx, session, records, { insteadOf })
    : await storePatient(ctx, session, known, { insteadOf })
}

async function madeEarlier(
  ctx: Context,
  session: CallSession,
  stated: StatedPerson,
): Promise<Versioned<Patient> | undefined> {
  const found = await Promise.all((await placeholdersOf(ctx, session)).map((id) => ctx.find<Patient>('Patient', id)))
  const called = found.filter(
    (patient) => patient !== undefined && !isReplaced(patient.resource) && isCalled(patient.resource, stated),
  )
  return called.length === 1 ? called[0] : undefined
}

/** The open placeholder of an earlier call from the number, to be compared with this caller's statements. */
export async function earlierCallerOf(ctx: Context, session: CallSession): Promise<Versioned<Patient> | undefined> {
  const id = (await sessionRecord(ctx, session))?.session.earlierCaller
  return id === undefined ? undefined : await openPlaceholder(ctx, id)
}

/** Most consecutive merges that are followed. */
const MAX_MERGES = 5

/** The current record of a patient: the target, if it was merged into another one. */
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

/** @throws FhirError 403 if the call belongs to another clinic, which only a defect of this server can cause */
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

const placeholdersOf = async (ctx: Context, session: CallSession): Promise<readonly string[]> =>
  (await sessionRecord(ctx, session))?.session.made ?? []

/** Most placeholders remembered as a call's own; a family calling together needs a few. */
const MAX_MADE = 20

/** If two requests of a call run concurrently, one gets a conflict; it is retried and finds the other's patient. */
async function storePatient(
  ctx: Context,
  session: CallSession,
  patient: Versioned<Patient>,
  more: Partial<CallSession> = {},
): Promise<Versioned<Patient>> {
  const registers = isPlaceholder(patient.resource)
  if (registers) await holdPlaceholder(ctx, patient.id, session)
  await putSession(ctx, session, { patient: patient.id, ...(registers ? { registers } : {}), ...more })
  return patient
}

async function makePlaceholder(
  ctx: Context,
  session: CallSession,
  { placeholders }: RecordsOfNumber,
  more: Partial<CallSession> = {},
): Promise<Versioned<Patient>> {
  const made = await placeholdersOf(ctx, session)
  const earlier = placeholders.find(({ id }) => !made.includes(id))
  const patient = await createPlaceholder(ctx, session.callerNumber)
  return await storePatient(ctx, session, patient, {
    made: [...made, patient.id].slice(-MAX_MADE),
    ...(earlier === undefined ? {} : { earlierCaller: earlier.id }),
    ...more,
  })
}

async function putSession(ctx: Context, session: CallSession, more: Partial<CallSession> = {}): Promise<void> {
  const stored = await sessionRecord(ctx, session)
  const value: CallSession = { ...session, ...stored?.session, ...more }
  const due = stored?.due ?? ctx.now + CALL_LIFETIME
  ctx.unit.records.put(CALL, callKey(session.callId), value, { due })
}

async function patientAmong(
  ctx: Context,
  session: CallSession,
  records: RecordsOfNumber,
  stated: StatedPerson = {},
): Promise<Versioned<Patient> | undefined> {
  const [real, ...others] = records.real
  if (real !== undefined && others.length === 0) return real
  return (await blankPlaceholder(ctx, records)) ?? (await placeholderNamed(ctx, session, records, stated))
}

type WithPatient = Pick<OperationRequest, 'id' | 'call'>

/** FhirError 400. */
export const noPatient = (): FhirError =>
  badRequest('The operation needs a patient: call it on one, as POST /Patient/{id}/$…, or from a live call')

/** For handlers with side effects before their change. @throws FhirError 400 if the request has no patient */
export function requirePatient({ id, call }: WithPatient): void {
  if (id === undefined && call === undefined) throw noPatient()
}

/**
 * The patient that a tool works on: the one in the path, else the call's own (spec 4.1 rule 9).
 * @param stated the caller's statements about themselves in this request
 * @throws FhirError 400 if the request has no patient, 404 or 410 if the one in the path does not exist or is deleted
 */
export async function patientOfRequest(
  ctx: Context,
  { id, call }: WithPatient,
  stated: StatedPerson = {},
): Promise<Versioned<Patient>> {
  if (id !== undefined) return await ctx.read<Patient>('Patient', id)
  if (call !== undefined) return await patientForWrite(ctx, call, stated)
  throw noPatient()
}

/**
 * The latest placeholder of a caller's number. The caller has not stated the number, so it is not stored on the
 * Patient.
 */
const CALLER = recordKind<CallerPlaceholder>('caller')

interface CallerPlaceholder {
  /** Patient.id. */
  readonly patient: string
}

export interface RecordsOfNumber {
  readonly real: readonly Versioned<Patient>[]
  /** Begins with the placeholder of the latest call from the number. */
  readonly placeholders: readonly Versioned<Patient>[]
}

/**
 * A number of another country may have the same digits, so the results of the search are compared in the clinic's
 * region.
 */
async function recordsOfNumber(ctx: Context, number: string | undefined): Promise<RecordsOfNumber> {
  if (number === undefined) return { real: [], placeholders: [] }
  const found = await withNumber(ctx, number)
  const latest = await latestOf(ctx, number)
  const others = found.filter(({ resource, id }) => isOpenPlaceholder(resource) && id !== latest?.id)
  return {
    real: found.filter(({ resource }) => isReal(resource)),
    placeholders: [...(latest === undefined ? [] : [latest]), ...others],
  }
}

async function withNumber(ctx: Context, number: string): Promise<readonly Versioned<Patient>[]> {
  const query = String(new URLSearchParams({ phone: phoneSpellings(number).join(',') }))
  const found = await ctx.search<Patient>('Patient', query)
  if (found.length === 0) return []
  const { defaultRegion } = await readSettings(ctx.unit, ctx.clinic)
  return found.filter(({ resource }) => sharesPhone([number], telecom(resource, 'phone'), defaultRegion))
}

const isOpenPlaceholder = (patient: Patient): boolean => isPlaceholder(patient) && !isReplaced(patient)

async function latestOf(ctx: Context, number: string): Promise<Versioned<Patient> | undefined> {
  const id = (await ctx.unit.records.read(CALLER, number))?.value.patient
  return id === undefined ? undefined : await openPlaceholder(ctx, id)
}

/** Returns undefined if it is complete, merged into another record, or deleted. */
async function openPlaceholder(ctx: Context, id: string): Promise<Versioned<Patient> | undefined> {
  const found = await ctx.find<Patient>('Patient', id)
  return found !== undefined && isOpenPlaceholder(found.resource) ? found : undefined
}

/**
 * The only placeholder of the number, if it contains only the number and no call has held it: any caller may be its
 * person.
 */
async function blankPlaceholder(
  ctx: Context,
  { placeholders }: RecordsOfNumber,
): Promise<Versioned<Patient> | undefined> {
  const [single, ...others] = placeholders
  if (single === undefined || others.length > 0 || !isBlank(single.resource)) return undefined
  return (await wasHeld(ctx, single.id)) ? undefined : single
}

const isBlank = (patient: Patient): boolean =>
  Object.entries(patientFields).every(([name, { get }]) => name === 'phone' || get(patient) === undefined)

/** The only placeholder with the full name stated by the caller, unless another call holds it. */
async function placeholderNamed(
  ctx: Context,
  call: CallSession,
  { placeholders }: RecordsOfNumber,
  stated: StatedPerson,
): Promise<Versioned<Patient> | undefined> {
  const [single, ...others] = placeholders.filter(({ resource }) => hasFullName(resource, stated))
  if (single === undefined || others.length > 0) return undefined
  return (await isHeldByOther(ctx, single.id, call)) ? undefined : single
}

/** Stages a placeholder for the caller of a number. */
async function createPlaceholder(ctx: Context, number: string | undefined): Promise<Versioned<Patient>> {
  const patient = await ctx.create<Patient>({
    resourceType: 'Patient',
    meta: { tag: [PLACEHOLDER_TAG] },
    active: false,
  })
  if (number !== undefined) {
    // Read for its version: the record may be that of an earlier call.
    await ctx.unit.records.read(CALLER, number)
    ctx.unit.records.put(CALLER, number, { patient: patient.id })
  }
  return patient
}

/** The call that holds a placeholder: no other call may use it until that one ends. */
interface PlaceholderHolder {
  /** The latest call; absent: the placeholder was created with an abandonment, and no call has held it. */
  readonly callId?: string
}

const HOLDER = recordKind<PlaceholderHolder>('placeholder-holder')

/**
 * Two calls that take a placeholder concurrently conflict here, and one of them is retried.
 * @param patient Patient.id
 * @param call absent: for an abandonment
 */
export async function holdPlaceholder(ctx: Context, patient: string, call?: CallSession): Promise<void> {
  const holder = await ctx.unit.records.read(HOLDER, patient)
  if (holder !== undefined && holder.value.callId === call?.callId) return
  ctx.unit.records.put(HOLDER, patient, call === undefined ? {} : { callId: call.callId })
}

/** True if a call or an abandonment created it, or a call held it. */
const wasHeld = async ({ unit: { records } }: Context, patient: string): Promise<boolean> =>
  (await records.read(HOLDER, patient)) !== undefined

/** True if a call other than this one holds it and has not ended. */
async function isHeldByOther(ctx: Context, patient: string, call: CallSession): Promise<boolean> {
  const holder = (await ctx.unit.records.read(HOLDER, patient))?.value.callId
  if (holder === undefined || holder === call.callId) return false
  const session = await ctx.unit.records.read(CALL, callKey(holder))
  return session?.due != null && session.due > ctx.now && session.value.endedAt === undefined
}
