/** Exchanges: one request and its answer each, as they are observed, and as the journal shows them. */
import type { Role } from '../../clinics/accounts.ts'

/** Bytes of a body that are kept. */
export const MAX_BODY = 64 * 1024

/** A tool call, with what it was given and what it gave. */
export interface ToolExchange {
  readonly tool: string
  /** As the platform has sent it. */
  readonly id: unknown
  /** Absent where they could not be read. */
  readonly arguments?: unknown
  /** The JSON text of the result. */
  readonly result: string
}

/** Why a request was answered as it was. */
export interface Reason {
  readonly code: string
  readonly text: string
}

/** The beginning of a body that is a text, or else only how long it is. */
export interface SeenBody {
  /** At most MAX_BODY bytes. */
  readonly text?: string
  /** Of the whole body, in bytes; absent where that is not known. */
  readonly size?: number
  /** The text is not all of it. */
  readonly isCut?: true
  /** Of a body that is no text: the SHA-256 of its bytes. */
  readonly sha256?: string
  /** Contents that stand in the text as markers, by their SHA-256: their sizes. */
  readonly contents?: ReadonlyMap<string, number>
}

/** Names in lower case. */
export type SeenHeaders = Readonly<Record<string, string>>

export interface SeenUser {
  readonly id: string
  readonly name: string
  readonly role: string
}

/** Which systems of a clinic are asked by this server. */
export type OutboundSystem = 'crm' | 'insurance' | 'messages'

/** An exchange that has ended, as it was: nothing has been taken out of it. */
export interface SeenExchange {
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
  /** The id that the client has given it. */
  readonly correlation?: string
  /** Of one that goes out: the exchange that brought it about. */
  readonly cause?: string
  /** It repeats this one. */
  readonly replayOf?: string
  readonly method: string
  /** Path and query; of one that goes out, the whole address. */
  readonly address: string
  /** The FHIR interaction, or what else was done. */
  readonly interaction?: string
  readonly type?: string
  /** Type and id. */
  readonly resource?: string
  /** The name of an operation. */
  readonly operation?: string
  readonly system?: OutboundSystem
  /** 0: there was no answer. */
  readonly status: number
  readonly outcome: ExchangeOutcome
  readonly reason?: Reason
  /** The ids of the patients whose data it was about, as far as they are known. */
  readonly patients?: readonly string[]
  /** Values that are known to be secrets: tokens, passwords and keys that it carried or the server has given out in it. */
  readonly secrets?: readonly string[]
  readonly tools?: readonly ToolExchange[]
  readonly requestHeaders: SeenHeaders
  readonly responseHeaders: SeenHeaders
  readonly requestBody?: SeenBody
  readonly responseBody?: SeenBody
}

/** `left`: the client went away before it had its answer. */
export type ExchangeOutcome = 'ok' | 'refused' | 'failed' | 'left'

/** As nginx has it: the client closed the connection. */
export const CLIENT_LEFT = 499

/** A body in the journal: a text, or what it was. */
export interface ShownBody {
  readonly text?: string
  readonly type?: string
  readonly size?: number
  readonly sha256?: string
  /** The text is the beginning of the body. */
  readonly cut?: true
  /** Something has been taken out of it, or replaced, so it is not what was sent. */
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

/** What a list shows. */
export interface ExchangeSummary
  extends Omit<
    SeenExchange,
    | 'at'
    | 'leastRole'
    | 'patients'
    | 'secrets'
    | 'tools'
    | 'requestHeaders'
    | 'responseHeaders'
    | 'requestBody'
    | 'responseBody'
    | 'clinic'
  > {
  /** FHIR instant. */
  readonly time: string
  readonly tools?: readonly ShownTool[]
}

export interface ToolDetail extends ShownTool {
  readonly arguments?: unknown
  readonly result?: unknown
}

/** What is shown of one besides. */
export interface ExchangeDetail {
  readonly request: ShownMessage
  readonly response: ShownMessage
  readonly tools?: readonly ToolDetail[]
  /** Something in its address was taken out. */
  readonly addressChanged?: true
  /** As of the exchange that was seen: a look at it is an access to their data. */
  readonly patients?: readonly string[]
}

/** In place of exchanges that are missing. */
export interface GapSummary {
  readonly gap: { readonly count: number; readonly from: string; readonly to: string; readonly why: string }
}

export type Summary = ExchangeSummary | GapSummary

export const isGap = (summary: Summary): summary is GapSummary => 'gap' in summary
