/** Requests that Node cannot parse (headers of 20 kB, not HTTP at all) are refused with an OperationOutcome too. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { FHIR_JSON } from '../message/negotiate.ts'
import { DEFAULT_HEADERS } from './default-headers.ts'
import { answersOn, type ConnectionAnswers } from './pipelining.ts'
import { REQUEST_ID } from './request-ids.ts'
import { throwAway } from './unread-body.ts'

/** In place of Node's own answer, which is a status without a body. */
export function answerClientErrors(server: Server): void {
  const refused = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // Node goes on parsing what is thrown away.
    if (refused.has(socket) && isOfParser(error)) return
    const answers = answersOn(socket)
    // A refusal must not come in the middle of a response.
    if (!socket.writable || (answers !== undefined && !isAboutIt(answers))) {
      socket.destroy(error)
      return
    }
    refused.add(socket)
    socket.end(refusal(error.code, answers === undefined ? NOT_HTTP : BROKEN_BODY))
    throwAway(socket)
  })
}

const isOfParser = ({ code }: NodeJS.ErrnoException): boolean => code?.startsWith('HPE_') === true

/** Whether an error is about the one request that waits, and can be its answer: its body breaks off, or takes too long. */
const isAboutIt = ({ waiting, last: { headersSent, req } }: ConnectionAnswers): boolean =>
  waiting === 1 && !headersSent && !req.complete

/** @param other for what the code does not say */
function refusal(code: string | undefined, other: Refusal): string {
  const { status, ...issue } = REFUSALS[code ?? ''] ?? other
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

const BROKEN_BODY: Refusal = {
  status: 400,
  code: 'structure',
  diagnostics:
    'The body cannot be read, as its chunks are broken (Transfer-Encoding: chunked); nothing was changed, so send all of it again',
}

/** By Node's error code. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'too-long',
    diagnostics:
      'The address and the headers are longer than 16,384 bytes together; send a long search as a form: POST [type]/_search',
  },
  HPE_INVALID_EOF_STATE: {
    status: 400,
    code: 'invalid',
    diagnostics: 'The request ended before its announced length; nothing was changed, so send all of it again',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'timeout',
    diagnostics: 'The request took too long to arrive; send it again, or in smaller parts',
  },
}
