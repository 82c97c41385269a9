/**
 * A recorded call as a script that `npm run call` and the dashboard play. Keys, ids and times that came out of earlier results
 * become references to them, as each play is given others; secrets and unfilled templates are left out.
 */
import type { Communication, Encounter } from 'fhir/r4'
import { isDefaultCall, type LoggedCall, logOf } from '../fhir/calls.ts'
import { MAX_STEPS, type PlayedCall, type Step, type ToolStep } from './call-script.ts'
import type { Result } from './play-call.ts'

export interface RecordedCall {
  readonly callId: string
  /** Undefined where the call is not kept any more. */
  readonly dialedNumber?: string | undefined
  readonly callerNumber?: string | undefined
  readonly hasEnded: boolean
  readonly endReason?: string | undefined
  /** In the order in which the tools were called. */
  readonly log: readonly LoggedCall[]
}

/** A call as `GET /clinics/{id}/calls/{call}` gives it, for as long as it is kept (docs/live-calls.md#which-call). */
export interface KeptCall {
  readonly callId: string
  readonly dialedNumber?: string
  readonly callerNumber?: string
  /** Patient.id */
  readonly patient?: string
  /** FHIR instant. */
  readonly endedAt?: string
  readonly endReason?: string
}

/** A call as far as it is known. */
export interface KnownCall {
  readonly callId: string
  readonly kept: KeptCall | undefined
  /** A call that wrote nothing has none. */
  readonly encounter: Encounter | undefined
  readonly communications: readonly Communication[]
}

export const recordingOf = ({ callId, kept, encounter, communications }: KnownCall): RecordedCall => ({
  callId,
  dialedNumber: kept?.dialedNumber,
  callerNumber: kept?.callerNumber,
  hasEnded: kept?.endedAt !== undefined || encounter?.status === 'finished',
  endReason: kept?.endReason,
  log: logOf(communications),
})

/** `GET /tools`, as far as it is needed. */
export interface ToolList {
  readonly families: readonly { readonly name: string; readonly tools: readonly { readonly name: string }[] }[]
}

export const familiesOf = ({ families }: ToolList): ReadonlyMap<string, string> =>
  new Map(families.flatMap(({ name: family, tools }) => tools.map(({ name }) => [name, family])))

/** @param familyOf the family of each tool, by its name */
export function scriptOf(call: RecordedCall, familyOf: ReadonlyMap<string, string>): PlayedCall {
  const { callId, dialedNumber, callerNumber, hasEnded, endReason, log } = call
  const isOwnCall = !isDefaultCall(callId)
  const numbers = { dialedNumber, ...(callerNumber === undefined ? {} : { callerNumber }) }
  return {
    description: descriptionOf(call),
    ...(isOwnCall ? {} : { isDefaultCall: true }),
    ...(isOwnCall && dialedNumber !== undefined ? { register: numbers } : {}),
    ...(isOwnCall && hasEnded ? { end: endReason === undefined ? {} : { reason: endReason } } : {}),
    steps: stepsOf(log.filter(isWhole).slice(0, MAX_STEPS), familyOf),
  }
}

const isWhole = (entry: LoggedCall): boolean => entry.arguments !== undefined

function descriptionOf({ callId, log }: RecordedCall): string {
  const left = log.filter((entry) => !isWhole(entry)).map(({ tool }) => tool)
  const recorded = `The call ${callId}, as it was recorded on ${log[0]?.sent ?? 'an unknown day'}.`
  return left.length === 0
    ? recorded
    : `${recorded} Left out, as their arguments are not kept whole: ${left.join(', ')}.`
}

/** A value in a result, and the reference by which later steps mean it. */
interface GivenOut {
  readonly step: number
  readonly path: string
}

