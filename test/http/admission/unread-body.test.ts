/** Bodies of refused requests are thrown away as they come, and leave the event loop to other requests meanwhile. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { discardRest, MAX_BYTES } from '../../../src/http/message/body.ts'

const PIECE = 64 * 1024
/** Bytes: the most read of one body in a turn of the event loop, with those its stream reads ahead. */
const MOST_OF_A_TURN = 6 * PIECE

const requests: Readable[] = []
afterEach(() => {
  for (const request of requests.splice(0)) request.destroy()
})

/** A body that is there as fast as it is read. */
class Body {
  read = 0
  readonly stream: Readable

  constructor(length: number) {
    const next = () => {
      this.read += PIECE
      this.stream.push(this.read <= length ? Buffer.alloc(PIECE) : null)
    }
    this.stream = new Readable({ highWaterMark: PIECE, read: next })
    requests.push(this.stream)
  }
}

function discard(body: Body, clinic = 'one'): void {
  const req = Object.assign(body.stream, { complete: false, headers: { 'transfer-encoding': 'chunked' } })
  discardRest({ req: req as unknown as IncomingMessage, state: { holder: clinic } } as Parameters<
    typeof discardRest
  >[0])
}

/** Bytes that were read of all while the event loop went round once. */
async function readInOneTurn(bodies: readonly Body[]): Promise<number> {
  const sum = () => bodies.reduce((total, { read }) => total + read, 0)
  const before = sum()
  await nextTurn()
  return sum() - before
}

test('in a turn of the event loop, a part of one body is thrown away, however many there are', async () => {
  const bodies = Array.from({ length: 20 }, () => new Body(100 * MOST_OF_A_TURN))
  for (const body of bodies) discard(body)
  // Each begins at once.
  expect(await readInOneTurn(bodies)).toBeLessThanOrEqual(20 * MOST_OF_A_TURN)
  for (let turn = 0; turn < 50; turn += 1) expect(await readInOneTurn(bodies)).toBeLessThanOrEqual(MOST_OF_A_TURN)
})

test('a body of another clinic does not wait behind many', async () => {
  const many = Array.from({ length: 100 }, () => new Body(100 * MOST_OF_A_TURN))
  for (const body of many) discard(body, 'many')
  const one = new Body(10 * PIECE)
  discard(one, 'other')
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
  expect(one.stream.readableEnded).toBe(true)
})

test('what is longer than may be thrown away ends its connection', async () => {
  const body = new Body(2 * MAX_BYTES)
  discard(body)
  while (!body.stream.destroyed) await nextTurn()
  expect(body.read).toBeLessThan(MAX_BYTES + MOST_OF_A_TURN)
})
