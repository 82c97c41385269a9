/**
 * The log of a call that staff read over FHIR: a Communication for each tool call, with its arguments as they came and
 * its result, which has the normal form of spoken values. It is written in the change that stores the result, so no
 * effect is without its entry.
 */
import type { Communication } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { encounterIdOf } from '../record/call-record.ts'
import { derivedId } from '../record/derived-id.ts'
import { CALL_ID_SYSTEM } from '../record/vocabulary.ts'

/** Characters of the arguments, and of the result, that are kept. */
const MAX_TEXT = 8_000

export interface LoggedToolCall {
  /** Repeats of the call have the same; undefined for a call that cannot be repeated. */
  readonly key: string | undefined
  readonly tool: string
  readonly arguments: unknown
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number
}

/**
 * Stages the entry; that of a repeat, which runs again where nothing was stored, replaces it.
 * @param result JSON text
 */
export async function logToolCall(
  ctx: Context,
  session: CallSession,
  { key, tool, arguments: given, startedAt }: LoggedToolCall,
  result: string,
): Promise<void> {
  const patient = ctx.unit.records.known(CALL, callKey(session.callId))?.value.patient ?? session.patient
  const encounter = encounterIdOf(session.callId)
  const hasEncounter = (await ctx.find('Encounter', encounter)) !== undefined
  const entry: Communication = {
    resourceType: 'Communication',
    identifier: [{ system: CALL_ID_SYSTEM, value: session.callId }],
    status: 'completed',
    category: [{ text: 'Live-call tool' }],
    topic: { text: tool },
    ...(patient === undefined ? {} : { subject: { reference: `Patient/${patient}` } }),
    ...(hasEncounter ? { encounter: { reference: `Encounter/${encounter}` } } : {}),
    sent: new Date(Math.min(startedAt, ctx.now)).toISOString(),
    received: new Date(ctx.now).toISOString(),
    payload: [{ contentString: kept(JSON.stringify(given)) }, { contentString: kept(result) }],
  }
  if (key === undefined) await ctx.create(entry)
  else await ctx.update<Communication>({ ...entry, id: derivedId('tool-call', key) })
}

/** Stages it for another patient, where the caller turns out not to be the one whom the call was taken for. */
export async function moveLog(
  ctx: Context,
  { callId }: CallSession,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const query = new URLSearchParams({ identifier: `${CALL_ID_SYSTEM}|${callId}`, subject: `Patient/${from}` })
  for (const { resource } of await ctx.search<Communication>('Communication', String(query)))
    await ctx.update<Communication>({ ...resource, subject: { reference: `Patient/${to}` } })
}

/** With a mark where something is cut off, and no half of a character before it. */
const kept = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`
