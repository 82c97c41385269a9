/**
 * Saves a caller's statements on the record of the patient of the call. A placeholder that the call has created is
 * corrected; any other record is completed, and its name and birth date are never replaced. If they contradict the
 * statements, these are about another person, and the call continues with a record for that person
 * (docs/live-calls.md).
 */
import { isDeepStrictEqual } from 'node:util'
import type { Patient, Task } from 'fhir/r4'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { isPlaceholder } from '../../matching/placeholder.ts'
import type { Versioned } from '../../repository/repository.ts'
import { AMENDED_FIELDS, amended } from '../record/amended-patient.ts'
import { writeCommunicationConsent } from '../record/contact-consent.ts'
import { goAlong, recordChange, recordOtherCaller, recordOtherPerson } from '../record/identity-tasks.ts'
import { activateWhenComplete, patientFields } from '../record/patient-fields.ts'
import { contradicts, haveOtherFirstNames, personOf } from '../record/stated-person.ts'
import { remember, type Stated, takeBack, writtenByCall } from '../record/written-by-call.ts'
import { earlierCallerOf, hasMade, patientInstead } from './patient-of-call.ts'
import { moveLog } from './replay.ts'
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
  /** The clinic's region, for phone numbers without a country code. */
  readonly region: string | undefined
}

/** Writes at most one version of the Patient; a consent is also written as a Consent. */
export async function saveStated(ctx: Context, saving: Saving): Promise<Saved> {
  const { call, before, stated } = saving
  if (call === undefined) return await replace(ctx, before, stated)
  const isMade = await hasMade(ctx, call, before.id)
  const isCorrected = isMade && isPlaceholder(before.resource)
  const isVerified = (await verifiedPatientOf(ctx, call)) === before.id
  if (contradicts(before.resource, stated, isCorrected ? 'made' : isVerified ? 'verified' : 'none'))
    return await goOnAsAnother(ctx, { ...saving, call }, isMade || isVerified)
  return isCorrected ? await correct(ctx, call, before, stated) : await complete(ctx, { ...saving, call })
}

export type SavingInCall = Saving & { readonly call: CallSession }

/** Replaces values, as staff may do. */
async function replace(ctx: Context, before: Versioned<Patient>, stated: Stated): Promise<Saved> {
  const next = activateWhenComplete(withStated(before.resource, stated))
  return await written(ctx, before, next, stated)
}

/** Corrects the call's own placeholder. */
async function correct(ctx: Context, call: CallSession, before: Versioned<Patient>, stated: Stated): Promise<Saved> {
  const saved = await replace(ctx, before, stated)
  const task = await compareWithEarlierCaller(ctx, call, before, saved.patient)
  return task === undefined ? saved : { ...saved, written: [...saved.written, task] }
}

/**
 * Raises a Task for staff if the caller has stated who they are and differs from the earlier caller from the number.
 */
async function compareWithEarlierCaller(
  ctx: Context,
  call: CallSession,
  before: Versioned<Patient>,
  own: Versioned<Patient>,
): Promise<Versioned<Task> | undefined> {
  const person = personOf(own.resource)
  if (isDeepStrictEqual(personOf(before.resource), person)) return undefined
  const earlier = await earlierCallerOf(ctx, call)
  if (earlier === undefined || !contradicts(earlier.resource, person)) return undefined
  return await recordOtherCaller(ctx, call, own, earlier)
}

async function complete(ctx: Context, { call, before, stated, region }: SavingInCall): Promise<Saved> {
  const { patient, differences } = amended(before.resource, stated, { now: ctx.now, region })
  const next = activateWhenComplete(withStated(patient, withoutPerson(stated)))
  const saved = await written(ctx, before, next, stated)
  // A registration is meant to be completed; staff only see contradictions.
  const toCheck = isPlaceholder(before.resource) ? differences.filter(({ recorded }) => recorded) : differences
  const tasks = toCheck.length === 0 ? [] : [await recordChange(ctx, call, saved.patient, toCheck)]
  const all = [...saved.written, ...tasks]
  if (Object.keys(stated).length > 0) await remember(ctx, call, saved.patient, { written: all, stated })
  return { ...saved, written: all }
}

/**
 * Runs in the same change, so that the second of two requests of the call finds the other record.
 * @param isKnown whether the caller was known to be the patient until now, so that the call's changes to them stay
 */
export async function goOnAsAnother(
  ctx: Context,
  { call, before, stated, region }: SavingInCall,
  isKnown: boolean,
): Promise<Saved> {
  const found = await writtenByCall(ctx, call, before)
  const stays =
    isKnown || (found !== undefined && (found.isKnown === true || haveOtherFirstNames(found.stated, stated)))
  const earlier = stays ? undefined : found
  const said: Stated = { ...earlier?.stated, ...stated }
  const { back, left } = earlier === undefined ? { back: [], left: [] } : await takeBack(ctx, call, earlier)
  const own = await patientInstead(ctx, call, { before, stated: said })
  const saved = own.created
    ? await replace(ctx, own, said)
    : await saveStated(ctx, { call, before: own, stated: said, region })
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

/** The statements without the fields that `amended` handles. */
const withoutPerson = (stated: Stated): Stated =>
  Object.fromEntries(Object.entries(stated).filter(([field]) => !AMENDED_FIELDS.some((one) => one === field)))
