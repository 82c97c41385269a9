/**
 * Record of a call's changes to an existing patient. If the caller turns out to be another person, those changes are
 * undone, and the caller's data moves to their own record. Every tool that writes on the patient of the call must
 * report it to `remember`.
 */
import type { FhirResource, Patient } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { putOfCall, readOfCall } from './call-record.ts'
import type { SelfPay } from './coverage.ts'
import type { patientFields } from './patient-fields.ts'
import { goesAlong, isTaskOf } from './staff-task.ts'
import { identifies } from './stated-person.ts'
import type { SubmittedInsurance } from './submitted-insurance.ts'

type TextField = Exclude<keyof typeof patientFields, 'commsConsent'>

/** Normalized values, by argument. */
export type Stated = Readonly<Partial<Record<TextField, string> & { commsConsent: boolean }>>

interface WrittenResource {
  readonly type: string
  readonly id: string
  /** Version numbers before this call wrote the resource (0 if it did not exist) and after. */
  readonly from: number
  readonly to: number
}

export interface WrittenByCall {
  /** Patient.id */
  readonly patient: string
  readonly stated: Stated
  /** The latest submission of each card. */
  readonly insurance: readonly SubmittedInsurance[]
  readonly selfPay?: SelfPay
  readonly written: readonly WrittenResource[]
  /**
   * True if the caller has stated the full name or the birth date of that patient: changes to the record then stay,
   * even if the call continues with another person of the household.
   */
  readonly isKnown?: true
}

const WRITTEN = recordKind<WrittenByCall>('call-written')

interface JustWritten {
  readonly written: readonly Versioned[]
  readonly stated?: Stated
  readonly insurance?: SubmittedInsurance
  readonly selfPay?: SelfPay
}

/**
 * Adds to the earlier changes of the same patient. Nothing is recorded for a placeholder that the call has made, as
 * nothing there must be undone.
 */
export async function remember(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { written, stated, insurance, selfPay }: JustWritten,
): Promise<void> {
  if (call === undefined) return
  const session = (await ctx.unit.records.read(CALL, callKey(call.callId)))?.value
  if (session?.made?.includes(patient.id)) return
  const earlier = await writtenByCall(ctx, call, patient)
  if (earlier?.isKnown && stated === undefined) return
  const said = { ...earlier?.stated, ...stated }
  await putOfCall(ctx, WRITTEN, call, {
    ...earlier,
    patient: patient.id,
    stated: said,
    insurance: withCard(earlier?.insurance ?? [], insurance),
    ...(selfPay === undefined ? {} : { selfPay: { ...earlier?.selfPay, ...selfPay } }),
    written: earlier?.isKnown ? earlier.written : withVersions(earlier?.written ?? [], written),
    ...(identifies(said) ? { isKnown: true } : {}),
  })
}

/**
 * Remembers a visit only if it is a placeholder's, to be moved if the caller is someone else. A real patient has been
 * verified, so their visit stays.
 */
export async function rememberVisit(
  ctx: Context,
  call: CallSession,
  patient: Versioned<Patient>,
  visit: Versioned,
): Promise<void> {
  if (isPlaceholder(patient.resource)) await remember(ctx, call, patient, { written: [visit] })
}

/**
 * Attributes later changes by the server to the call that caused them, such as the result of a pending verification.
 */
export async function rememberChange(ctx: Context, call: CallSession, changed: readonly Versioned[]): Promise<void> {
  const earlier = await readOfCall(ctx, WRITTEN, call)
  if (earlier === undefined) return
  const isOfCall = ({ type, id, version }: Versioned): boolean =>
    earlier.written.some((one) => one.type === type && one.id === id && one.to === version - 1)
  const written = withVersions(earlier.written, changed.filter(isOfCall))
  await putOfCall(ctx, WRITTEN, call, { ...earlier, written })
}

export async function writtenByCall(
  ctx: Context,
  call: CallSession,
  { id }: Versioned,
): Promise<WrittenByCall | undefined> {
  const written = await readOfCall(ctx, WRITTEN, call)
  return written?.patient === id ? written : undefined
}

const withCard = (
  earlier: readonly SubmittedInsurance[],
  last: SubmittedInsurance | undefined,
): readonly SubmittedInsurance[] => {
  if (last === undefined) return earlier
  return [...earlier.filter(({ coverage }) => coverage !== last.coverage), last]
}

function withVersions(earlier: readonly WrittenResource[], written: readonly Versioned[]): readonly WrittenResource[] {
  const all = new Map(earlier.map((one) => [`${one.type}/${one.id}`, one]))
  for (const { type, id, version } of written) {
    const known = all.get(`${type}/${id}`)
    if (known?.to === version) continue
    // If someone else has changed it meanwhile, their version is the one to restore.
    const from = known?.to === version - 1 ? known.from : version - 1
    all.set(`${type}/${id}`, { type, id, from, to: version })
  }
  return [...all.values()]
}

export interface TakenBack {
  readonly back: readonly Versioned[]
  /** `Type/id` of each resource that someone else has changed since. */
  readonly left: readonly string[]
}

/**
 * Restores each resource to its version before this call, or marks it as entered in error if it did not exist, unless
 * someone else has changed it since.
 */
export async function takeBack(ctx: Context, call: CallSession, { written }: WrittenByCall): Promise<TakenBack> {
  const back: Versioned[] = []
  const left: string[] = []
  for (const { type, id, from, to } of written) {
    const current = await ctx.find<FhirResource>(type as FhirResource['resourceType'], id)
    if (current !== undefined && (goesAlong(current.resource) || type === 'Appointment')) continue
    // This Task informs staff of changes to a record, so it stays if that record stays.
    const isLeft = current !== undefined && isTaskOf(current.resource, 'record-change') && left.some(isPatient)
    if (current?.version !== to || isLeft) left.push(`${type}/${id}`)
    else back.push(await ctx.update(await original(ctx, current, from)))
  }
  // Any concurrent change by this call conflicts here.
  ctx.unit.records.delete(WRITTEN, callKey(call.callId))
  return { back, left }
}

const isPatient = (address: string): boolean => address.startsWith('Patient/')

async function original(ctx: Context, { type, id, resource }: Versioned<FhirResource>, from: number) {
  const before = from === 0 ? undefined : await ctx.unit.readVersion(type, id, from)
  if (before !== undefined && !before.deleted) return { ...(before.resource as FhirResource), id }
  return { ...resource, status: 'entered-in-error' } as FhirResource
}
