/** Live calls: their names, and the log of one. */
import type { Communication, Encounter } from 'fhir/r4'
import { conceptText } from './names.ts'
import { escaped } from './patient-criteria.ts'

/** In demo mode the call of all requests that name none (docs/live-calls.md). */
export const DEFAULT_CALL = 'demo-default-call'

const DEFAULT_CALL_NOTE =
  'Requests that name no call belong to this one, which they all share. Send x-call-id, a new id for each call.'

export const callName = (call: string): string => (call === DEFAULT_CALL ? 'Default call' : call)

/** For a text that does not say otherwise that a call is meant. */
export const callText = (call: string): string => (call === DEFAULT_CALL ? callName(call) : `call ${call}`)

/** The explanation of a name that is not the id of the call. */
export const callNote = (call: string | undefined): string | undefined =>
  call === DEFAULT_CALL ? DEFAULT_CALL_NOTE : undefined

export const isDefaultCall = (call: string): boolean => call === DEFAULT_CALL

export const callIdOf = ({ identifier = [] }: Pick<Encounter | Communication, 'identifier'>): string =>
  identifier[0]?.value ?? ''

/** Search parameters for the log of a call, and for its Encounter. */
export const ofCall = (call: string) => [['identifier', escaped(call)]] as const

type Json = Readonly<Record<string, unknown>>

/** A tool call as the log keeps it (docs/voice/call-log.md). */
export interface LoggedCall {
  /** Communication.id */
  readonly id: string
  /** '' where it is absent. */
  readonly callId: string
  readonly tool: string
  /** FHIR instants; '' where an extension stands in their place. */
  readonly sent: string
  readonly received: string
  /** The texts as they are kept, which may be cut. */
  readonly argumentsText: string
  readonly resultText: string
  /** Undefined where they are not kept whole. */
  readonly arguments: Json | undefined
  readonly result: Json | undefined
}

/** The log of a call in the order in which its tools were called. */
export const logOf = (communications: readonly Communication[]): readonly LoggedCall[] =>
  communications
    .map(({ id = '', identifier, topic, sent = '', received = sent, payload = [] }) => {
      const [argumentsText = '', resultText = ''] = payload.map(({ contentString = '' }) => contentString)
      const texts = { argumentsText, resultText, arguments: objectIn(argumentsText), result: objectIn(resultText) }
      return { id, callId: callIdOf({ identifier }), tool: conceptText(topic), sent, received, ...texts }
    })
    .sort((one, other) => timeOf(one.sent) - timeOf(other.sent) || timeOf(one.received) - timeOf(other.received))

/** Milliseconds since 1970, with a fraction where the instant has one; 0 for a time that is not known. */
export function timeOf(instant: string | undefined): number {
  const [, micros = '0'] = /\.\d{3}(\d+)/.exec(instant ?? '') ?? []
  return (Date.parse(instant ?? '') || 0) + Number(`0.${micros}`)
}

function objectIn(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined
  } catch {
    // It is cut.
    return undefined
  }
}

/** How a tool call ended, as its result says. */
export interface CallOutcome {
  readonly say: string | undefined
  readonly isRefused: boolean
  readonly code: string | undefined
}

export function outcomeOf(result: Json | undefined): CallOutcome {
  const { say, code, success, valid } = result ?? {}
  return { say: textOf(say), isRefused: success === false || valid === false, code: textOf(code) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
