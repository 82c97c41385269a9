/**
 * The trace that a request belongs to: https://www.w3.org/TR/trace-context-2/. Ids of traces and spans are made of the ids of
 * exchanges, which are random UUIDs, so that one leads to the other.
 */

/** A span in progress. It can be sent to another thread, and be stored. */
export interface TraceContext {
  /** The id of the trace, 32 hexadecimal digits. */
  readonly trace: string
  /** The id of the span, 16 hexadecimal digits; of one that is not recorded, the span that the client named. */
  readonly span: string
  /** The span that caused it; absent: it is the first one of its trace, or is not recorded. */
  readonly parent?: string
  /** As in the header: the bits are `sampled` and `random`. */
  readonly flags: number
  /** The span is exported. */
  readonly isRecorded: boolean
}

/** Whether the spans of a new trace are recorded; absent: this server records none, and passes on what it was given. */
export type Sampling = (trace: string) => boolean

/** A part of a request that has ended, as a span. */
export interface EndedSpan {
  readonly name: string
  readonly context: TraceContext
  /** When it began, milliseconds since 1970 UTC, and its length in milliseconds. */
  readonly at: number
  readonly duration: number
  readonly attributes: Readonly<Record<string, string>>
}

const [SAMPLED, RANDOM] = [0b01, 0b10]

/** Later versions may have more fields behind these. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})($|-)/
const LENGTH = 55

type Given = Pick<TraceContext, 'trace' | 'span' | 'flags'>

/** Undefined for a header that is malformed. */
function given(traceparent: string): Given | undefined {
  const [, version, trace, span, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (trace === undefined || span === undefined || flags === undefined) return undefined
  if (version === '00' && traceparent.length > LENGTH) return undefined
  return { trace, span, flags: Number.parseInt(flags, 16) & (SAMPLED | RANDOM) }
}

/**
 * The context of an exchange: its part in the trace of its client, or in a new one.
 * @param id the UUID of the exchange
 * @param traceparent absent, or malformed: a new trace begins
 */
export function traceOf(id: string, sampling: Sampling | undefined, traceparent?: string): TraceContext {
  const parent = traceparent === undefined ? undefined : given(traceparent)
  if (parent === undefined) return newTrace(id, sampling)
  const context = { ...parent, isRecorded: sampling !== undefined && (parent.flags & SAMPLED) !== 0 }
  return childOf(context, id)
}

function newTrace(id: string, sampling: Sampling | undefined): TraceContext {
  const trace = id.replaceAll('-', '')
  const isRecorded = sampling?.(trace) ?? false
  return { trace, span: spanOf(id), flags: isRecorded ? RANDOM | SAMPLED : RANDOM, isRecorded }
}

/** @param id the UUID of what begins within it */
export const childOf = (context: TraceContext, id: string): TraceContext =>
  context.isRecorded ? { ...context, span: spanOf(id), parent: context.span } : context

/** The last 16 digits of a UUID, of which all but two bits are random. */
const spanOf = (id: string): string => id.replaceAll('-', '').slice(-16)

/** The header with which a request belongs to it. */
export const traceparentOf = ({ trace, span, flags }: TraceContext): string =>
  `00-${trace}-${span}-${flags.toString(16).padStart(2, '0')}`

/** The fields of a log line: https://opentelemetry.io/docs/specs/otel/compatibility/logging_trace_context/ */
export const logFieldsOf = ({
  trace,
  span,
}: TraceContext): { readonly trace_id: string; readonly span_id: string } => ({
  trace_id: trace,
  span_id: span,
})
