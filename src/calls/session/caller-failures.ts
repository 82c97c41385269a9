/**
 * Failed verifications by the caller's number, so that whoever hangs up and calls again has no more attempts than in one
 * call. Callers without a number have only those of each call.
 */
import { hash } from 'node:crypto'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'

export interface CallerFailures {
  /** Milliseconds since 1970 UTC, the earliest first. */
  readonly at: readonly number[]
}

const CALLER_FAILURES = recordKind<CallerFailures>('caller-failures')

/** Milliseconds that a failure counts. */
const WINDOW = 24 * 3_600_000
/** Records deleted with each that is written. */
const CLEARED = 20

/** How many there are of this caller. Read in the change that counts another, which then meets a conflict with others. */
export const failuresOfCaller = async (ctx: Context, call: CallSession): Promise<number> =>
  (await recentFailures(ctx, call)).length

/** Stages one more. */
export async function countFailureOfCaller(ctx: Context, call: CallSession): Promise<void> {
  const key = keyOf(call)
  if (key === undefined) return
  const at = [...(await recentFailures(ctx, call)), ctx.now]
  const { records } = ctx.unit
  for (const old of await records.due(CALLER_FAILURES, { before: ctx.now, limit: CLEARED }))
    if (old.key !== key) records.delete(CALLER_FAILURES, old.key, { expect: old.version })
  records.put(CALLER_FAILURES, key, { at }, { due: ctx.now + WINDOW })
}

async function recentFailures({ unit, now }: Context, call: CallSession): Promise<readonly number[]> {
  const key = keyOf(call)
  const record = key === undefined ? undefined : await unit.records.read(CALLER_FAILURES, key)
  return (record?.value.at ?? []).filter((time) => time > now - WINDOW)
}

const keyOf = ({ callerNumber }: CallSession): string | undefined =>
  callerNumber === undefined ? undefined : hash('sha256', callerNumber)
