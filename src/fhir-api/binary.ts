/** The bodies of a Binary, which comes and is sent as the bytes that it is: https://hl7.org/fhir/R4/binary.html#rest. */
import type { Binary } from 'fhir/r4'
import type { Context as KoaContext } from 'koa'
import { headerOf } from '../http/headers.ts'
import { FHIR_JSON, negotiateContent } from '../http/message/format.ts'
import type { Versioned } from '../repository/repository.ts'
import { type Answering, type Bodies, RESOURCES, send } from './message/http.ts'
import type { InteractionRequest, InteractionResponse } from './message/interaction.ts'
import { contentTypeOfBinary, givesBytes, sendBytes } from './message/native-binary.ts'
import { receiveRaw, takesBytes } from './message/raw-binary.ts'
import { subsetText } from './message/summary.ts'

export const BINARIES: Bodies = {
  // The type of bytes is known once they are read.
  formatOf: (koa, route, query) => (givesBytes(route, query) ? undefined : RESOURCES.formatOf(koa, route, query)),
  read: async (koa, route, receiver) => {
    const raw = takesBytes(route) ? await receiveRaw(koa, receiver.id, receiver) : undefined
    return raw === undefined ? await RESOURCES.read(koa, route, receiver) : { body: raw.resource, raw }
  },
  send: sendBinary,
}

const WITHOUT_DATA = { summary: undefined, elements: ['contentType', 'securityContext'] } as const

/**
 * Leaves out the base64 of a file that the client has just sent, unless the client requests it.
 * @param preferred the Prefer header
 */
function withoutData(
  { raw }: InteractionRequest,
  response: InteractionResponse,
  preferred: string,
): InteractionResponse {
  const { resource } = response
  if (raw === undefined || resource === undefined || /(?:^|[,;\s])return\s*=/i.test(preferred)) return response
  return { ...response, text: subsetText(resource.text, 'Binary', WITHOUT_DATA) }
}

/**
 * Answers with the resource, or, where a read has no format yet, with the bytes if the client accepts them.
 * @throws FhirError 406 when the client accepts neither, 416 for a range that there is not
 */
async function sendBinary(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { clinic, wanted, preferred, format }: Answering,
): Promise<void> {
  if (format !== undefined) return send(koa, request, withoutData(request, response, preferred), format, wanted)
  const binary = response.resource as Versioned<Binary> | undefined
  if (response.status !== 200 || binary === undefined) return send(koa, request, response, FHIR_JSON, wanted)
  const asked = negotiateContent(headerOf(koa, 'accept') ?? '', contentTypeOfBinary(binary.resource))
  if (asked !== undefined) return send(koa, request, response, asked, wanted)
  await sendBytes(koa, binary, { clinic, contents: request.services.contents })
}
