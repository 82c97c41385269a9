/** Reading request bodies: size, depth, media type and JSON syntax, each with its own clear error. */
import type { Context as KoaContext } from 'koa'
import getRawBody from 'raw-body'
import { parseJson } from '../fhir/json.ts'
import { badRequest, FhirError } from '../fhir/outcome.ts'
import { headerOf } from './header.ts'

/** The body as text. @throws FhirError 413 when it is larger than `limitBytes`. */
export async function readBody(koa: KoaContext, limitBytes: number): Promise<string> {
  const length = Number(headerOf(koa, 'content-length')) || undefined
  const encoding = headerOf(koa, 'content-encoding') ?? 'identity'
  if (encoding !== 'identity') {
    throw new FhirError(415, {
      code: 'not-supported',
      diagnostics: `Content-Encoding ${encoding} is not supported; send the body uncompressed`,
    })
  }
  try {
    return await getRawBody(koa.req, {
      limit: limitBytes,
      encoding: 'utf8',
      ...(length === undefined ? {} : { length }),
    })
  } catch (error) {
    throw bodyError(error, limitBytes)
  }
}

function bodyError(error: unknown, limitBytes: number): FhirError {
  const type = error instanceof Error && 'type' in error ? error.type : ''
  if (type === 'entity.too.large') {
    // The rest of the body is not read: the connection can't be used again.
    return new FhirError(
      413,
      { code: 'too-long', diagnostics: `The body is larger than ${limitBytes} bytes, the most this server takes` },
      { connection: 'close' },
    )
  }
  return badRequest('The body ended before its announced length')
}

/** @throws FhirError 400 saying where the text stops being JSON, or that it is nested too deeply. */
export function parseBody(text: string, maxDepth: number): unknown {
  if (text.trim() === '') throw badRequest('The body is empty; it must be a JSON document')
  checkDepth(text, maxDepth)
  try {
    return parseJson(text)
  } catch (error) {
    throw badRequest(`The body is not JSON: ${syntaxProblem(error)}`)
  }
}

// V8 quotes a piece of the text in its messages, which may be patient data: only the position is passed on.
function syntaxProblem(error: unknown): string {
  const position = /position (\d+)(?: \(line (\d+) column (\d+)\))?/.exec(error instanceof Error ? error.message : '')
  if (position === null) return 'it ends too early or has a syntax error'
  return position[2] === undefined
    ? `syntax error at character ${position[1]}`
    : `syntax error in line ${position[2]}, column ${position[3]}`
}

/** A scan before the parse, so that a hostile body can't exhaust the stack of what walks it later. */
function checkDepth(text: string, maxDepth: number): void {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    if (depth > maxDepth)
      throw badRequest(`The body is nested deeper than ${maxDepth} levels, the most this server takes`)
  }
}

/** Where the string that begins at `start` ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
