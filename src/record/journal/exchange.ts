/** Exchanges: each one request and its response, as they are observed, and as the journal shows them. */
import type { Role } from '../../clinics/accounts.ts'

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
}

/** Names in lower case. */
export type SeenHeaders = Readonly<Record<string, string>>

export interface SeenUser {
  readonly id: string
  readonly name: string
  readonly role: string
}

/** The systems of a clinic that this server sends requests to. */
export type OutboundSystem = 'crm' | 'insurance' | 'messages'

interface SeenMessages {
  readonly requestHeaders: SeenHeaders
  readonly responseHeaders: SeenHeaders
  readonly requestBody?: SeenBody
  readonly responseBody?: SeenBody
}

/** An exchange that has ended, as it was: nothing has been removed from it. */
export interface SeenExchange extends SeenMessages {
  readonly id: string
  readonly direction: 'in' | 'out'
  /** Milliseconds since 1970 UTC, and its length in milliseconds. */
  readonly at: number
  readonly duration: number
  /** The clinic that it is about; '' for one that belongs to no clinic. */
  readonly clinic: string
  /** The least role that may read it; absent: LEAST_ROLE. */
  readonly leastRole?: Role
  readonly user?: SeenUser
  readonly call?: string
  readonly run?: string
  /** The id that the client gave it. */
  readonly correlation?: string
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
  /** The ids of the patients whose data it was about, as far as they are known. */
  readonly patients?: readonly string[]
  /** Known secrets: tokens, passwords and keys that the exchange carried or that the server issued in it. */
  readonly secrets?: readonly string[]
  readonly tools?: readonly ToolExchange[]
}

/** `left`: the client disconnected before it had its response. */
export type ExchangeOutcome = 'ok' | 'refused' | 'failed' | 'left'

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
type Unlisted = 'at' | 'clinic' | 'leastRole' | 'patients' | 'secrets' | 'tools' | keyof SeenMessages

/** An exchange in a list. */
export interface ExchangeSummary extends Omit<SeenExchange, Unlisted> {
  /** FHIR instant. */
  readonly time: string
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
