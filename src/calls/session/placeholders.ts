/**
 * Placeholders and their owners. A placeholder created by a call is that call's own; another call from the number
 * continues with it once the first one has ended and its caller states the full name on it (docs/live-calls.md).
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { phoneSpellings } from '../../matching/phones.ts'
import { isPlaceholder, isReplaced, PLACEHOLDER_TAG } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { patientFields } from '../record/patient-fields.ts'
import { isReal } from '../record/registration.ts'
import { hasFullName, type StatedPerson } from '../record/stated-person.ts'

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
export async function recordsOfNumber(ctx: Context, number: string | undefined): Promise<RecordsOfNumber> {
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
export async function openPlaceholder(ctx: Context, id: string): Promise<Versioned<Patient> | undefined> {
  const found = await ctx.find<Patient>('Patient', id)
  return found !== undefined && isOpenPlaceholder(found.resource) ? found : undefined
}

/**
 * The only placeholder of the number, if it contains only the number and no call has held it: any caller may be its
 * person.
 */
export async function blankPlaceholder(
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
export async function placeholderNamed(
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
export async function createPlaceholder(ctx: Context, number: string | undefined): Promise<Versioned<Patient>> {
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
