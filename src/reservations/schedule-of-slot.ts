/** The Schedule that a Slot is of. */
import type { Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'

/** Schedule.id; undefined for one that is elsewhere. */
export function scheduleIdOf({ schedule: { reference = '' } }: Slot, baseUrl: string): string | undefined {
  const { type, id } = localReference(reference, baseUrl) ?? {}
  return type === 'Schedule' ? id : undefined
}

/** Undefined where it is elsewhere, or is not stored. */
export async function scheduleOf(ctx: Context, slot: Slot): Promise<Schedule | undefined> {
  const id = scheduleIdOf(slot, ctx.baseUrl)
  return id === undefined ? undefined : (await ctx.find<Schedule>('Schedule', id))?.resource
}
