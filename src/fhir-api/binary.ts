/** The differences of a Binary, which is sent as the bytes that it is: between http.ts and the files of fhir-api/message. */
import type { Binary } from 'fhir/r4'
import type { Context as KoaContext } from 'koa'
import { FHIR_JSON, negotiateContent, type Preferences } from '../http/message/negotiate.ts'
import { headerOf } from '../http/message/path-segment.ts'
import type { Versioned } from '../repository/repository.ts'
import type { InteractionRequest, InteractionResponse } from './message/interaction.ts'
import { contentTypeOfBinary, sendBytes } from './message/native-binary.ts'
import { send } from './message/response.ts'
import { subsetText } from './message/summary.ts'

const WITHOUT_DATA = { summary: undefined, elements: ['contentType', 'securityContext'] } as const

/**
 * Leaves out the base64 of a file that the client has just sent, unless the client requests it.
 * @param preferred the Prefer header
 */
export function withoutData(
  { raw }: InteractionRequest,
  response: InteractionResponse,
  preferred: string,
): InteractionResponse {
  const { resource } = response
  if (raw === undefined || resource === undefined || /(?:^|[,;\s])return\s*=/i.test(preferred)) return response
  return { ...response, text: subsetText(resource.text, 'Binary', WITHOUT_DATA) }
}

interface BinaryAnswer {
  readonly clinic: string
  readonly wanted: Preferences['return']
}

/**
 * Answers a read: with the bytes, or with the resource.
 * @throws FhirError 406 when the client accepts neither, 416 for a range that there is not
 */
export async function sendBinary(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { clinic, wanted }: BinaryAnswer,
): Promise<void> {
  const binary = response.resource as Versioned<Binary> | undefined
  if (response.status !== 200 || binary === undefined) return send(koa, request, response, FHIR_JSON, wanted)
  const format = negotiateContent(headerOf(koa, 'accept') ?? '', contentTypeOfBinary(binary.resource))
  if (format !== undefined) return send(koa, request, response, format, wanted)
  await sendBytes(koa, binary, { clinic, contents: request.services.contents })
}
