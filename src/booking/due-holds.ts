/**
 * Ends expired holds before a read: the background gets to them a moment later, and until then their slots would appear
 * to be held.
 */
import type { ClinicAccess, Context } from '../core/context.ts'
import type { BackgroundLoop, LoopPace } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { endIfExpired, HOLD } from './holds.ts'

/**
 * How long the end of the next hold is cached, in milliseconds: shorter than any hold, so that a hold created meanwhile
 * ends later.
 */
const KNOWN_FOR = 1_000
/** Most holds ended by one change. */
const AT_ONCE = 20
/** Most changes of one read; the rest is left to the background. */
const MOST_CHANGES = 5

/** Ends the expired holds of the clinic. */
export async function endDueHolds(access: ClinicAccess): Promise<void> {
  const { unit, now } = access.reader()
  const part = Math.floor(now / KNOWN_FOR)
  const next = await unit.recentAnswer(`when the next hold ends, in ${part}`, [], () => nextEnd(access.reader()))
  for (let changes = 0; next <= now && changes < MOST_CHANGES; changes++) {
    // Repeatable: a second run finds nothing to end.
    if ((await access.change(endSome, { isRepeatable: true })) < AT_ONCE) return
  }
}

/** The end of the next hold in milliseconds since 1970 UTC; infinite if nothing is held. */
async function nextEnd({ unit }: Context): Promise<number> {
  const [first] = await unit.records.due(HOLD, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  return first?.due ?? Number.POSITIVE_INFINITY
}

/** @returns the number of holds that were due */
async function endSome(ctx: Context): Promise<number> {
  const due = await ctx.unit.records.due(HOLD, { before: ctx.now, limit: AT_ONCE })
  for (const { key } of due) await endIfExpired(ctx, key)
  return due.length
}

/** Ends holds when they expire, in the background, including those that expired while no server ran. */
export const holdExpiry = (services: DueServicesOf<ClinicAccess>, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: HOLD,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => endIfExpired(ctx, id)),
      failure: 'a hold that has expired could not be ended',
    },
    pace,
  )
