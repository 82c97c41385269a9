/** Requests that Node cannot parse (headers of 20 kB, not HTTP at all) are refused with an OperationOutcome too. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { FHIR_JSON } from '../message/negotiate.ts'
import { DEFAULT_HEADERS } from './default-headers.ts'
import { whenClosed } from './http-response.ts'
import { REQUEST_ID } from './request-ids.ts'

/** In place of Node's own answer, which is a status without a body. */
export function answerClientErrors(server: Server): void {
  /** Connections on which a response is being sent: a refusal must not come in the middle of it. */
  const answering = new WeakSet<Duplex>()
  server.prependListener('request', ({ socket }, response) => {
    answering.add(socket)
    whenClosed(response, () => answering.delete(socket))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || answering.has(socket)) socket.destroy(error)
    else socket.end(refusal(error.code))
  })
}

function refusal(code: string | undefined): string {
  const { status, ...issue } = REFUSALS[code ?? ''] ?? NOT_HTTP
  const body = JSON.stringify(toOutcome([issue]))
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${FHIR_JSON.contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...DEFAULT_HEADERS.map(([name, value]) => `${name}: ${value}`),
    `${REQUEST_ID}: ${randomUUID()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

type Refusal = Issue & { readonly status: number }

const NOT_HTTP: Refusal = { status: 400, code: 'structure', diagnostics: 'The request is not HTTP/1.1' }

/** By Node's error code. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'too-long',
    diagnostics:
      'The address and the headers are longer than 16,384 bytes together; send a long search as a form: POST [type]/_search',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'timeout',
    diagnostics: 'The request took too long to arrive; send it again, or in smaller parts',
  },
}
