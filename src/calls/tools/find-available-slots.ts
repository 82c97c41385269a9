/** find_available_slots: a few free times that suit the caller, each with a key to book it. */
import { endDueHolds } from '../../booking/holds.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput } from '../../core/operation.ts'
import { verifiedPatientOf } from '../session/verification.ts'
import { askedTimes } from '../visits/asked-times.ts'
import { type AskedType, askedActors, askedType, visitTypeOf } from '../visits/asked-visit.ts'
import { type ChosenTimes, chooseTimes, MOST_TIMES } from '../visits/chosen-times.ts'
import { keysForTimes, type OfferedTime, offersByPhone } from '../visits/offered-time.ts'
import { labelled, sayChoice, type VisitWords, visitWords } from '../visits/visit-label.ts'

export const findAvailableSlots = defineOperation('slot-find-available-slots', async ({ access, input, call }) => {
  await endDueHolds(access)
  return await access.change(async (ctx) => {
    const { timeZone } = await readSettings(ctx.unit, ctx.clinic)
    const type = await askedType(ctx, call, input.appointmentType)
    const windows = await askedTimes(ctx, input.when)
    const chosen = await chooseTimes(ctx, await wishesOf(ctx, input, type), windows, timeZone)
    const offers = await waitlistOffers(ctx, call)
    const waitedFor = offers.slice(0, MOST_TIMES)
    const known = new Set(waitedFor.map(({ time }) => time.slots[0]))
    const found = await Promise.all(chosen.openings.map((opening) => asTime(ctx, opening, type)))
    const besides = found.filter(({ time }) => !known.has(time.slots[0]))
    const others = besides.slice(0, MOST_TIMES - waitedFor.length)
    const slots = await toldSlots(ctx, call, waitedFor, others)
    const more = chosen.more || offers.length + besides.length > slots.length
    return { success: true, slots, more, ...saying(chosen, waitedFor, others) }
  })
})

async function wishesOf(ctx: Context, { practitionerName, locationName }: OperationInput, type: AskedType | undefined) {
  const { schedules } = await askedActors(ctx, { practitionerName, locationName })
  return {
    ...(schedules === undefined ? {} : { schedules }),
    ...(type === undefined ? {} : { visitTypes: [visitTypeOf(type)] }),
  }
}

interface Time {
  readonly time: OfferedTime
  readonly words: VisitWords
}

async function asTime(
  ctx: Context,
  { slots, schedule }: ChosenTimes['openings'][number],
  type: AskedType | undefined,
): Promise<Time> {
  const { start = '' } = slots[0]
  const time = { slots: slots.map(({ id }) => id), start, ...(type === undefined ? {} : { type: type.query }) }
  return { time, words: await visitWords(ctx, start, schedule.actor) }
}

/** Only a verified patient hears of their waitlist offers. */
async function waitlistOffers(ctx: Context, call: CallSession | undefined): Promise<readonly Time[]> {
  const patient = call && (await verifiedPatientOf(ctx, call))
  if (patient === undefined) return []
  return await Promise.all(
    (await offersByPhone(ctx, patient)).map(async ({ time, schedule }) => ({
      time,
      words: await visitWords(ctx, time.start, schedule.actor),
    })),
  )
}

/** Staff get no keys, as they have no call. */
async function toldSlots(
  ctx: Context,
  call: CallSession | undefined,
  waitedFor: readonly Time[],
  others: readonly Time[],
) {
  const all = [...waitedFor, ...others]
  const times = all.map(({ time }) => time)
  const keys = call === undefined ? [] : await keysForTimes(ctx, call, times)
  return all.map(({ words }, index) => ({
    ...(call === undefined ? {} : { slotKey: keys[index] }),
    ...labelled(words),
    ...(index < waitedFor.length ? { fromWaitlist: true } : {}),
  }))
}

function saying({ isLater }: ChosenTimes, waitedFor: readonly Time[], others: readonly Time[]) {
  const [news, offer] = [waitedFor, others].map((times) => sayChoice(times.map(({ words }) => words)))
  const isNew = waitedFor.length > 0
  if (others.length === 0) {
    return isNew
      ? { say: `A time that you are waiting for has become free: ${news}. Would you like it?` }
      : { code: 'nothing-free', say: 'I am sorry, I find no free time. Would you like to be put on the waitlist?' }
  }
  const first = isNew ? `A time that you are waiting for has become free: ${news}. ` : ''
  const question = `${offer}. ${others.length === 1 ? 'Would you like that' : 'Which one would you like'}?`
  return isLater
    ? { code: 'later-times', say: `${first}Nothing is free then. The next I have is ${question}` }
    : { say: `${first}${isNew ? 'Besides, I' : 'I'} have ${question}` }
}
