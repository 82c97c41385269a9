/**
 * Appointments offered by $find are not stored: their id encodes their Slots, and the search's details of the visit.
 * `<key>.<n>.<Slot.id>` means n adjacent Slots, beginning with this one; `<key>` refers to a record
 * (StoredContext), which also holds the id of the Slot if that is too long to be part of another id.
 */
import { hash } from 'node:crypto'
import type { Appointment, Slot } from 'fhir/r4'
import type { ClinicAccess, Context } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Versioned } from '../repository/repository.ts'
import { scheduleOf } from '../reservations/reservation.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { proposedAppointment, type VisitContext } from '../scheduling/proposed-appointment.ts'
import { firstOf, type Run } from '../scheduling/slot-times.ts'
import { followersOf, MOST_SLOTS } from './named-slots.ts'
import { resolvedActors } from './resolvable-actors.ts'

/** https://hl7.org/fhir/R4/datatypes.html#id, minus the longest key, a three-digit number, and the dots. */
const LONGEST_SLOT_ID = 64 - 11 - 3 - 2

/** Adjacent Slots as encoded in an id: the first, and their number. */
export type OfferedRun = Readonly<{ 0: Pick<SlotWithId, 'id'>; length: number }>

/** Ids under which these Slots are offered, in the same order. The data needed to decode the ids is stored. */
export async function proposalIds(
  access: ClinicAccess,
  runs: readonly OfferedRun[],
  context: VisitContext,
): Promise<readonly string[]> {
  const long = runs.flatMap(({ 0: { id } }) => (id.length > LONGEST_SLOT_ID ? [{ ...context, slot: id }] : []))
  const contexts: readonly StoredContext[] = runs.length > long.length ? [context, ...long] : long
  const keys = await keepContexts(access, contexts)
  const keyOf = new Map(contexts.map(({ slot }, index) => [slot, keys[index]]))
  return runs.map(({ 0: { id }, length }) => {
    const ownKey = keyOf.get(id)
    return ownKey === undefined ? `${keyOf.get(undefined)}.${length}.${id}` : `${ownKey}.${length}`
  })
}

/**
 * The Appointment offered under this id, built from the current state of its Slots, free or not. It has neither id nor
 * meta. Undefined if no such Appointment was offered, it has expired, or one of its Slots was deleted.
 */
export async function readProposal(ctx: Context, id: string): Promise<Appointment | undefined> {
  const [, key = '', count = '', named] = /^([0-9a-z]+)\.([1-9]\d{0,2})(?:\.([A-Za-z0-9\-.]+))?$/.exec(id) ?? []
  if (!isContextKey(key) || Number(count) > MOST_SLOTS) return undefined
  const context = await contextOf(ctx, key)
  const first = named ?? context?.slot
  if (context === undefined || first === undefined) return undefined
  const slots = await runFrom(ctx, first, Number(count))
  const schedule = slots && (await scheduleOf(ctx, slots[0]))
  if (slots === undefined || schedule === undefined) return undefined
  const actors = await resolvedActors(ctx, schedule.actor)
  return proposedAppointment({ schedule, slots, actors }, context)
}

/** Returns undefined if the Slot, or one that must follow it, does not exist. */
async function runFrom(ctx: Context, id: string, count: number): Promise<Run | undefined> {
  const first = (await ctx.find<Slot>('Slot', id))?.resource
  if (first === undefined) return undefined
  const run: [SlotWithId, ...SlotWithId[]] = [{ ...first, id }]
  let last = run[0]
  while (run.length < count) {
    const next = await followerOf(ctx, last)
    if (next === undefined) return undefined
    run.push(next)
    last = next
  }
  return run
}

/** Prefers a free Slot, as only free ones were offered. */
async function followerOf(ctx: Context, last: Slot): Promise<SlotWithId | undefined> {
  const following = await followersOf(ctx, last)
  return firstOf(following.filter(({ status }) => status === 'free')) ?? firstOf(following)
}

/** A stored Appointment with its version, or an offered one without an id. */
type FoundAppointment =
  | { readonly kind: 'stored'; readonly stored: Versioned<Appointment> }
  | { readonly kind: 'offered'; readonly proposal: Appointment }

/**
 * The Appointment of a request: a stored one, or one offered by $find.
 * @param expression name of the parameter, for the message
 * @throws FhirError 404, or 410 if it was deleted
 */
