/** What is no HTTP that a handler can be given (a header of 20 kB, not HTTP at all): refused as everything else is. */
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { FHIR_JSON } from '../message/negotiate.ts'

/** Answers in place of Node, which would send a status alone. */
export function refuseNoRequest(server: Server): void {
  /** A refusal must not come in the middle of an answer. */
  const answering = new WeakSet<Duplex>()
  server.prependListener('request', ({ socket }, response) => {
    answering.add(socket)
    response.once('close', () => answering.delete(socket))
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
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

type Refusal = Issue & { readonly status: number }

const NOT_HTTP: Refusal = { status: 400, code: 'structure', diagnostics: 'The request is not HTTP/1.1' }

/** By what Node calls them. */
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
