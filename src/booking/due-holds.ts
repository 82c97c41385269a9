/**
 * Holds that have expired end before anybody reads: the background comes to them a moment later, and until then their slots
 * would be told to be held.
 */
import type { ClinicAccess, Context } from '../core/context.ts'
import type { BackgroundLoop, LoopPace } from '../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../repository/due-records.ts'
import { endIfExpired, HOLD } from './holds.ts'

/** Milliseconds that what is known of the next hold is good for: shorter than any hold, so one that begins meanwhile ends later. */
const KNOWN_FOR = 1_000
/** Holds that one change ends. */
const AT_ONCE = 20
/** More are left to the background. */
const MOST_CHANGES = 5

/** Ends what has expired in the clinic. */
export async function endDueHolds(access: ClinicAccess): Promise<void> {
  const { unit, now } = access.reader()
  const part = Math.floor(now / KNOWN_FOR)
  const next = await unit.recentAnswer(`when the next hold ends, in ${part}`, [], () => nextEnd(access.reader()))
  for (let changes = 0; next <= now && changes < MOST_CHANGES; changes++) {
    // Whoever ends them a second time finds nothing to do.
    if ((await access.change(endSome, { isRepeatable: true })) < AT_ONCE) return
  }
}

/** Milliseconds since 1970 UTC; infinite where nothing is held. */
async function nextEnd({ unit }: Context): Promise<number> {
  const [first] = await unit.records.due(HOLD, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  return first?.due ?? Number.POSITIVE_INFINITY
}

/** @returns how many there were */
async function endSome(ctx: Context): Promise<number> {
  const due = await ctx.unit.records.due(HOLD, { before: ctx.now, limit: AT_ONCE })
  for (const { key } of due) await endIfExpired(ctx, key)
  return due.length
}

/** Milliseconds until the end of a hold is tried again after a fault. */
const LEASE = 15_000

export interface HoldExpiryServices extends DueServices {
  readonly accessOf: (clinic: string) => ClinicAccess
}

export const holdExpiry = (services: HoldExpiryServices, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: HOLD,
      lease: LEASE,
      finish: (clinic, id) => services.accessOf(clinic).change((ctx) => endIfExpired(ctx, id)),
      failure: 'a hold that has expired could not be ended',
    },
    pace,
  )