export async function findAppointment(ctx: Context, id: string, expression: string): Promise<FoundAppointment> {
  const stored = await ctx.unit.read<Appointment>('Appointment', id)
  if (stored?.deleted) {
    const diagnostics = `Appointment/${id} was deleted (version ${stored.version}); name one that there is`
    throw new FhirError(410, { code: 'deleted', diagnostics, expression, reason: 'appointment-not-found' })
  }
  if (stored !== undefined) return { kind: 'stored', stored }
  const proposal = await readProposal(ctx, id)
  if (proposal !== undefined) return { kind: 'offered', proposal }
  throw new FhirError(404, {
    code: 'not-found',
    diagnostics: `There is no Appointment/${id} in this clinic, and $find does not offer it (any more); call $find again, or name one that is stored`,
    expression,
    reason: 'appointment-not-found',
  })
}

const VISIT_CONTEXT = recordKind<StoredContext>('visit-context')

/**
 * Details of the visit given in a search for times, stored for a day or two. The key is derived from the content, so that
 * repeated searches share one record.
 */
export interface StoredContext extends VisitContext {
  /** Slot.id of the first slot, if it is too long to be part of an id. */
  readonly slot?: string
}

const HOUR = 3_600_000
/** Minimum validity of an id, in milliseconds; a record that would expire sooner is rewritten, at most once a day. */
const KEPT = 24 * HOUR
const LIFETIME = 2 * KEPT
/** Expired records deleted with each write. */
const CLEARED = 20

/** The key of a search without details of the visit; no record has this key. */
export const NO_CONTEXT = '0'
const KEY_LENGTH = 11

/** Whether the text may be a key, or is NO_CONTEXT. */
const isContextKey = (text: string): boolean => text === NO_CONTEXT || /^[0-9a-z]{11}$/.test(text)

/** Returns undefined if the record has expired or never existed. */
export async function contextOf({ unit, now }: Context, key: string): Promise<StoredContext | undefined> {
  if (key === NO_CONTEXT) return {}
  const record = await unit.records.read(VISIT_CONTEXT, key)
  return record === undefined || (record.due ?? 0) <= now ? undefined : record.value
}

/** Stores new contexts, and returns the keys of all of them in the same order. */
export async function keepContexts(
  access: ClinicAccess,
  contexts: readonly StoredContext[],
): Promise<readonly string[]> {
  const kept = await keysOf(await access.reader(), contexts)
  if (kept.every(({ isKept }) => isKept)) return kept.map(({ key }) => key)
  return await access.change(async (ctx) => {
    const { unit } = ctx
    const keys = await keysOf(ctx, contexts)
    for (const { key, isKept, context } of keys)
      if (!isKept) unit.records.put(VISIT_CONTEXT, key, context, { due: ctx.now + LIFETIME })
    const written = new Set(keys.map(({ key }) => key))
    for (const { key, version } of await unit.records.due(VISIT_CONTEXT, { before: ctx.now, limit: CLEARED }))
      if (!written.has(key)) unit.records.delete(VISIT_CONTEXT, key, { expect: version })
    return keys.map(({ key }) => key)
  })
}

interface Key {
  readonly key: string
  readonly isKept: boolean
  readonly context: StoredContext
}

async function keysOf(ctx: Context, contexts: readonly StoredContext[]): Promise<readonly Key[]> {
  const keys: Key[] = []
  for (const context of contexts) keys.push(await keyOf(ctx, context))
  return keys
}

/** If a key is taken by other content, another one is tried. */
async function keyOf({ unit, now }: Context, context: StoredContext): Promise<Key> {
  const text = canonicalText(context)
  if (text === '{}') return { key: NO_CONTEXT, isKept: true, context }
  for (let attempt = 0; ; attempt++) {
    const key = keyFor(`${attempt} ${text}`)
    const record = await unit.records.read(VISIT_CONTEXT, key)
    const isForgotten = record === undefined || (record.due ?? 0) <= now
    if (!isForgotten && canonicalText(record.value) !== text) continue
    return { key, isKept: !isForgotten && (record.due ?? 0) >= now + KEPT, context }
  }
}

/** 56 bits, in characters permitted in an id. */
const keyFor = (text: string): string =>
  BigInt(`0x${hash('sha256', text).slice(0, 14)}`)
    .toString(36)
    .padStart(KEY_LENGTH, '0')

/** Text that is the same for equal content. */
const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  )
