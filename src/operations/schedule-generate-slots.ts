/**
 * $generate-slots: generates the Slots of a Schedule from its availability now, instead of a moment later in the
 * background.
 */
import type { Schedule } from 'fhir/r4'
import { generatePart, SMALL_PART, stageGeneration } from '../availability/slot-generation.ts'
import { defineOperation } from '../core/operation.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import { AVAILABILITY_URL, readAvailability } from '../scheduling/availability.ts'

/** Most Slots changed by one call; the background continues with the rest. */
const MAX_CHANGED = 2_000

export const scheduleGenerateSlots = defineOperation('schedule-generate-slots', async ({ access, id = '' }) => {
  const { resource } = await (await access.reader()).read<Schedule>('Schedule', id)
  if (readAvailability(resource) === undefined) throw withoutAvailability(id)
  const counts = { created: 0, updated: 0, removed: 0 }
  for (let isFirst = true; ; isFirst = false) {
    const part = await access.change(async (ctx) => {
      // A Schedule stored by an older version of the server has no record yet.
      if (isFirst) await stageGeneration(ctx, id, true)
      return await generatePart(ctx, id, SMALL_PART)
    })
    counts.created += part.created
    counts.updated += part.updated
    counts.removed += part.removed
    const { isComplete, until } = part
    if (isComplete || counts.created + counts.updated + counts.removed >= MAX_CHANGED)
      return { ...counts, isComplete, ...(until === undefined ? {} : { until: new Date(until).toISOString() }) }
    // Lets other requests run between two parts.
    await yieldToEventLoop()
  }
})

const withoutAvailability = (id: string) =>
  unprocessable(
    `Schedule/${id} has no working hours to generate slots from; give it the extension ${AVAILABILITY_URL} (docs/schedule.md)`,
    { expression: 'Schedule.extension', reason: 'no-availability' },
  )
