/**
 * Records of a call: one virtual Encounter for each call on the patient's record, and a Provenance of its changes; and records
 * that belong to a call, and end with it, which are stored under its clinic, so no other clinic can read them.
 */
import type { Encounter, Patient, Provenance } from 'fhir/r4'
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { instantOf } from '../../fhir/dates.ts'
import { derivedId } from '../../fhir/new-id.ts'
import type { RecordKind } from '../../repository/record-kinds.ts'
import type { Versioned } from '../../repository/repository.ts'
import { CALL_ID_SYSTEM } from './vocabulary.ts'

export const encounterIdOf = (callId: string): string => derivedId('call', callId)

interface CallRecord {
  /** Code of the operation that made the changes, such as `submit-intake`. */
  readonly activity: string
  readonly written: readonly Versioned[]
  /** The patient's reason for the visit, if stated. */
  readonly reasonForVisit?: string
}

/**
 * Stages the Encounter and the Provenance of the changes; does nothing if no call made the change, or nothing was
 * changed.
 */
export async function recordCall(
  ctx: Context,
  call: CallSession | undefined,
  patient: Versioned<Patient>,
  record: CallRecord,
): Promise<void> {
  const written = patient.created ? [patient, ...record.written] : record.written
  if (call === undefined || (written.length === 0 && record.reasonForVisit === undefined)) return
  await recordEncounter(ctx, call, patient, record.reasonForVisit)
  if (written.length === 0) return
  const targets = new Set(written.map(({ type, id, version }) => `${type}/${id}/_history/${version}`))
  await ctx.create<Provenance>({
    resourceType: 'Provenance',
    target: Array.from(targets, (reference) => ({ reference })),
    recorded: instantOf(ctx.now),
    activity: { text: record.activity },
    agent: [
      {
        type: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type', code: 'enterer' }],
        },
        who: { type: 'Device', display: 'Live call', identifier: { system: CALL_ID_SYSTEM, value: call.callId } },
        onBehalfOf: { reference: `Patient/${patient.id}` },
      },
    ],
    entity: [{ role: 'source', what: { reference: `Encounter/${encounterIdOf(call.callId)}` } }],
  })
}

async function recordEncounter(
  ctx: Context,
  call: CallSession,
  patient: Versioned<Patient>,
  reasonForVisit: string | undefined,
): Promise<void> {
  const found = (await ctx.find<Encounter>('Encounter', encounterIdOf(call.callId)))?.resource
  const reason = reasonForVisit === undefined ? {} : { reasonCode: [{ text: reasonForVisit }] }
  // A caller who turns out to be someone else has another patient from then on.
  const subject = { reference: `Patient/${patient.id}` }
  if (found === undefined) {
    // A tool still running when the call ends writes after its end.
    const { endedAt } = (await ctx.unit.records.read(CALL, callKey(call.callId)))?.value ?? call
    const encounter: Encounter = { ...newEncounter(ctx, call, patient), ...reason }
    await ctx.update<Encounter>(endedAt === undefined ? encounter : finished(encounter, endedAt))
  } else if (
    found.subject?.reference !== subject.reference ||
    (reasonForVisit !== undefined && found.reasonCode?.[0]?.text !== reasonForVisit)
  ) {
    // The reason belongs to the previous patient.
    const { reasonCode: _reason, ...others } = found
    const kept = found.subject?.reference === subject.reference ? found : others
    await ctx.update<Encounter>({ ...kept, subject, ...reason })
  }
}

/** Stages the end of the Encounter of a call that has ended; a call without changes has none. */
export async function finishEncounter(ctx: Context, { callId, endedAt }: CallSession): Promise<void> {
  const found = (await ctx.find<Encounter>('Encounter', encounterIdOf(callId)))?.resource
  if (endedAt === undefined || found?.status !== 'in-progress') return
  await ctx.update<Encounter>(finished(found, endedAt))
}

/** The end is not before the start, which is the call's first write. */
function finished(encounter: Encounter, endedAt: string): Encounter {
  const start = encounter.period?.start ?? endedAt
  return { ...encounter, status: 'finished', period: { start, end: start > endedAt ? start : endedAt } }
}

const newEncounter = (ctx: Context, call: CallSession, patient: Versioned<Patient>): Encounter => ({
  resourceType: 'Encounter',
  id: encounterIdOf(call.callId),
  identifier: [{ system: CALL_ID_SYSTEM, value: call.callId }],
  status: 'in-progress',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'VR', display: 'virtual' },
  subject: { reference: `Patient/${patient.id}` },
  period: { start: instantOf(ctx.now) },
})

/** Returns undefined if the call has none. Records of an earlier call with the same id are ignored. */
export async function readOfCall<Value>(
  ctx: Context,
  kind: RecordKind<Value>,
  { callId }: CallSession,
): Promise<Value | undefined> {
  const record = await ctx.unit.records.read(kind, callKey(callId))
  return record?.due == null || record.due <= ctx.now ? undefined : record.value
}

/** The record must be read before: of two concurrent changes one then gets a conflict, and is retried. */
export async function putOfCall<Value>(
  ctx: Context,
  kind: RecordKind<Value>,
  { callId }: CallSession,
  value: Value,
): Promise<void> {
  const key = callKey(callId)
  const due = (await ctx.unit.records.read(CALL, key))?.due ?? ctx.now + CALL_LIFETIME
  ctx.unit.records.put(kind, key, value, { due })
}
