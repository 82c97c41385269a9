/** Exchanges: each one request and its response, as they are observed, as the journal shows them, and those of this server with the systems of clinics. */

import { hash } from 'node:crypto'
import type { Role } from '../../clinics/accounts.ts'
import type { TraceContext } from '../../isolation/trace-context.ts'

/** The role that reads an exchange for which no other role is stated. */
export const LEAST_ROLE: Role = 'staff'

/** Bytes of a body that are kept. */
export const MAX_BODY = 64 * 1024

/** A tool call, with its arguments and its result. */
export interface ToolExchange {
  readonly tool: string
  /** As the platform sent it. */
  readonly id: unknown
  /** Absent where they could not be read. */
  readonly arguments?: unknown
  /** The JSON text of the result. */
  readonly result: string
}

/** The reason for a response. */
export interface Reason {
  readonly code: string
  readonly text: string
}

/** The beginning of a body that is text; of any other body only its size. */
export interface SeenBody {
  /** At most MAX_BODY bytes. */
  readonly text?: string
  /** Bytes of the whole body; absent where that is not known. */
  readonly size?: number
  /** The text is only the beginning of the body. */
  readonly isCut?: true
  /** The SHA-256 of the bytes of a body that is not text. */
  readonly sha256?: string
  /** Sizes of the contents that the text holds as markers, by their SHA-256. */
  readonly contents?: ReadonlyMap<string, number>
  /** The base64 within which the text was cut. */
  readonly cutContent?: Content
}

/** Bytes in a body, as the journal shows them. */
export interface Content {
  readonly sha256: string
  readonly size: number
}

/** Names in lower case. */
export type SeenHeaders = Readonly<Record<string, string>>

export interface SeenUser {
  readonly id: string
  readonly name: string
  readonly role: string
}

/** The systems of a clinic that this server sends requests to, by its settings. */
export type ConnectedSystem = 'crm' | 'insurance' | 'messages'

/** The same, the receivers of Subscriptions, and the servers of files that are imported. */
export type OutboundSystem = ConnectedSystem | 'subscription' | 'import'

interface SeenMessages {
  readonly requestHeaders: SeenHeaders
  readonly responseHeaders: SeenHeaders
  readonly requestBody?: SeenBody
  readonly responseBody?: SeenBody
}

/** Milliseconds: until its turn on the event loop, until its response was ready, and until that had been sent. */
export interface Timing {
  readonly waiting: number
  readonly work: number
  /** The part of the work in which it waited for the store; absent where that is not known. */
  readonly store?: number
  readonly sending: number
}

/** As times are shown: with one decimal place. */
export const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10

/** An exchange that has ended, as it was: nothing has been removed from it. It can be sent to another thread. */
export interface SeenExchange extends SeenMessages {
  readonly id: string
  readonly direction: 'in' | 'out'
  /** Milliseconds since 1970 UTC, and its length in milliseconds. */
  readonly at: number
  readonly duration: number
  /** The parts of its duration; absent for an outbound one. */
  readonly timing?: Timing
  /** The clinic that it is about; '' for one that belongs to no clinic. */
  readonly clinic: string
  /** The least role that may read it; absent: LEAST_ROLE. */
  readonly leastRole?: Role
  readonly user?: SeenUser
  readonly call?: string
  readonly run?: string
  /** The run that its header names, where it belongs to another one. */
  readonly namedRun?: string
  /** The id that the client gave it. */
  readonly correlation?: string
  /** The span of an outbound one. */
  readonly trace?: TraceContext
  /** The exchange that caused this outbound one. */
  readonly cause?: string
  /** The exchange that this one repeats. */
  readonly replayOf?: string
  readonly method: string
  /** Path and query; for an outbound exchange the whole URL. */
  readonly address: string
  /** The FHIR interaction, or another name of what was done. */
  readonly interaction?: string
  readonly type?: string
  /** Type and id. */
  readonly resource?: string
  /** The name of an operation. */
  readonly operation?: string
  readonly system?: OutboundSystem
  /** 0: there was no response. */
  readonly status: number
  readonly outcome: ExchangeOutcome
  readonly reason?: Reason
  /** The faults that it met, each with a number: `slot-gone#2, slow#1`. docs/faults.md */
  readonly fault?: string
  /** The ids of the patients whose data it was about, as far as they are known. */
  readonly patients?: readonly string[]
  /** Known secrets: tokens, passwords and keys that the exchange carried or that the server issued in it. */
  readonly secrets?: readonly string[]
  readonly tools?: readonly ToolExchange[]
}

/** `left`: the client disconnected before it had its response. `broken`: a fault broke the connection. */
export type ExchangeOutcome = 'ok' | 'refused' | 'failed' | 'left' | 'broken'

/** As in nginx: the client closed the connection. */
export const CLIENT_LEFT = 499

