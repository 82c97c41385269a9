/** The Schedule of a Slot. */
import type { Schedule, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'

/** Schedule.id; undefined for a Schedule on another server. */
export function scheduleIdOf({ schedule: { reference = '' } }: Slot, baseUrl: string): string | undefined {
  const { type, id } = localReference(reference, baseUrl) ?? {}
  return type === 'Schedule' ? id : undefined
}

/** Returns undefined if it is on another server, or not stored. */
export async function scheduleOf(ctx: Context, slot: Slot): Promise<Schedule | undefined> {
  const id = scheduleIdOf(slot, ctx.baseUrl)
  return id === undefined ? undefined : (await ctx.find<Schedule>('Schedule', id))?.resource
}
