/** The live-call tools as the server lists them, and calls of them. */
import { useQuery } from '@tanstack/react-query'
import { type ApiAnswer, exchange, get } from './client.ts'
import { isRecord, problemOf } from './problem.ts'

export interface Tool {
  readonly name: string
  readonly description?: string
  /** `/patient-journey/resolve_patient_identity` */
  readonly path: string
  /** `OperationDefinition/patient-resolve-patient-identity` */
  readonly operation: string
  /** JSON Schema. */
  readonly parameters: {
    readonly properties: Readonly<Record<string, { readonly type: string; readonly description?: string }>>
    readonly required: readonly string[]
  }
}

interface ToolList {
  readonly families: readonly { readonly name: string; readonly tools: readonly Tool[] }[]
}

export const useTools = () =>
  useQuery({
    queryKey: ['tools'],
    queryFn: ({ signal }) => get<ToolList>('tools', signal),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The headers that name a call, and open it. */
export interface Line {
  readonly secret: string
  readonly callId: string
  readonly dialled: string
  readonly caller: string
}

export const headersOf = ({ secret, callId, dialled, caller }: Line): Readonly<Record<string, string>> => ({
  'x-voice-secret': secret,
  ...(callId === '' ? {} : { 'x-call-id': callId }),
  ...(dialled === '' ? {} : { 'x-call-to': dialled }),
  ...(caller === '' ? {} : { 'x-call-from': caller }),
})

/** @throws Problem where the response is not a success */
export async function sendOnCall(line: Line, path: string, body: unknown): Promise<ApiAnswer> {
  const answer = await exchange({ method: 'POST', path, body, headers: headersOf(line) })
  if (answer.status >= 400) throw problemOf(answer.status, answer.body)
  return answer
}

/** The envelope of tool calls of one tool. */
export const envelopeOf = (calls: readonly object[]) => ({
  message: {
    toolCalls: calls.map((args, index) => ({ id: `${Date.now()}-${index + 1}`, function: { arguments: args } })),
  },
})

/** The results in a response, decoded. */
export function resultsIn(body: unknown): readonly Readonly<Record<string, unknown>>[] {
  const { results } = isRecord(body) ? body : {}
  return (Array.isArray(results) ? results : []).map((one) => {
    const text = isRecord(one) && typeof one.result === 'string' ? one.result : '{}'
    const result: unknown = JSON.parse(text)
    return isRecord(result) ? result : {}
  })
}