/** A body in the journal: its text, or its type, size and hash. */
export interface ShownBody {
  readonly text?: string
  readonly type?: string
  readonly size?: number
  readonly sha256?: string
  /** The text is the beginning of the body. */
  readonly cut?: true
  /** Something was removed or replaced, so the text is not what was sent. */
  readonly changed?: true
}

export interface ShownMessage {
  readonly headers: SeenHeaders
  readonly body?: ShownBody
}

export interface ShownTool {
  readonly tool: string
  readonly id: unknown
  readonly success?: boolean
  readonly code?: string
}

/** The members of an exchange that a list does not show as they were. */
type Unlisted = 'at' | 'clinic' | 'leastRole' | 'patients' | 'secrets' | 'tools' | 'trace' | keyof SeenMessages

/** An exchange in a list. */
export interface ExchangeSummary extends Omit<SeenExchange, Unlisted> {
  /** FHIR instant. */
  readonly time: string
  /** The id of its trace; absent in entries of older versions. */
  readonly trace?: string
  readonly tools?: readonly ShownTool[]
}

export interface ToolDetail extends ShownTool {
  readonly arguments?: unknown
  readonly result?: unknown
}

/** The further members of a single exchange. */
export interface ExchangeDetail {
  readonly request: ShownMessage
  readonly response: ShownMessage
  readonly tools?: readonly ToolDetail[]
  /** Something was removed from its address. */
  readonly addressChanged?: true
  /** As in SeenExchange: to look at the exchange is an access to these patients' data. */
  readonly patients?: readonly string[]
}

/** Shown in place of missing exchanges. */
export interface GapSummary {
  readonly gap: { readonly count: number; readonly from: string; readonly to: string; readonly why: string }
}

export type Summary = ExchangeSummary | GapSummary

export const isGap = (summary: Summary): summary is GapSummary => 'gap' in summary

const OF_STRANGERS = '/failed-authentications'

/**
 * The part of a clinic's journal for failed authentications, by the name under which the store keeps it: no id of a clinic
 * has a slash.
 */
export const strangersOf = (clinic: string): string => `${clinic}${OF_STRANGERS}`

/** The clinic, where it is such a part. */
export const clinicOfStrangers = (part: string): string | undefined =>
  part.endsWith(OF_STRANGERS) ? part.slice(0, -OF_STRANGERS.length) : undefined

/** The patient whose id a list shows: lists have no bodies. */
export function patientOf(summary: Summary): readonly string[] {
  const id = isGap(summary) ? undefined : /^Patient\/(.+)$/.exec(summary.resource ?? '')?.[1]
  return id === undefined ? [] : [id]
}

export const outcomeOf = (status: number): ExchangeOutcome =>
  status >= 500 ? 'failed' : status >= 400 ? 'refused' : 'ok'

/** The part of a text that is kept. */
export function beginningOf(text: string): SeenBody {
  if (text.length <= MAX_BODY / 4) return { text, size: Buffer.byteLength(text) }
  const size = Buffer.byteLength(text)
  if (size <= MAX_BODY) return { text, size }
  // A slice of a long text would keep all of it in memory.
  const kept = Buffer.from(text.slice(0, MAX_BODY)).toString('utf8', 0, MAX_BODY)
  const end = text.indexOf('"', kept.length)
  return { text: kept, size, isCut: true, ...(end < 0 ? {} : cutIn(kept, () => text.slice(kept.length, end))) }
}

/** The same for bytes. @param size of all of them, where these are only the first */
export function beginningOfBytes(bytes: Uint8Array, size = bytes.byteLength): SeenBody {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const text = all.toString('utf8', 0, MAX_BODY)
  if (size <= MAX_BODY) return { text, size }
  const end = all.indexOf('"', MAX_BODY)
  return { text, size, isCut: true, ...(end < 0 ? {} : cutIn(text, () => all.toString('latin1', MAX_BODY, end))) }
}

/** @param rest gives the text from the cut to the next quotation mark */
function cutIn(kept: string, rest: () => string): Pick<SeenBody, 'cutContent'> {
  const begun = kept.slice(kept.lastIndexOf('"') + 1)
  if (begun === '' || !BASE64.test(begun)) return {}
  const base64 = begun + rest()
  return BASE64.test(base64) ? { cutContent: contentOf(base64) } : {}
}

export const BASE64 = /^[A-Za-z\d+/\s]*={0,2}$/

export function contentOf(base64: string): Content {
  const bytes = Buffer.from(base64, 'base64')
  return { size: bytes.length, sha256: hash('sha256', bytes) }
}

/** Shown in place of the base64 of a content. */
export const shownContent = ({ sha256, size }: Content): string => described(sha256, size)

/** @param size bytes, where they are known */
export const described = (sha256: string, size: number | undefined): string =>
  `[content: ${size === undefined ? '' : `${size} bytes, `}sha256 ${sha256}]`
