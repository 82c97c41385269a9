/**
 * Waitlist offers: one Task for each freed slot, whose focus is the entry that gets the offer. The Task is reopened
 * when the slot is freed again.
 */
import { hash } from 'node:crypto'
import type { Appointment, Slot, Task } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { addressOf, localReference } from '../fhir/reference.ts'
import { isOpenTask, OPEN_TASK_STATUSES } from '../fhir/task-status.ts'
import type { WaitlistEntry } from '../scheduling/waitlist.ts'

const SYSTEM = 'https://sandbox-emr.example/fhir/CodeSystem'
const CODE = { system: `${SYSTEM}/task-code`, code: 'waitlist-offer', display: 'Waitlist offer' }
const SLOT_INPUT = { system: `${SYSTEM}/task-input`, code: 'slot' }
/** Input for an entry that refused the slot when it was offered. */
const REFUSED_INPUT = { system: `${SYSTEM}/task-input`, code: 'refused-by' }
/** Codes of Task.output, given by staff in $complete, that mean the patient does not take the visit. */
const NOT_TAKEN = ['refused', 'no-answer', 'not-needed'].map((code) => ({ system: `${SYSTEM}/task-outcome`, code }))

const OPEN_OFFERS = `code=${encodeURIComponent(`${CODE.system}|${CODE.code}`)}&status=${OPEN_TASK_STATUSES.join()}`

/** Task.id, the same for every offer of a slot. */
const offerId = (slot: string): string => `waitlist-offer-${hash('sha256', slot).slice(0, 32)}`

/** True for any open waitlist offer. */
const isOpenOffer = (task: Task): boolean =>
  isOpenTask(task) && task.code?.coding?.some((one) => one.system === CODE.system && one.code === CODE.code) === true

/** True if the visit is in the future. */
const isAhead = ({ restriction }: Task, now: number): boolean => !(Date.parse(restriction?.period?.end ?? '') <= now)

/** The open offer of a slot. */
export async function openOffer(ctx: Context, slot: string): Promise<Task | undefined> {
  const task = (await ctx.find<Task>('Task', offerId(slot)))?.resource
  return task !== undefined && isOpenOffer(task) ? task : undefined
}

const isCoded = (concept: Task['code'], wanted: { readonly system: string; readonly code: string }): boolean =>
  concept?.coding?.some(({ system, code }) => system === wanted.system && code === wanted.code) === true

/**
 * An offer closed by staff because its patient does not take it, with its entry added to those that are not offered
 * the slot again; undefined for any other change of a Task.
 */
export function withRefusal(before: Task, after: Task): Task | undefined {
  const { status, output = [], input = [], focus } = after
  const isRefused =
    status === 'rejected' ||
    status === 'failed' ||
    (status === 'completed' &&
      output.some((one) => NOT_TAKEN.some((outcome) => isCoded(one.valueCodeableConcept, outcome))))
  if (!isOpenOffer(before) || !isRefused || focus === undefined) return undefined
  return { ...after, input: [...input, { type: { coding: [REFUSED_INPUT] }, valueReference: focus }] }
}

/** Entries that refused the slot of the Task, as `Appointment/<id>`. */
const refusersIn = ({ input = [] }: Task, { baseUrl }: Context): readonly string[] =>
  input
    .filter(({ type }) => isCoded(type, REFUSED_INPUT))
    .map(({ valueReference }) => addressOf(valueReference?.reference ?? '', baseUrl))

/** The same by Slot.id. */
export async function refusersOf(ctx: Context, slot: string): Promise<ReadonlySet<string>> {
  const task = (await ctx.find<Task>('Task', offerId(slot)))?.resource
  return new Set(task === undefined ? [] : refusersIn(task, ctx))
}

/** Slot.id of an offer. */
export function slotOf({ input = [] }: Task, baseUrl: string): string | undefined {
  const found = input.find(({ type }) => isCoded(type, SLOT_INPUT))
  const { type, id } = localReference(found?.valueReference?.reference ?? '', baseUrl) ?? {}
  return type === 'Slot' ? id : undefined
}

/**
 * Open offers to the given entries, including the changes staged so far.
 * @param entries Appointment.id
 */
