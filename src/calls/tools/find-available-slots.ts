/** find_available_slots: free times as the caller asks for them, a few, each with a key to book it by. */
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { verifiedPatientOf } from '../session/verification.ts'
import { askedTimes } from '../visits/asked-times.ts'
import { type AskedType, askedActors, askedType, visitTypeOf } from '../visits/asked-visit.ts'
import { type ChosenTimes, chooseTimes } from '../visits/chosen-times.ts'
import { keysForTimes, type OfferedTime } from '../visits/offered-time.ts'
import { offersByPhone } from '../visits/offers-by-phone.ts'
import { oneOf, spokenVisit } from '../visits/visit-label.ts'

export const findAvailableSlots = defineOperation('slot-find-available-slots', ({ access, input, call }) =>
  access.change(async (ctx) => {
    const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
    const type = input.appointmentType === undefined ? undefined : await askedType(ctx, call, input.appointmentType)
    const windows = await askedTimes(ctx, input.when)
    const chosen = await chooseTimes(ctx, await wishesOf(ctx, input, type), windows, timeZone)
    const offered = await waitlistOffers(ctx, call)
    const isOffered = new Set(offered.map(({ time }) => time.start))
    const found = await Promise.all(chosen.openings.map((opening) => asTime(ctx, opening, type)))
    const times = [...offered, ...found.filter(({ time }) => !isOffered.has(time.start))]
    const keys =
      call === undefined
        ? []
        : await keysForTimes(
            ctx,
            call,
            times.map(({ time }) => time),
          )
    const slots = times.map(({ spoken }, index) => ({
      ...(call === undefined ? {} : { slotKey: keys[index] }),
      ...spoken,
      ...(index < offered.length ? { fromWaitlist: true } : {}),
    }))
    return {
      success: true,
      slots,
      more: chosen.more,
      ...saying(
        chosen,
        slots.map(({ label }) => label),
        offered.length,
      ),
    }
  }),
)

async function wishesOf(ctx: Context, { practitionerName, locationName }: OperationInput, type: AskedType | undefined) {
  const { schedules } = await askedActors(ctx, { practitionerName, locationName })
  return {
    ...(schedules === undefined ? {} : { schedules }),
    ...(type === undefined ? {} : { visitTypes: [visitTypeOf(type)] }),
  }
}

interface Time {
  readonly time: OfferedTime
  readonly spoken: { readonly start: string; readonly label: string }
}

async function asTime(
  ctx: Context,
  { slots, schedule }: ChosenTimes['openings'][number],
  type: AskedType | undefined,
): Promise<Time> {
  const { start } = slots[0]
  const time = { slots: slots.map(({ id }) => id), start, ...(type === undefined ? {} : { type: type.query }) }
  return { time, spoken: await spokenVisit(ctx, start, schedule.actor) }
}

/** Only a patient who is verified hears that they wait. */
async function waitlistOffers(ctx: Context, call: CallSession | undefined): Promise<readonly Time[]> {
  const patient = call && (await verifiedPatientOf(ctx, call))
  if (patient === undefined) return []
  return await Promise.all(
    (await offersByPhone(ctx, patient)).map(async ({ slot, schedule }) => ({
      time: { slots: [slot.id], start: slot.start },
      spoken: await spokenVisit(ctx, slot.start, schedule?.actor ?? []),
    })),
  )
}

/** @param fromWaitlist of the labels, the first ones */
function saying({ isLater }: ChosenTimes, labels: readonly string[], fromWaitlist: number) {
  const others = labels.slice(fromWaitlist)
  const news =
    fromWaitlist === 0
      ? ''
      : `A time that you are waiting for has become free: ${oneOf(labels.slice(0, fromWaitlist))}. `
  if (others.length === 0 && fromWaitlist === 0) {
    return { code: 'nothing-free', say: 'I am sorry, I find no free time. Would you like to be put on the waitlist?' }
  }
  if (others.length === 0) return { say: `${news}Would you like it?` }
  const offer = `${oneOf(others)}. Which one would you like?`
  return isLater
    ? { code: 'later-times', say: `${news}Nothing is free then. The next times are ${offer}` }
    : { say: `${news}I have ${offer}` }
}
