/** Notes on the Task of an abandonment: the outcome of a call, the reason, contact preferences. docs/abandonment.md */
import type { Patient, Task } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationRequest } from '../../core/operation.ts'
import { keptText, type ParsedValue, unclear } from '../../spoken/spoken.ts'
import { readAll } from '../../spoken/stated-values.ts'
import { type Abandonment, withOutput } from '../record/abandonment.ts'
import { recordCall } from '../record/call-record.ts'
import {
  CONTACT_CHANNELS,
  type ContactChannel,
  hasOptedOut,
  lettersOf,
  optOut,
  type Reached,
  statedChannel,
} from '../record/contact-consent.ts'
import { abandonmentOf, requireItsPerson } from '../recovery/abandonment-of.ts'

/** New status of the Task, by outcome; undefined: unchanged. */
const OUTCOMES: ReadonlyMap<string, Task['status'] | undefined> = new Map([
  ['recovered', 'completed'],
  ['declined', 'cancelled'],
  ['wrong-number', 'cancelled'],
  ['link-sent', undefined],
  ['callback-scheduled', undefined],
  ['no-answer', undefined],
  ['voicemail', undefined],
  ['hung-up', undefined],
] as const)

/** Characters. */
const MAX_NOTE = 2_000
const MAX_OUTCOME = 200

/** log_call_outcome: how a recovery call ended; some outcomes close the recovery. */
export const logCallOutcome = defineOperation('task-log-call-outcome', (request) => {
  // "Call back scheduled" is callback-scheduled.
  const said = lettersOf(String(request.input.outcome))
  const known = [...OUTCOMES.keys()].find((one) => lettersOf(one) === said)
  // Any other outcome is kept for staff to read: the call is over, so no agent could correct it.
  const outcome = known ?? keptText(request.input.outcome, MAX_OUTCOME) ?? 'unknown'
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    const note = keptText(request.input.note, MAX_NOTE)
    const text = note === undefined ? outcome : `${outcome}: ${note}`
    const status = abandonment.isOpen && known !== undefined ? OUTCOMES.get(known) : undefined
    await noteOutput(ctx, request, abandonment, [['call-outcome', text]], logCallOutcome.code, status)
    return {
      success: true,
      ...(known === undefined ? { code: 'outcome-unknown' } : {}),
      say: 'Thank you for your time. Goodbye.',
    }
  })
})

/** Most characters of the reason. */
const MAX_REASON = 2_000

/** record_abandon_reason: the reason for not finishing, for staff. */
export const recordAbandonReason = defineOperation('task-record-abandon-reason', (request) =>
  request.access.change(async (ctx) => {
    const { reason, detail } = request.input
    const text = [reason, detail].flatMap((said) => keptText(said, MAX_REASON) ?? []).join(': ')
    const abandonment = await abandonmentOf(ctx, request)
    await requireItsPerson(ctx, request, abandonment)
    await noteOutput(ctx, request, abandonment, [['abandon-reason', text]], recordAbandonReason.code)
    return { success: true, say: 'Thank you for telling me. I have noted that.' }
  }),
)

/** set_contact_preference: an opt-out is final for calls; only staff can end it. */
export const setContactPreference = defineOperation('task-set-contact-preference', (request) => {
  const { channel: channels, optOut: out } = readAll(PREFERENCE, request.input)
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    if (out) for (const one of channels) await optOut(ctx, one, reachedBy(abandonment, one))
    const text = `${channels.join(', ')}: ${out ? 'opted out' : 'may contact'}`
    await noteOutput(ctx, request, abandonment, [['contact-preference', text]], setContactPreference.code)
    return await resultOf(ctx, abandonment, channels, out)
  })
})

const PREFERENCE = {
  channel: (value: unknown): ParsedValue<readonly ContactChannel[]> => {
    const named = statedChannel(value)
    const channels = CONTACT_CHANNELS.filter((one) => one === named || isAll(value))
    return channels.length > 0
      ? { ok: true, value: channels }
      : unclear(`it must be ${CONTACT_CHANNELS.join(', ')} or all`)
  },
  // Platforms also send text. The caller's "yes" or "no" is not accepted, as its meaning depends on the question.
  optOut: (value: unknown): ParsedValue<boolean> => {
    const text = String(value).trim().toLowerCase()
    return text === 'true' || text === 'false'
      ? { ok: true, value: text === 'true' }
      : unclear('it must be true or false')
  },
}

const isAll = (channel: unknown): boolean => ['all', 'everything'].includes(lettersOf(String(channel)))

const reachedBy = ({ contact, patient }: Abandonment, channel: ContactChannel): Reached => ({
  point: channel === 'email' ? contact.email : contact.phone,
  patient,
})

async function resultOf(ctx: Context, abandonment: Abandonment, asked: readonly ContactChannel[], out: boolean) {
  const preferences: Partial<Record<ContactChannel, string>> = {}
  for (const one of CONTACT_CHANNELS)
    preferences[one] = (await hasOptedOut(ctx.unit, one, reachedBy(abandonment, one))) ? 'opted-out' : 'allowed'
  const isRefused = !out && asked.some((one) => preferences[one] === 'opted-out')
  if (isRefused) {
    return {
      success: false,
      code: 'opted-out',
      preferences,
      say: 'You asked us earlier not to contact you that way. Our staff can change that for you.',
    }
  }
  return {
    success: true,
    preferences,
    say: out ? 'Alright, we will not contact you that way again.' : 'Thank you, noted.',
  }
}

/**
 * Adds outputs to the Task of an abandonment, with the Provenance of the call.
 * @param outputs code and text of each
 * @param status the new status of the Task; absent: in progress
 */
async function noteOutput(
  ctx: Context,
  { call }: OperationRequest,
  { task, patient }: Abandonment,
  outputs: readonly (readonly [code: string, text: string])[],
  activity: string,
  status?: Task['status'],
): Promise<void> {
  const noted = outputs.reduce((next, [code, text]) => withOutput(next, code, text), task.resource)
  const saved = await ctx.update<Task>({ ...noted, ...(status === undefined ? {} : { status }) })
  await recordCall(ctx, call, await ctx.read<Patient>('Patient', patient), { activity, written: [saved] })
}
