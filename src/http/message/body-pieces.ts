/** The body of a request in the pieces in which it comes, for those who neither need it whole nor have room for it. */
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../../fhir/outcome.ts'

type Request = Pick<KoaContext, 'req' | 'state'>

/** How a body begins. */
export interface Beginning {
  /** As many bytes as were asked for, or a few more where the body has them. */
  readonly bytes: Buffer
  /** It is the whole body. */
  readonly isAll: boolean
}

/** The next pieces. Who stops early can read on, or leave the rest to `discardRest`. @throws FhirError 400 for a body that breaks off */
export async function* bodyPieces({ req, state }: Request): AsyncGenerator<Buffer> {
  if (state.givenBack !== undefined) return yield state.givenBack
  try {
    // The default would close the connection when it is left early, and so keep the answer from the client.
    for await (const piece of req.iterator({ destroyOnReturn: false })) yield piece
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

/** What was read can be read again, as if it had not been. */
export function giveBack({ req, state }: Request, { bytes, isAll }: Beginning): void {
  // To what has ended nothing can be added.
  if (isAll) state.givenBack = bytes
  else req.unshift(bytes)
}

export async function* withRest(koa: Request, { bytes, isAll }: Beginning): AsyncGenerator<Buffer> {
  yield bytes
  if (!isAll) yield* bodyPieces(koa)
}
