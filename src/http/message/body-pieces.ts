/** The body of a request in the pieces in which it arrives, for a Binary that is received as its bytes. */
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../../fhir/outcome.ts'
import { stateOf } from '../exchange.ts'

type Request = Pick<KoaContext, 'req' | 'state'>

/** The beginning of a body. */
export interface Beginning {
  /** As many bytes as requested, or a few more where the body has them. */
  readonly bytes: Buffer
  /** It is the whole body. */
  readonly isAll: boolean
}

/**
 * The next pieces. A caller that stops early can read on later, or leave the rest to `discardRest`.
 * @throws FhirError 400 for a body that breaks off
 */
async function* bodyPieces(koa: Request): AsyncGenerator<Buffer> {
  try {
    // The default would close the connection when the loop is left early, so that the client would never get the
    // response.
    for await (const piece of koa.req.iterator({ destroyOnReturn: false })) yield piece
  } catch {
    throw badRequest('The body ended before its announced length')
  }
}

/** @param length bytes */
export async function beginningOf(koa: Request, length: number): Promise<Beginning> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of bodyPieces(koa)) {
    pieces.push(piece)
    size += piece.length
    if (size >= length) break
  }
  const { complete, readableLength } = koa.req
  return { bytes: Buffer.concat(pieces), isAll: complete && readableLength === 0 }
}

/** Makes the bytes readable again. */
export function giveBack(koa: Request, { bytes, isAll }: Beginning): void {
  // Nothing can be added to a stream that has ended: the body has been received (see receivedBytes).
  if (isAll) stateOf(koa).bodyBytes = Promise.resolve(bytes)
  else koa.req.unshift(bytes)
}

export async function* withRest(koa: Request, { bytes, isAll }: Beginning): AsyncGenerator<Buffer> {
  yield bytes
  if (!isAll) yield* bodyPieces(koa)
}
