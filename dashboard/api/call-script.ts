/** The script of a phone call: a JSON file of tool calls in order, such as examples/scheduling-call.json. */
import { errorText, isRecord } from './problem.ts'

export interface PlayedCall {
  readonly description: string
  /** The requests name no call, so they are of the default call of the demo. */
  readonly isDefaultCall?: boolean
  /** Headers of every request, besides those that name the call. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of POST /abandonments, sent before all else; `{{abandonment.id}}` in `register` is its id. */
  readonly abandonment?: Readonly<Record<string, unknown>>
  /**
   * The body of POST /calls before the first step, without the id: `{"dialedNumber": "+12125550100"}`; absent: not
   * sent.
   */
  readonly register?: Readonly<Record<string, unknown>>
  /**
   * The body of POST /calls/{id}/end after the last step: `{"reason": "…"}`; absent: a call ends where a step says so.
   */
  readonly end?: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
}

export type Step = ToolStep | EndStep | SearchStep

interface InCall {
  /**
   * The name of the call, where it is not the first one; it is registered and ended as that is, and `{{calls.name}}` is
   * its id.
   */
  readonly call?: string
  /** Seconds between the step before and this one, as they were recorded; absent: as long as speaking takes. */
  readonly after?: number
}

export interface ToolStep extends InCall {
  /** The caller's words. */
  readonly caller?: string
  /** The name by which later steps refer to the result: {{name.slots.0.slotKey}}. */
  readonly as?: string
  readonly tool: string
  /** The family of the tool, if different from that on the command line. */
  readonly family?: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Expected content of the result, which may hold more. */
  readonly expect?: Readonly<Record<string, unknown>>
}

export interface EndStep extends InCall {
  /** The body of POST /calls/{id}/end. */
  readonly end: Readonly<Record<string, unknown>>
}

/** A search over FHIR, as staff make it. */
export interface SearchStep extends InCall {
  readonly as?: string
  /** The type of the resources. */
  readonly search: string
  readonly query: Readonly<Record<string, string>>
  /**
   * Expected content of the Bundle, which may hold more: `{"total": 1, "entry": [{"resource": {"birthDate":
   * "1980-03-03"}}]}`.
   */
  readonly expect: Readonly<Record<string, unknown>>
}

/** Most steps of a script, and most characters of its file. */
export const MAX_STEPS = 1_000
const MAX_TEXT = 2_000_000

/**
 * Reads the text of a file.
 * @throws Error naming what is no script of a call, and what would be one
 */
export function readScript(text: string): PlayedCall {
  if (text.length > MAX_TEXT) throw notScript(`it has ${text.length} characters, and ${MAX_TEXT} are the most`)
  const script = parsed(text)
  if (!isRecord(script)) throw notScript('it must be an object with a list "steps"')
  const { steps } = script
  if (!Array.isArray(steps)) throw notScript('it has no list "steps"')
  if (steps.length > MAX_STEPS) throw notScript(`it has ${steps.length} steps, and ${MAX_STEPS} are the most`)
  const wrong = steps.findIndex((step) => !isStep(step))
  if (wrong >= 0)
    throw notScript(
      `step ${wrong + 1} must have "tool" and "arguments", "search", "query" and "expect", or "end"; "after" is a number of seconds`,
    )
  return script as unknown as PlayedCall
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw notScript(`it is no JSON (${errorText(error)})`)
  }
}

const notScript = (why: string): Error => new Error(`The file is no script of a call: ${why}`)

function isStep(step: unknown): step is Step {
  if (!isRecord(step) || !(step.after === undefined || typeof step.after === 'number')) return false
  if (typeof step.tool === 'string') return isRecord(step.arguments)
  if (typeof step.search === 'string') return isRecord(step.query) && isRecord(step.expect)
  return isRecord(step.end)
}
