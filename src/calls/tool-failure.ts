/** The result of a tool call that failed: a code for programs, a message for developers, a sentence for the caller. */
import type { Tool } from './tool.ts'

/** What the agent can say, by code: nothing technical. */
const SENTENCES: Readonly<Record<string, string>> = {
  'missing-argument': 'I am missing some information for that. Could you tell me again?',
  'invalid-argument': 'Sorry, I did not get that right. Could you tell me again?',
  timeout: 'Sorry, this is taking longer than usual. Let me try again.',
  transient: 'Sorry, our system is busy at the moment. Let me try again.',
  conflict: 'Sorry, our system is busy at the moment. Let me try again.',
}

/** Staff do not learn of a failed call, so their help is not promised. */
const DEFAULT_SENTENCE = 'Sorry, I cannot do that at the moment.'

/**
 * @param tool undefined when the request names a tool that does not exist
 * @param say what fits the failure better than the sentence of its code
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
