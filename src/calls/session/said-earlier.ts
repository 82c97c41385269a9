/**
 * What a call has put on a record that was there before it, to be taken back, and to go along, where the caller turns out to
 * be somebody else.
 */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { writeCommunicationConsent } from '../record/communication-consent.ts'
import { patientFields } from '../record/patient-fields.ts'
import { putOfCall, readOfCall } from './call-records.ts'

type TextField = Exclude<keyof typeof patientFields, 'commsConsent'>

/** In normal form, by argument. */
export type Stated = Readonly<Partial<Record<TextField, string> & { commsConsent: boolean }>>

interface Said {
  /** Patient.id */
  readonly patient: string
  readonly stated: Stated
  /** Versions of the record: before this call wrote to it, and once it had. */
  readonly from: number
  readonly to: number
  /**
   * The caller is known to be that patient: what was said of them stays, also when the call goes on with somebody else of the
   * household.
   */
  readonly isKnown?: true
}

const SAID = recordKind<Said>('call-said')

interface JustSaid {
  readonly before: Versioned<Patient>
  readonly after: Versioned<Patient>
  readonly stated: Stated
  readonly isKnown: boolean
}

/** With what was said before, of the same record. */
export async function rememberSaid(
  ctx: Context,
  call: CallSession,
  { before, after, stated, isKnown }: JustSaid,
): Promise<void> {
  const earlier = await saidEarlier(ctx, call, before)
  // Where somebody else has changed the record meanwhile, what they saw stays.
  const from = earlier?.to === before.version ? earlier.from : before.version
  await putOfCall(ctx, SAID, call, {
    patient: before.id,
    stated: { ...earlier?.stated, ...stated },
    from,
    to: after.version,
    ...(isKnown || earlier?.isKnown ? { isKnown: true } : {}),
  })
}

export async function saidEarlier(ctx: Context, call: CallSession, { id }: Versioned): Promise<Said | undefined> {
  const said = await readOfCall(ctx, SAID, call)
  return said?.patient === id ? said : undefined
}

/** The record as it was before this call, unless somebody else has changed it since. */
export async function takeBack(
  ctx: Context,
  current: Versioned<Patient>,
  { stated, from, to }: Said,
): Promise<readonly Versioned[]> {
  const original = from === to ? undefined : await ctx.unit.readVersion('Patient', current.id, from)
  if (original === undefined || original.deleted || current.version !== to) return []
  const patient = await ctx.update<Patient>({ ...(original.resource as Patient), id: current.id })
  const agreed = patientFields.commsConsent.get(patient.resource)
  if (stated.commsConsent === undefined || agreed === undefined) return [patient]
  const consent = await writeCommunicationConsent(ctx, current.id, agreed)
  return consent === undefined ? [patient] : [patient, consent]
}
