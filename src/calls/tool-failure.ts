/** A tool call that failed, as its result: the reason for the program, a message for its developer, a sentence to speak. */
import type { Tool } from './tool.ts'

/** What the agent can say, by code; the caller is told nothing technical. */
const SENTENCES: Readonly<Record<string, string>> = {
  'missing-argument': 'I am missing some information for that. Could you tell me again?',
  'invalid-argument': 'Sorry, I did not get that right. Could you tell me again?',
  timeout: 'Sorry, this is taking longer than usual. Let me try again.',
  transient: 'Sorry, our system is busy at the moment. Let me try again.',
  conflict: 'Sorry, our system is busy at the moment. Let me try again.',
}
/** Nobody is told of a failure, so no help of the staff is promised. */
const OTHERWISE = 'Sorry, I cannot do that at the moment.'

/** @param tool undefined where the request names none that exists */
export function failure(tool: Tool | undefined, code: string, error: string): object {
  const validates = tool?.operation.definition.parameter?.some(({ name, use }) => name === 'valid' && use === 'out')
  return { ...(validates ? { valid: false } : { success: false }), code, error, say: SENTENCES[code] ?? OTHERWISE }
}
