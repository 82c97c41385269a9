/** The result of a tool call that failed: a code for programs, a message for developers, a sentence for the caller. */
import type { Tool } from './tool.ts'

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
