/** The call itself on the patient's record: one virtual Encounter for each call, and a Provenance of what it wrote. */
import type { Encounter, Patient, Provenance } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import type { Versioned } from '../../repository/repository.ts'
import { derivedId } from './derived-id.ts'
import { CALL_ID_SYSTEM } from './vocabulary.ts'

export const encounterIdOf = (callId: string): string => derivedId('call', callId)

const instant = (milliseconds: number): string => new Date(milliseconds).toISOString()

interface CallRecord {
  /** Code of the operation that wrote: `submit-intake`. */
  readonly activity: string
  readonly written: readonly Versioned[]
  /** Why the patient wants to be seen, where the caller said so. */
  readonly reasonForVisit?: string
}

/**
 * Stages the Encounter and the Provenance of what was written; nothing when the change was not made by a call, or
 * everything was on file already.
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
    recorded: instant(ctx.now),
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
  // A caller who turns out to be somebody else has another patient from then on.
  const subject = { reference: `Patient/${patient.id}` }
  if (found === undefined) {
    // A tool that was at work when the call ended writes after that.
    const { endedAt } = (await ctx.unit.records.read(CALL, callKey(call.callId)))?.value ?? call
    const encounter: Encounter = { ...newEncounter(ctx, call, patient), ...reason }
    await ctx.update<Encounter>(endedAt === undefined ? encounter : finished(encounter, endedAt))
  } else if (
    found.subject?.reference !== subject.reference ||
    (reasonForVisit !== undefined && found.reasonCode?.[0]?.text !== reasonForVisit)
  ) {
    // The reason of one patient is not that of another.
    const { reasonCode: _reason, ...others } = found
    const kept = found.subject?.reference === subject.reference ? found : others
    await ctx.update<Encounter>({ ...kept, subject, ...reason })
  }
}

/** Stages the end of the Encounter of a call that has ended; a call that wrote nothing has none. */
export async function finishEncounter(ctx: Context, { callId, endedAt }: CallSession): Promise<void> {
  const found = (await ctx.find<Encounter>('Encounter', encounterIdOf(callId)))?.resource
  if (endedAt === undefined || found?.status !== 'in-progress') return
  await ctx.update<Encounter>(finished(found, endedAt))
}

/** It ends at its start at the earliest, which is when the call first wrote. */
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
  period: { start: instant(ctx.now) },
})