function stepsOf(log: readonly LoggedCall[], familyOf: ReadonlyMap<string, string>): readonly Step[] {
  const givenOut = new Map<string, GivenOut>()
  const stated = new Set<string>()
  const referredTo = new Set<number>()
  const steps = log.map((entry, index): ToolStep => {
    const refer = (text: string): string => {
      const found = givenOut.get(text)
      if (found === undefined) stated.add(text)
      else referredTo.add(found.step)
      return found === undefined ? text : `{{${nameOf(found.step)}.${found.path}}}`
    }
    const given = rewritten(entry.arguments ?? {}, refer)
    for (const { path, value } of keysIn(entry.result ?? {}, '', ''))
      if (!stated.has(value)) givenOut.set(value, { step: index, path })
    return stepOf(entry, given, { before: log[index - 1], family: familyOf.get(entry.tool) })
  })
  return steps.map((step, index) => (referredTo.has(index) ? { as: nameOf(index), ...step } : step))
}

const nameOf = (index: number): string => `step${index + 1}`

interface Around {
  readonly before: LoggedCall | undefined
  readonly family: string | undefined
}

function stepOf({ tool, sent, result }: LoggedCall, given: Result, { before, family }: Around): ToolStep {
  const seconds = before === undefined ? 0 : (Date.parse(sent) - Date.parse(before.received)) / 1_000
  return {
    ...(seconds > 0 ? { after: Math.round(seconds * 10) / 10 } : {}),
    ...(family === undefined ? {} : { family }),
    tool,
    arguments: given,
    ...(result === undefined ? {} : { expect: expectedOf(result) }),
  }
}

/** The members of a result that say how the tool call ended. */
const OUTCOME = ['success', 'valid', 'verified', 'code'] as const

const expectedOf = (result: Result): Result =>
  Object.fromEntries(OUTCOME.flatMap((name) => (result[name] === undefined ? [] : [[name, result[name]]])))

/** Arguments with references, without secrets and templates. */
const rewritten = (given: Result, refer: (text: string) => string): Result =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const next = isSecretName(name) ? undefined : rewrittenValue(value, refer)
      return next === undefined ? [] : [[name, next]]
    }),
  )

/** Undefined for a value that is left out. */
function rewrittenValue(value: unknown, refer: (text: string) => string): unknown {
  if (typeof value === 'string') return isTemplate(value) || isSecret(value) ? undefined : refer(value)
  if (Array.isArray(value))
    return value.map((one) => rewrittenValue(one, refer)).filter((one: unknown) => one !== undefined)
  return typeof value === 'object' && value !== null ? rewritten(value as Result, refer) : value
}

/** As docs/live-calls.md#which-call names them: `{{x}}`, `${x}`, `<x>`, `%x%`, `:x`. */
const isTemplate = (text: string): boolean => /\{\{.*\}\}|\$\{.*\}|^<[^<>]+>$|^%[\w.]+%$|^:[a-z][\w.]*$/is.test(text)

/** As in the journal (docs/journal.md#what-is-kept). */
const isSecretName = (name: string): boolean =>
  /password|passwd|passphrase|pwd|secret|token|apikey|accesskey|privatekey|authorization|cookie|credential|assertion|sessionid|jwt/.test(
    name.toLowerCase().replace(/[-_. ]/g, ''),
  )

/** A JSON Web Token, a webhook secret, a credential of HTTP. */
const isSecret = (text: string): boolean => /\beyJ[\w-]+\.[\w-]+\.[\w-]*|\bwhsec_\w+|^(?:bearer|basic) \S+$/i.test(text)

interface Found {
  readonly path: string
  readonly value: string
}

/** Keys, ids, dates and times in a result. */
function keysIn(value: unknown, name: string, path: string): readonly Found[] {
  if (typeof value === 'string') return isGivenOut(name, value) ? [{ path, value }] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, one]) =>
    member.includes('.')
      ? []
      : keysIn(one, Array.isArray(value) ? name : member, path === '' ? member : `${path}.${member}`),
  )
}

/** A value that a server makes, rather than a word: by the name of its member, or as it has digits and no space. */
const isGivenOut = (name: string, value: string): boolean =>
  /(?:^i|[a-z]I)d$|Key$/.test(name) || /^(?=.*\d)\S{6,}$/.test(value)
