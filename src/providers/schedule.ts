/**
 * Schedule: its availability is checked as a whole when it is written, and Slots are generated from it.
 * https://hl7.org/fhir/R4/schedule.html, docs/schedule.md
 */
import type { Schedule } from 'fhir/r4'
import { stageGeneration } from '../availability/slot-generation.ts'
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool.ts'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { scheduleGenerateSlots } from '../operations/schedule-generate-slots.ts'
import type { Versioned } from '../repository/repository.ts'
import { AVAILABILITY_URL, readAvailability } from '../scheduling/availability.ts'
import { checkCapacity } from '../scheduling/reserving.ts'

export const schedule = defineProvider('Schedule', {
  documentation: `Slots are kept generated from the extension ${AVAILABILITY_URL}; it is checked when it is written.`,
  // A patch is executed as an update.
  interactions: {
    ...standard,
    create: (ctx, resource) => written(ctx, resource, standard.create(ctx, resource)),
    update: (ctx, resource) => written(ctx, resource, standard.update(ctx, resource)),
    delete: async (ctx, type, id) => {
      const deleted = await standard.delete(ctx, type, id)
      await stageGeneration(ctx, id, false)
      return deleted
    },
  },
  operations: [scheduleGenerateSlots, ...toolOperations(toolFamilies, 'Schedule')],
})

/** @throws FhirError 422 naming each invalid element of the availability */
async function written(ctx: Context, resource: AnyResource, write: Promise<Versioned>): Promise<Versioned> {
  checkCapacity(resource as Schedule)
  const result = await write
  await stageGeneration(ctx, result.id, readAvailability(resource as Schedule) !== undefined)
  return result
}
