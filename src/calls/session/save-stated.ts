/**
 * What a caller states, on the record of the patient of the call. A record that is not a placeholder is completed, and its
 * name and birth date are never replaced: where they contradict what is stated, another person calls, and the call goes on
 * with a placeholder of its own (docs/live-calls.md).
 */
import type { Patient } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { AMENDED_FIELDS, amended } from '../record/amended-patient.ts'
import { writeCommunicationConsent } from '../record/communication-consent.ts'
import { goAlong } from '../record/gone-along.ts'
import { recordChange, recordOtherPerson } from '../record/identity-change.ts'
import { patientFields } from '../record/patient-fields.ts'
import { activateWhenComplete } from '../record/registration.ts'
import { contradicts } from '../record/stated-person.ts'
import { remember, type Stated, takeBack, writtenByCall } from '../record/written-by-call.ts'
import { moveLog } from './call-log.ts'
import { isOwnPlaceholder, placeholderInstead } from './patient-of-call.ts'
import { verifiedPatientOf } from './verification.ts'

export interface Saved {
  readonly patient: Versioned<Patient>
  readonly written: readonly Versioned[]
}

interface Saving {
  /** Absent for staff, who may replace anything. */
  readonly call: CallSession | undefined
  readonly before: Versioned<Patient>
  readonly stated: Stated
  /** Of the clinic: how a phone number without a country code is read. */
  readonly region: string | undefined
}

/** One version of the Patient at most; a consent is a Consent, too. */
export async function saveStated(ctx: Context, { call, before, stated, region }: Saving): Promise<Saved> {
  if (call === undefined || isPlaceholder(before.resource)) return await replace(ctx, before, stated)
  const isVerified = (await verifiedPatientOf(ctx, call)) === before.id
  if (!contradicts(before.resource, stated, isVerified)) return await complete(ctx, call, before, { stated, region })
  const isKnown = isVerified || (await isOwnPlaceholder(ctx, call, before))
  return await goOnAsAnother(ctx, call, before, { stated, isKnown })
}

/** A placeholder, or a patient in the hands of staff. */
async function replace(ctx: Context, before: Versioned<Patient>, stated: Stated): Promise<Saved> {
  const next = activateWhenComplete(withStated(before.resource, stated))
  return await written(ctx, before, next, stated)
}

async function complete(
  ctx: Context,
  call: CallSession,
  before: Versioned<Patient>,
  { stated, region }: Pick<Saving, 'stated' | 'region'>,
): Promise<Saved> {
  const { patient, differences } = amended(before.resource, stated, { now: ctx.now, region })
  const saved = await written(ctx, before, withStated(patient, withoutPerson(stated)), stated)
  const tasks = differences.length === 0 ? [] : [await recordChange(ctx, call, saved.patient, differences)]
  const all = [...saved.written, ...tasks]
  const isKnown = stated.firstName !== undefined || stated.dateOfBirth !== undefined
  if (Object.keys(stated).length > 0) await remember(ctx, call, saved.patient, { written: all, stated, isKnown })
  return { ...saved, written: all }
}

/**
 * In the same change, so that of two requests of the call the second finds the placeholder.
 * @param isKnown the caller was known to be the patient until now, so that what the call has written on them stays
 */
async function goOnAsAnother(
  ctx: Context,
  call: CallSession,
  before: Versioned<Patient>,
  { stated, isKnown }: Pick<Saving, 'stated'> & { readonly isKnown: boolean },
): Promise<Saved> {
  const found = await writtenByCall(ctx, call, before)
  const stays = isKnown || found?.isKnown === true
  const earlier = stays ? undefined : found
  const said: Stated = { ...earlier?.stated, ...stated }
  const { back, left } = earlier === undefined ? { back: [], left: [] } : await takeBack(ctx, call, earlier)
  const mayBe = (placeholder: Patient) => !contradicts(placeholder, said)
  const own = await placeholderInstead(ctx, call, { before, mayBe })
  const saved = await replace(ctx, own, said)
  const { along, verification } =
    earlier === undefined ? { along: [], verification: undefined } : await goAlong(ctx, call, saved.patient, earlier)
  const task = await recordOtherPerson(ctx, call, saved.patient, {
    recorded: before,
    stated: said,
    earlierFields: Object.keys(earlier?.stated ?? {}),
    earlier: { back, left, along, verification },
  })
  if (!stays) await moveLog(ctx, call, { from: before.id, to: saved.patient.id })
  return { ...saved, written: [...back, ...saved.written, ...along, task] }
}

async function written(
  ctx: Context,
  before: Versioned<Patient>,
  next: Patient,
  { commsConsent }: Stated,
): Promise<Saved> {
  const patient = next === before.resource ? before : await ctx.update<Patient>(next)
  const consent = commsConsent === undefined ? undefined : await writeCommunicationConsent(ctx, before.id, commsConsent)
  return {
    patient,
    written: [...(patient === before ? [] : [patient]), ...(consent === undefined ? [] : [consent])],
  }
}

function withStated(patient: Patient, { commsConsent, ...texts }: Stated): Patient {
  const withConsent = commsConsent === undefined ? patient : patientFields.commsConsent.set(patient, commsConsent)
  const fields = Object.keys(texts) as readonly (keyof typeof texts)[]
  return fields.reduce((changed, field) => {
    const value = texts[field]
    return value === undefined ? changed : patientFields[field].set(changed, value)
  }, withConsent)
}

/** What is only ever completed or added, is left to `amended`. */
const withoutPerson = (stated: Stated): Stated =>
  Object.fromEntries(Object.entries(stated).filter(([field]) => !AMENDED_FIELDS.some((one) => one === field)))
