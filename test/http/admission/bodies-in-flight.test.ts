/** The memory that request bodies share: src/http/admission/bodies-in-flight.ts. */
import { describe, expect, test } from '@jest/globals'
import { BodiesInFlight, bodyRoom, type Reservation } from '../../../src/http/admission/bodies-in-flight.ts'

const ROOM = { total: 100, perClinic: 60, waiting: 3, waitMs: 60_000 }

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Undefined while it waits. */
async function tryToReserve(bodies: BodiesInFlight, clinic: string, bytes: number) {
  const outcome: { reservation?: Reservation; error?: unknown; leave: () => void } = { leave: () => abort.abort() }
  const abort = new AbortController()
  bodies.reserve(clinic, bytes, abort.signal).then(
    (reservation) => {
      outcome.reservation = reservation
    },
    (error: unknown) => {
      outcome.error = error
    },
  )
  await settled()
  return outcome
}

describe('the room for bodies', () => {
  test('is taken until it is given back, once', async () => {
    const bodies = new BodiesInFlight(ROOM)
    const reservation = await bodies.reserve('a', 60)
    expect(bodies.bytes).toBe(60)
    reservation.release()
    reservation.release()
    expect(bodies.bytes).toBe(0)
  })

  test('that a body turns out not to need is given back', async () => {
    const bodies = new BodiesInFlight(ROOM)
    const reservation = await bodies.reserve('a', 60)
    const next = await tryToReserve(bodies, 'a', 50)
    expect(next.reservation).toBeUndefined()
    reservation.shrinkTo(10)
    await settled()
    expect(next.reservation).toBeDefined()
    reservation.release()
    expect(bodies.bytes).toBe(50)
  })

  test('is never all of one clinic, so that another one finds some', async () => {
    const bodies = new BodiesInFlight(ROOM)
    await bodies.reserve('a', 40)
    expect((await tryToReserve(bodies, 'a', 40)).reservation).toBeUndefined()
    expect((await tryToReserve(bodies, 'b', 40)).reservation).toBeDefined()
  })

  test('goes to the clinic that holds the least, not to the one that came first', async () => {
    const bodies = new BodiesInFlight(ROOM)
    const first = await bodies.reserve('a', 30)
    await bodies.reserve('a', 30)
    await bodies.reserve('b', 40)
    const ofA = await tryToReserve(bodies, 'a', 30)
    const ofC = await tryToReserve(bodies, 'c', 30)
    first.release()
    await settled()
    expect([ofA.reservation, ofC.reservation]).toEqual([undefined, expect.anything()])
  })

  test('is kept for a large body that waits, though a smaller one would fit', async () => {
    const bodies = new BodiesInFlight(ROOM)
    const first = await bodies.reserve('a', 50)
    await bodies.reserve('b', 40)
    const large = await tryToReserve(bodies, 'c', 50)
    const small = await tryToReserve(bodies, 'd', 5)
    expect([large.reservation, small.reservation]).toEqual([undefined, undefined])
    first.release()
    await settled()
    expect([large.reservation, small.reservation]).toEqual([expect.anything(), expect.anything()])
  })

  test('is refused with 503 after a while, and with 429 where the clinic itself has taken its share', async () => {
    const bodies = new BodiesInFlight({ ...ROOM, waitMs: 1 })
    await bodies.reserve('a', 60)
    await bodies.reserve('b', 40)
    await expect(bodies.reserve('a', 10)).rejects.toMatchObject({
      status: 429,
      code: 'throttled',
      headers: { 'retry-after': '5', 'ratelimit-policy': '"clinic-bodies";q=60;qu="content-bytes"' },
    })
    await expect(bodies.reserve('c', 10)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(bodies.waiting).toBe(0)
  })

  test('is refused at once where too many wait', async () => {
    const bodies = new BodiesInFlight({ ...ROOM, waiting: 1 })
    await bodies.reserve('a', 60)
    await tryToReserve(bodies, 'a', 10)
    expect((await tryToReserve(bodies, 'a', 10)).error).toMatchObject({ status: 429 })
    expect(bodies.waiting).toBe(1)
  })

  test('is not kept for a client that has left, and what it held up goes on', async () => {
    const bodies = new BodiesInFlight(ROOM)
    await bodies.reserve('a', 50)
    await bodies.reserve('b', 40)
    const large = await tryToReserve(bodies, 'c', 50)
    const small = await tryToReserve(bodies, 'd', 5)
    large.leave()
    await settled()
    expect([large.error, small.reservation]).toEqual([expect.objectContaining({ reason: 'left' }), expect.anything()])
  })

  test('has place for one body of the largest size, whatever is configured', () => {
    expect(bodyRoom(64, 16)).toMatchObject({ total: 64, perClinic: 48 })
    expect(bodyRoom(16, 16)).toMatchObject({ total: 16, perClinic: 16 })
  })
})
