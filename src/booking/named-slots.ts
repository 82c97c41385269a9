/** The slots named by an appointment. */
import type { Appointment, Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { type FhirError, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { stageOf } from '../scheduling/appointment-status.ts'

/** Budget steps to look up one slot. */
const LOOKED_UP = 10

/** A slot named by an appointment, and its index in Appointment.slot. */
export interface Named {
  readonly id: string
  readonly index: number
}

/**
 * The slots of this clinic named by an appointment. A recorded or imported one may name slots of the system that it
 * comes from.
 * @throws FhirError 422
 */
export function namedSlots(
  { baseUrl, isImport }: Context,
  { status, slot = [] }: Pick<Appointment, 'status' | 'slot'>,
): readonly Named[] {
  const mayBeElsewhere = isImport || stageOf(status) === 'recorded'
  spend(slot.length * LOOKED_UP, 'its slots')
  const named = slot.flatMap(({ reference = '' }, index) => {
    const id = slotId(reference, baseUrl)
    if (id === undefined && !mayBeElsewhere) throw malformed(reference, index)
    return id === undefined ? [] : [{ id, index }]
  })
  const seen = new Set<string>()
  for (const { id, index } of named) {
    if (seen.has(id)) throw unprocessable(`Slot/${id} is named twice`, { expression: `Appointment.slot[${index}]` })
    seen.add(id)
  }
  return named
}

const malformed = (reference: string, index: number): FhirError => {
  const expression = `Appointment.slot[${index}].reference`
  return unprocessable(`${expression} is '${reference}'; name a slot of this clinic as Slot/<id>`, { expression })
}

function slotId(reference: string, baseUrl: string): string | undefined {
  const { type, id, version } = localReference(reference, baseUrl) ?? {}
  return type === 'Slot' && version === undefined ? id : undefined
}

/** The slots named by an appointment that exist. */
export async function slotsOf(ctx: Context, appointment: Appointment): Promise<readonly Slot[]> {
  const found = await Promise.all(namedSlots(ctx, appointment).map(({ id }) => ctx.find<Slot>('Slot', id)))
  return found.flatMap((slot) => (slot === undefined ? [] : [slot.resource]))
}

/** FhirError 422. */
export const noSuchSlot = (id: string, index: number): FhirError =>
  unprocessable(`There is no slot ${id} to book; find one with Slot?status=free`, {
    expression: `Appointment.slot[${index}]`,
    reason: 'slot-not-found',
  })
