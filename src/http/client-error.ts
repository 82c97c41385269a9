/** Requests that Node cannot parse (headers of 20 kB, not HTTP at all) are refused with an OperationOutcome too. */
import { randomUUID } from 'node:crypto'
import { type Server, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Issue, toOutcome } from '../fhir/outcome.ts'
import { answersOn, type ConnectionAnswers } from './connections.ts'
import { DEFAULT_HEADERS, REQUEST_ID } from './headers.ts'
import { MAX_BYTES, MAX_MS } from './message/body.ts'
import { FHIR_JSON } from './message/format.ts'

/** Replaces Node's own response, which is a status without a body. */
export function answerClientErrors(server: Server): void {
  /** Bytes read from each refused connection before its refusal. */
  const refused = new WeakMap<Duplex, number>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const before = refused.get(socket)
    if (before !== undefined && isOfParser(error)) {
      if (bytesRead(socket) - before > MAX_BYTES) socket.destroy()
      return
    }
    const answers = answersOn(socket)
    // A refusal must not come in the middle of a response.
    if (!socket.writable || (answers !== undefined && !isAboutIt(answers))) {
      socket.destroy(error)
      return
    }
    refused.set(socket, bytesRead(socket))
    socket.end(refusal(error.code, answers === undefined ? NOT_HTTP : BROKEN_BODY))
    readOn(socket)
  })
}

/**
 * Reads on; the parser discards what still arrives, as it finds the same error in it. A connection that is closed with
 * bytes unread is reset, and its client never reads the response.
 */
function readOn(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), MAX_MS).unref()
  socket.once('close', () => clearTimeout(timer))
  socket.resume()
}

const bytesRead = (socket: Duplex): number => (socket instanceof Socket ? socket.bytesRead : 0)

const isOfParser = ({ code }: NodeJS.ErrnoException): boolean => code?.startsWith('HPE_') === true

/**
 * Whether an error is about the one waiting request, and can be its response: its body breaks off, or takes too long.
 */
const isAboutIt = ({ waiting, last: { headersSent, req } }: ConnectionAnswers): boolean =>
  waiting === 1 && !headersSent && !req.complete

/** @param other for unknown codes */
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
  HPE_INVALID_URL: {
    status: 400,
    code: 'invalid',
    diagnostics:
      'The address has a character that must be percent-encoded as the bytes of its UTF-8: %C3%B6 for ö, %20 for a space (RFC 3986)',
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
