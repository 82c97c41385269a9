/** A live-call tool: an operation invoked on its type, with the place where its arguments are checked; and its result when it fails. */
import type { Operation } from '../core/operation.ts'

export interface Tool {
  readonly operation: Operation
  /**
   * `definition`: the arguments are checked against the OperationDefinition, and the handler runs only if all are
   * valid. `handler`: it receives every argument named by the definition, unchecked, and reports on each itself.
   */
  readonly argumentsCheckedBy: 'definition' | 'handler'
}

/** Tools by name, as in `POST /{family}/{name}`. */
export type ToolFamily = Readonly<Record<string, Tool>>

/** Tool families by name, the first segment of their path. */
export type ToolFamilies = Readonly<Record<string, ToolFamily>>

/** @param operation callable on its type (`OperationDefinition.type`); a provider must declare it too */
export const defineTool = (
  operation: Operation,
  { argumentsCheckedBy = 'definition' }: Partial<Omit<Tool, 'operation'>> = {},
): Tool => ({ operation, argumentsCheckedBy })

/** Sentences for the agent to say, by code; nothing technical. */
const SENTENCES: Readonly<Record<string, string>> = {
  'missing-argument': 'I am missing some information for that. Could you tell me again?',
  'invalid-argument': 'Sorry, I did not get that right. Could you tell me again?',
  timeout: 'Sorry, this is taking longer than usual. Let me try again.',
  transient: 'Sorry, our system is busy at the moment. Let me try again.',
  conflict: 'Sorry, our system is busy at the moment. Let me try again.',
}

/** Promises no help from staff, as they do not hear of a failed call. */
const DEFAULT_SENTENCE = 'Sorry, I cannot do that at the moment.'

/**
 * The result of a tool call that failed: a code for programs, a message for developers, a sentence for the caller.
 * @param tool undefined if the request names a tool that does not exist
 * @param say a sentence that fits the failure better than that of its code
 */
export function failure(tool: Tool | undefined, code: string, error: string, say?: string): object {
  const reportsValidity = tool?.operation.definition.parameter?.some(
    ({ name, use }) => name === 'valid' && use === 'out',
  )
  return {
    ...(reportsValidity ? { valid: false } : { success: false }),
    code,
    error,
    say: say ?? SENTENCES[code] ?? DEFAULT_SENTENCE,
  }
}
