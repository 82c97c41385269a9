/**
 * The log of a call, for staff to read over FHIR: a Communication for each tool call, with the arguments as received
 * and the result, which has spoken values in normal form. It is written in the change that stores the result, so every
 * effect has its entry.
 */
import type { Communication } from 'fhir/r4'
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { derivedId } from '../../fhir/new-id.ts'
import { encounterIdOf } from '../record/call-record.ts'
import { CALL_ID_SYSTEM } from '../record/vocabulary.ts'

/** Most characters of the arguments, and of the result, that are kept. */
const MAX_TEXT = 8_000

export interface LoggedToolCall {
  /** The same for repeats of the call; undefined for a call that cannot be repeated. */
  readonly key: string | undefined
  readonly tool: string
  readonly arguments: unknown
  /** Milliseconds since 1970 UTC. */
  readonly startedAt: number
}

/**
 * Stages the entry; it replaces that of an earlier run of the same call that stored no result.
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

/** Moves the log to another patient, if the caller turns out not to be the one assumed. */
export async function moveLog(
  ctx: Context,
  { callId }: CallSession,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const query = new URLSearchParams({ identifier: `${CALL_ID_SYSTEM}|${callId}`, subject: `Patient/${from}` })
  for (const { resource } of await ctx.search<Communication>('Communication', String(query)))
    await ctx.update<Communication>({ ...resource, subject: { reference: `Patient/${to}` } })
}

/** Truncates with a mark, without splitting a character. */
const kept = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT).replace(/[\uD800-\uDBFF]$/, '')}…`
