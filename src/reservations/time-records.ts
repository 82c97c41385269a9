/**
 * A record for each actor and hour of the week. Changes that reserve, free or offer the actor's time in that hour write
 * it, so that of two concurrent ones, one is retried and sees the other.
 */
import type { Context } from '../core/context.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Reservation } from './reservation.ts'

const RESERVED_TIME = recordKind<ReservedTime>('reserved-time')

/** Empty, as only its version matters. */
type ReservedTime = Readonly<Record<string, never>>

const HOUR = 3_600_000
const HOURS_OF_WEEK = 168

/** Must be called before the visits at that time are looked up. */
export async function claimTime({ unit: { records } }: Context, { actors, start, end }: Reservation): Promise<void> {
  const first = Math.floor(start / HOUR)
  const hours = Math.min(HOURS_OF_WEEK, Math.ceil(end / HOUR) - first)
  const keys = Array.from(actors, (actor) =>
    Array.from({ length: hours }, (_, index) => `${actor} ${(first + index) % HOURS_OF_WEEK}`),
  )
  await Promise.all(
    keys.flat().map(async (key) => {
      await records.read(RESERVED_TIME, key)
      records.put(RESERVED_TIME, key, {})
    }),
  )
}
