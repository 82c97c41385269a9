/** list_appointment_types: the kinds of visits that the clinic offers, with keys for the agent. */
import { offeredTypes } from '../../booking/offered-types.ts'
import { defineOperation } from '../../core/operation.ts'
import type { OfferedType } from '../../scheduling/visit-type.ts'
import { listed } from '../../spoken/say.ts'
import { keysFor } from '../session/call-keys.ts'

export const listAppointmentTypes = defineOperation('schedule-list-appointment-types', ({ access, call }) =>
  access.change(async (ctx) => {
    const types = await offeredTypes(ctx)
    const queries = types.map(({ query }) => query)
    const keys = call === undefined ? [] : await keysFor(ctx, call, 'appointment-type', queries)
    return {
      success: true,
      appointmentTypes: types.map(({ name, durationMinutes }, index) => ({
        ...(call === undefined ? {} : { appointmentTypeKey: keys[index] }),
        name,
        durationMinutes,
      })),
      say: sentence(types),
    }
  }),
)

/** More would be too long to listen to. */
const MAX_SPOKEN = 6

function sentence(types: readonly OfferedType[]): string {
  if (types.length === 0) return 'I have no list of the kinds of appointments. Tell me what you need to be seen for.'
  const spoken = types.slice(0, MAX_SPOKEN).map(({ name }) => name)
  const others = types.length > MAX_SPOKEN ? ['others'] : []
  return `We offer ${listed([...spoken, ...others])}. Which one would you like?`
}
