/**
 * Deliveries to the simulators, which staff may look into: as no phone, inbox or CRM is behind a simulator, the newest that
 * it has taken are kept. docs/simulators.md
 */
import { SIMULATOR } from '../../clinics/setting-checks.ts'
import { type ClinicSettings, readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { messageIdOf, type OutboxRow } from './rows.ts'

/** Rows of the state `sent`. */
export const SIMULATED = recordKind<OutboxRow>('simulated-delivery')

/** Deliveries of a clinic that are kept, and a few more: older ones are removed with one delivery in sixteen. */
export const MOST_KEPT = 100
/** Message ids with which older deliveries are removed: their last digit is random. */
const REMOVES_OLDER = /0$/
/** Older deliveries that one removes, where there are more. */
const MOST_REMOVED = 100

export const isForSimulator = ({ crm, messages }: ClinicSettings, { message, subscription }: OutboxRow): boolean =>
  subscription === undefined && (message === undefined ? crm : messages)?.url === SIMULATOR

/** Stages what a simulator has taken, and the removal of the oldest; does nothing for any other system. */
export async function keepSimulated(ctx: Context, row: OutboxRow): Promise<void> {
  if (!isForSimulator(await readSettings(ctx.unit, ctx.clinic), row)) return
  const { records } = ctx.unit
  const { call: _call, task: _task, reason: _reason, ...rest } = row
  records.put(SIMULATED, messageIdOf(row), { ...rest, state: 'sent', sentAt: ctx.now } as OutboxRow, { expect: 'any' })
  if (REMOVES_OLDER.test(messageIdOf(row))) await removeOlder(ctx, messageIdOf(row))
}

async function removeOlder({ unit: { records } }: Context, messageId: string): Promise<void> {
  const stored = await records.list(SIMULATED, { after: '', limit: MOST_KEPT + MOST_REMOVED })
  // A later one has a smaller id.
  const keys = [...stored.map(({ key }) => key), messageId].sort()
  for (const key of keys.slice(MOST_KEPT)) records.delete(SIMULATED, key, { expect: 'any' })
}
