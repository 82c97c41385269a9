/**
 * What a call has put on the record of a patient who was there before it, to be taken back, and to go along, where the
 * caller turns out to be somebody else. What a tool writes on the patient of the call it tells `remember`.
 */
import type { FhirResource, Patient } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { putOfCall, readOfCall } from './call-records.ts'
import type { patientFields } from './patient-fields.ts'
import type { SelfPay } from './self-pay.ts'
import { goesAlong, isTaskOf } from './staff-task.ts'
import type { SubmittedInsurance } from './submitted-insurance.ts'

type TextField = Exclude<keyof typeof patientFields, 'commsConsent'>

/** In normal form, by argument. */
export type Stated = Readonly<Partial<Record<TextField, string> & { commsConsent: boolean }>>

interface WrittenResource {
  readonly type: string
  readonly id: string
  /** Its versions: before this call wrote it, 0 where there was none, and once it had. */
  readonly from: number
  readonly to: number
}

export interface WrittenByCall {
  /** Patient.id */
  readonly patient: string
  readonly stated: Stated
  /** Of each card the latest. */
  readonly insurance: readonly SubmittedInsurance[]
  readonly selfPay?: SelfPay
  readonly written: readonly WrittenResource[]
  /**
   * The caller has said that they are that patient: what was written on them stays, also when the call goes on with somebody
   * else of the household.
   */
  readonly isKnown?: true
}

const WRITTEN = recordKind<WrittenByCall>('call-written')

interface JustWritten {
  readonly written: readonly Versioned[]
  readonly stated?: Stated
  readonly insurance?: SubmittedInsurance
  readonly selfPay?: SelfPay
  readonly isKnown?: boolean
}

/** With what was written before on the same patient. From a placeholder that the call has made nothing is to be taken back. */
export async function remember(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  { written, stated, insurance, selfPay, isKnown = false }: JustWritten,
): Promise<void> {
  if (call === undefined) return
  const session = (await ctx.unit.records.read(CALL, callKey(call.callId)))?.value
  if (session?.made?.includes(patient.id)) return
  const earlier = await writtenByCall(ctx, call, patient)
  if (earlier?.isKnown && stated === undefined) return
  await putOfCall(ctx, WRITTEN, call, {
    ...earlier,
    patient: patient.id,
    stated: { ...earlier?.stated, ...stated },
    insurance: withCard(earlier?.insurance ?? [], insurance),
    ...(selfPay === undefined ? {} : { selfPay: { ...earlier?.selfPay, ...selfPay } }),
    written: earlier?.isKnown ? earlier.written : withVersions(earlier?.written ?? [], written),
    ...(isKnown ? { isKnown } : {}),
  })
}

/** A real patient has been verified, so the visit is theirs; that of a placeholder is moved where somebody else has called. */
export async function rememberVisit(
  ctx: Context,
  call: CallSession,
  patient: Versioned<Patient>,
  visit: Versioned,
): Promise<void> {
  if (isPlaceholder(patient.resource)) await remember(ctx, call, patient, { written: [visit] })
}

/** What the server has changed later on behalf of a call, such as a pending verification, is still of the call. */
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
    // Where somebody else has changed it meanwhile, what they saw stays.
    const from = known?.to === version - 1 ? known.from : version - 1
    all.set(`${type}/${id}`, { type, id, from, to: version })
  }
  return [...all.values()]
}

export interface TakenBack {
  readonly back: readonly Versioned[]
  /** `Type/id` of what somebody else has changed since. */
  readonly left: readonly string[]
}

/** Each resource as it was before this call, or entered in error where there was none, unless somebody else has changed it since. */
export async function takeBack(ctx: Context, call: CallSession, { written }: WrittenByCall): Promise<TakenBack> {
  const back: Versioned[] = []
  const left: string[] = []
  for (const { type, id, from, to } of written) {
    const current = await ctx.find<FhirResource>(type as FhirResource['resourceType'], id)
    if (current !== undefined && (goesAlong(current.resource) || type === 'Appointment')) continue
    // It tells staff what was changed on a record, so it stays where that does.
    const isLeft = current !== undefined && isTaskOf(current.resource, 'record-change') && left.some(isPatient)
    if (current?.version !== to || isLeft) left.push(`${type}/${id}`)
    else back.push(await ctx.update(await original(ctx, current, from)))
  }
  // Whatever else this call does at the same time meets a conflict here.
  ctx.unit.records.delete(WRITTEN, callKey(call.callId))
  return { back, left }
}

const isPatient = (address: string): boolean => address.startsWith('Patient/')

async function original(ctx: Context, { type, id, resource }: Versioned<FhirResource>, from: number) {
  const before = from === 0 ? undefined : await ctx.unit.readVersion(type, id, from)
  if (before !== undefined && !before.deleted) return { ...(before.resource as FhirResource), id }
  return { ...resource, status: 'entered-in-error' } as FhirResource
}
