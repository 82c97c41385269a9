/** The Slots of the demo clinic's Schedules, which every start adds for the days that have come within the horizon. */
import type { Schedule } from 'fhir/r4'
import { generatePart, type PartSize, stageAdopted } from '../availability/slot-generation.ts'
import type { Context } from '../core/context.ts'
import { recordKind } from '../repository/record-kinds.ts'

/** All in one change, as the server does not listen yet. */
const EVERYTHING: PartSize = { slots: Number.POSITIVE_INFINITY, days: Number.POSITIVE_INFINITY }

/** Record of older versions: the last day with slots, by demo schedule. */
const DEMO_SLOTS = recordKind<Filled>('demo-slots')

interface Filled {
  /** Local date, yyyy-mm-dd. */
  readonly through: string
}

/** Stages the Slots that are due for those of these Schedules that still exist, and returns their number. */
export async function fillSchedules(ctx: Context, schedules: readonly Schedule[]): Promise<number> {
  let added = 0
  for (const schedule of schedules) {
    await giveAvailability(ctx, schedule)
    added += (await generatePart(ctx, schedule.id ?? '', EVERYTHING)).created
  }
  return added
}

/** A demo Schedule with Slots for the given number of days. */
export const withSlotDays = <S extends Schedule>(schedule: S, days: number): S => ({
  ...schedule,
  extension: schedule.extension?.map((availability) => ({
    ...availability,
    extension: availability.extension?.map((part) =>
      part.url === 'horizonDays' ? { ...part, valuePositiveInt: days } : part,
    ),
  })),
})

/** Adds working hours to a Schedule created by an older version; days that have had slots are left alone. */
async function giveAvailability(ctx: Context, { id = '', extension = [] }: Schedule): Promise<void> {
  const { records } = ctx.unit
  const filled = await records.read(DEMO_SLOTS, id)
  if (filled === undefined) return
  records.delete(DEMO_SLOTS, id)
  const stored = await ctx.find<Schedule>('Schedule', id)
  if (stored === undefined) return
  await ctx.update<Schedule>({ ...stored.resource, extension: [...(stored.resource.extension ?? []), ...extension] })
  await stageAdopted(ctx, id, filled.value.through)
}