export async function offersTo(ctx: Context, entries: readonly string[]): Promise<readonly Task[]> {
  const addresses = new Set(entries.map((id) => `Appointment/${id}`))
  const stored = await ctx.search<Task>('Task', `focus=${[...addresses].join()}&${OPEN_OFFERS}`)
  const staged = ctx.unit.staged<Task>('Task')
  const changed = new Set(staged.map(({ id }) => id))
  const kept = [...stored.filter(({ id }) => !changed.has(id)), ...staged.filter(({ deleted }) => !deleted)]
  return kept.map(({ resource }) => resource).filter((task) => isOpenOffer(task) && addresses.has(entryOf(task, ctx)))
}

/** Reference of the entry, `Appointment/<id>`. */
export const entryOf = ({ focus }: Task, { baseUrl }: Context): string => addressOf(focus?.reference ?? '', baseUrl)

/** Open offers to a patient of visits in the future. */
export async function offersToPatient(ctx: Context, patient: string): Promise<readonly Task[]> {
  const found = await ctx.search<Task>('Task', `patient=Patient/${patient}&${OPEN_OFFERS}`)
  return found.map(({ resource }) => resource).filter((task) => isAhead(task, ctx.now))
}

/** Entries whose offers are looked up together. */
const AT_ONCE = 20

/**
 * Stages the offer of a slot to the first entry without another offer, so that freed slots reach different patients.
 * The change commits only if that entry still has none.
 * @param entries in the order of their turns
 * @returns false if each of them has an offer
 */
export async function offerToFirst(ctx: Context, slot: Slot, entries: readonly WaitlistEntry[]): Promise<boolean> {
  for (let at = 0; at < entries.length; at += AT_ONCE) {
    const some = entries.slice(at, at + AT_ONCE)
    const offers = await offersTo(
      ctx,
      some.map(({ id }) => id),
    )
    const offered = new Set(offers.filter((task) => isAhead(task, ctx.now)).map((task) => entryOf(task, ctx)))
    for (const entry of some) {
      if (offered.has(`Appointment/${entry.id}`) || (await isOfferedMeanwhile(ctx, entry.id, offers))) continue
      await stageOffer(ctx, slot, entry)
      return true
    }
  }
  return false
}

/** Detects an offer made by another change since the lookup. The change commits only if none is added meanwhile. */
async function isOfferedMeanwhile(ctx: Context, entry: string, known: readonly Task[]): Promise<boolean> {
  const found = await ctx.searchGuarded<Task>('Task', `focus=Appointment/${entry}&${OPEN_OFFERS}`)
  const staged = new Set(ctx.unit.staged('Task').map(({ id }) => id))
  return found.some(({ id }) => !staged.has(id) && !known.some((task) => task.id === id))
}

async function stageOffer(ctx: Context, slot: Slot, { id, resource }: WaitlistEntry): Promise<void> {
  const task = offerId(slot.id ?? '')
  const earlier = (await ctx.find<Task>('Task', task))?.resource
  const patient = patientOf(resource, ctx)
  await ctx.update<Task>({
    ...(earlier?.meta === undefined ? {} : { meta: earlier.meta }),
    resourceType: 'Task',
    id: task,
    status: 'requested',
    intent: 'order',
    priority: 'asap',
    code: { coding: [CODE] },
    description: 'A visit that this entry of the waitlist asks for was freed. Please offer it to the patient.',
    focus: { reference: `Appointment/${id}` },
    ...(patient === undefined ? {} : { for: { reference: patient } }),
    authoredOn: new Date(ctx.now).toISOString(),
    restriction: { period: { end: slot.start } },
    input: [
      { type: { coding: [SLOT_INPUT] }, valueReference: { reference: `Slot/${slot.id}` } },
      ...(earlier?.input ?? []).filter(({ type }) => isCoded(type, REFUSED_INPUT)),
    ],
  })
}

/** `Patient/<id>` of the first patient, as a Task has only one. */
const patientOf = ({ participant }: Appointment, { baseUrl }: Context): string | undefined =>
  participant
    .map(({ actor }) => addressOf(actor?.reference ?? '', baseUrl))
    .find((address) => address.startsWith('Patient/'))

/** Stages the end of an offer. @param isTaken whether its own patient has booked the visit */
export async function closeOffer(ctx: Context, task: Task, isTaken: boolean): Promise<void> {
  const outcome = isTaken
    ? { status: 'completed' as const, description: 'The patient has booked the visit that was offered.' }
    : { status: 'cancelled' as const, description: 'The visit that was offered is not to be had any more.' }
  await ctx.update<Task>({ ...task, ...outcome })
}
