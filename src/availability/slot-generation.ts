/**
 * Generates the Slots of a Schedule from its availability, a few at a time, in the background. A record for each Schedule
 * holds the progress, and its due time shows that there is work. It is written in the same change as the Slots, so that every
 * part is done exactly once, even after a crash. docs/adr/021-slot-generation.md
 */
import { isDeepStrictEqual } from 'node:util'
import type { Schedule, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import type { BackgroundLoop, LeasedJob, LoopPace } from '../isolation/background-loop.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import { type DueServicesOf, dueRecordLoop, LEASE } from '../repository/due-records.ts'
import { recordKind } from '../repository/record-kinds.ts'
import { generatedAsOffered } from '../reservations/actors-at-work.ts'
import type { SlotPlan } from '../scheduling/availability.ts'
import { BUFFER_TAG, type SlotWithId, slotChanges, slotIdAt, unreserved } from '../scheduling/generated-slot.ts'
import { type Block, endOf, horizonEnd, nextMidnight, plannedBlocks, startOf } from '../scheduling/planned-slots.ts'
import { type Span, ZoneClock } from '../scheduling/zone-clock.ts'
import { availabilityOf, parsedSchedule } from './known-availability.ts'

export const SLOT_GENERATION = recordKind<GenerationState>('slot-generation')

/** Times are milliseconds since 1970 UTC. */
export interface GenerationState {
  /** Plan of the generated Slots; absent: there are none. */
  readonly plan?: SlotPlan
  /** End of the generated Slots. */
  readonly until?: number
  /** A change of the plan in progress: Slots that start before `at` follow the new plan. */
  readonly change?: { readonly plan?: SlotPlan; readonly at: number }
}

const DAY = 86_400_000

/** Limits of one change. */
export interface PartSize {
  readonly slots: number
  readonly days: number
}

/** Takes about ten milliseconds. */
export const SMALL_PART: PartSize = { slots: 50, days: 14 }

export interface GeneratedPart {
  readonly created: number
  readonly updated: number
  readonly removed: number
  /** True if nothing is left to do until tomorrow. */
  readonly isComplete: boolean
  /** End of the generated Slots, once complete, in milliseconds since 1970 UTC. */
  readonly until?: number
}

const NOTHING: GeneratedPart = { created: 0, updated: 0, removed: 0, isComplete: true }

/** Stages the generation of a Schedule's Slots; must be called in the change that writes it. */
export async function stageGeneration({ unit }: Context, schedule: string, hasAvailability: boolean): Promise<void> {
  const record = await unit.records.read(SLOT_GENERATION, schedule)
  if (record === undefined && !hasAvailability) return
  unit.records.put(SLOT_GENERATION, schedule, record?.value ?? {}, { due: unit.now })
}

/**
 * Stages the fact that Slots exist until the end of that day (yyyy-mm-dd), created by an older version of the server.
 */
export async function stageAdopted(ctx: Context, schedule: string, day: string): Promise<void> {
  const plan = await wantedPlan(ctx, schedule)
  if (plan === undefined) return
  const until = new ZoneClock(plan.timeZone).instantFrom(Date.parse(day) + DAY)
  ctx.unit.records.put(SLOT_GENERATION, schedule, { plan, until }, { due: ctx.now })
}

/** Stages the next part of the work on a Schedule. @throws FhirError */
export async function generatePart(ctx: Context, schedule: string, size: PartSize): Promise<GeneratedPart> {
  const { records, now } = ctx.unit
  const record = await records.read(SLOT_GENERATION, schedule)
  if (record === undefined) return NOTHING
  const state = record.value
  const wanted = await wantedPlan(ctx, schedule)
  const run = runOf(state, wanted, now)
  const window = await withFewStored(ctx, schedule, windowOf(run, size), size)
  const changes = await stageSlots(ctx, schedule, run, window)
  const next = nextState(state, run, window.end)
  const isComplete = next.change === undefined && isDeepStrictEqual(next.plan, wanted) && isAtHorizon(next, now)
  const due = isComplete ? (next.plan === undefined ? null : nextMidnight(next.plan.timeZone, now)) : now + LEASE
  const isUnchanged = isDeepStrictEqual(next, state) && record.due !== null && record.due > now
  if (isComplete && next.plan === undefined) records.delete(SLOT_GENERATION, schedule)
  else if (!isUnchanged) records.put(SLOT_GENERATION, schedule, next, { due })
  return { ...changes, isComplete, ...(next.until === undefined ? {} : { until: next.until }) }
}

const isAtHorizon = ({ plan, until = 0 }: GenerationState, now: number): boolean =>
  plan === undefined || until >= horizonEnd(plan, now)

/** Returns undefined if the Schedule is deleted, inactive or without availability. @throws FhirError 422 */
async function wantedPlan(ctx: Context, id: string): Promise<SlotPlan | undefined> {
  const found = await ctx.find<Schedule>('Schedule', id)
  const schedule = found && parsedSchedule(ctx.clinic, found)
  if (schedule === undefined || schedule.active === false) return undefined
  const availability = availabilityOf(schedule)
  if (availability === undefined) return undefined
  const timeZone = availability.timeZone ?? (await readSettings(ctx.unit, ctx.clinic)).timeZone
  const { planningHorizon, serviceCategory, serviceType, specialty } = schedule
  const plan = { ...availability, timeZone, planningHorizon, details: { serviceCategory, serviceType, specialty } }
  // In the form in which the store returns it.
  return JSON.parse(JSON.stringify(plan)) as SlotPlan
}

/** Changes Slots that start within [start, end) from one plan to another. */
interface Run {
  readonly before: SlotPlan | undefined
  /** End of the Slots generated from `before`. */
  readonly beforeUntil: number
  readonly after: SlotPlan | undefined
  /** End of the Slots to be generated from `after`. */
  readonly afterUntil: number
  readonly start: number
  readonly end: number
}

/** A change of plan in progress is finished first, so that the plan of each Slot is always known. */
function runOf({ plan: before, until = 0, change }: GenerationState, wanted: SlotPlan | undefined, now: number): Run {
  const isChange = change !== undefined || !isDeepStrictEqual(before, wanted)
  const after = change === undefined ? wanted : change.plan
  const afterUntil = after === undefined ? 0 : horizonEnd(after, now)
  const start = Math.max(now, isChange ? (change?.at ?? now) : until)
  const end = Math.max(start, afterUntil, isChange ? until : 0)
  return { before, beforeUntil: until, after, afterUntil, start, end }
}

interface Window {
  readonly start: number
  readonly end: number
  readonly blocks: readonly Block[]
}

/** The first part of a run; it ends between two blocks. */
function windowOf({ after, afterUntil, start, end }: Run, { slots, days }: PartSize): Window {
  const last = Math.min(end, start + days * DAY)
  const blocks: Block[] = []
  let parts = 0
  for (const block of blocksWithin(after, start, Math.min(last, afterUntil))) {
    if (parts >= slots) return { start, end: startOf(block), blocks }
    blocks.push(block)
    parts += block.length
  }
  return { start, end: Math.max(last, ...blocks.slice(-1).map(endOf)), blocks }
}

/** Ends the window earlier if many Slots are stored in it, all of which may have to be deleted. */
async function withFewStored(ctx: Context, schedule: string, window: Window, { slots }: PartSize): Promise<Window> {
  const cut = slots === Number.POSITIVE_INFINITY ? undefined : await startAfter(ctx, schedule, window, slots)
  if (cut === undefined || cut <= window.start) return window
  const blocks = window.blocks.filter((block) => startOf(block) < cut)
  return { start: window.start, end: Math.max(cut, ...blocks.slice(-1).map(endOf)), blocks }
}

/** Parts of blocks that start within the window: a visit that starts there is offered even if its buffer has begun. */
function* blocksWithin(plan: SlotPlan | undefined, start: number, end: number): Generator<Block> {
  if (plan === undefined) return
  for (const block of plannedBlocks(plan, start - DAY, end)) {
    const parts = block.filter((part) => part.start >= start)
    if (parts.some(({ kind }) => kind === 'visit')) yield parts
  }
}

/** Slots written before other requests run: an embedded store responds without a turn of the event loop. */
const AT_ONCE = 10

async function stageSlots(ctx: Context, schedule: string, run: Run, window: Window) {
  const { before, after: plan } = run
  // Ignores reservations by visits elsewhere.
  const stored = (window.start < window.end ? await storedSlots(ctx, schedule, window) : []).map(unreserved)
  const found = new Set(stored.map(({ id }) => id))
  const absent = idsOf(schedule, window.blocks).filter((id) => !found.has(id))
  // Read concurrently, as a remote store then responds to all at once.
  const read = await Promise.all(absent.map((id) => ctx.unit.read('Slot', id)))
  const earlier = blocksWithin(before, window.start, Math.min(window.end, run.beforeUntil))
  const known = new Set(idsOf(schedule, earlier))
  const unwanted = new Set(absent.filter((id, index) => read[index]?.deleted === true && known.has(id)))
  await yieldToEventLoop()
  const changes = slotChanges({ schedule, plan, blocks: window.blocks, stored, unwanted, window })
  // Bypasses the rules of the provider, which apply to changes by users.
  const written = await generatedAsOffered(ctx, schedule, [...changes.created, ...changes.updated])
  for (const [index, slot] of written.entries()) {
    if (index % AT_ONCE === 0) await yieldToEventLoop()
    await ctx.unit.put(slot, 'PUT')
  }
  for (const id of changes.removed) await ctx.unit.delete('Slot', id)
  return { created: changes.created.length, updated: changes.updated.length, removed: changes.removed.length }
}

const idsOf = (schedule: string, blocks: Iterable<Block>): string[] =>
  Array.from(blocks).flatMap((block) => block.map(({ start }) => slotIdAt(schedule, start)))

/** @param at progress of the run */
function nextState({ plan, until, change }: GenerationState, run: Run, at: number): GenerationState {
  const { before, after, afterUntil, end } = run
  const isChange = change !== undefined || !isDeepStrictEqual(before, after)
  if (!isChange && after !== undefined) return { plan: after, until: Math.max(until ?? 0, at) }
  if (at >= end) return after === undefined ? {} : { plan: after, until: afterUntil }
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(until === undefined ? {} : { until }),
    change: { ...(after === undefined ? {} : { plan: after }), at },
  }
}

/** Maximum lengths of a visit, and of blocked time such as a holiday. */
const LONGEST_VISIT = DAY
const LONGEST_BLOCK = 31 * DAY
/** The most results that Context.search returns. */
const PAGE = 1000

/** Slots of a Schedule that start within [start, end), or before it and end in it. */
async function storedSlots(ctx: Context, schedule: string, { start, end }: Span): Promise<readonly SlotWithId[]> {
  const since = start - LONGEST_VISIT
  const visits = await slotsBetween(ctx, schedule, {}, { start: since, end })
  const blocked = await slotsBetween(
    ctx,
    schedule,
    { status: 'busy-unavailable', '_tag:not': BUFFER_TAG },
    { start: start - LONGEST_BLOCK, end: since },
  )
  return [...blocked, ...visits].filter((slot) => timeOf(slot.end) > start || timeOf(slot.start) >= start)
}

/** The start of the Slot after the first `count` within [start, end); undefined if there are no more. */
async function startAfter(ctx: Context, schedule: string, span: Span, count: number): Promise<number | undefined> {
  const found = await ctx.search<Slot>('Slot', `${queryOf(schedule, {}, span)}&_count=${count + 1}`)
  const next = found[count]?.resource.start
  return next === undefined ? undefined : Date.parse(next)
}

async function slotsBetween(
  ctx: Context,
  schedule: string,
  criteria: Readonly<Record<string, string>>,
  { start, end }: Span,
): Promise<readonly SlotWithId[]> {
  const found = new Map<string, SlotWithId>()
  for (let from = start; ; ) {
    const page = await ctx.search<Slot>('Slot', queryOf(schedule, criteria, { start: from, end }))
    for (const { id, resource } of page) found.set(id, { ...resource, id })
    const last = Date.parse(page.at(-1)?.resource.start ?? '')
    // No Schedule has a thousand Slots with the same start.
    if (page.length < PAGE || last <= from) return [...found.values()]
    from = last
  }
}

/**
 * All statuses, so that the index of Schedule, status and start is used:
 * https://hl7.org/fhir/R4/valueset-slotstatus.html
 */
const ANY_STATUS = 'busy,free,busy-unavailable,busy-tentative,entered-in-error'

function queryOf(schedule: string, criteria: Readonly<Record<string, string>>, { start, end }: Span): string {
  const query = new URLSearchParams({
    schedule: `Schedule/${schedule}`,
    status: ANY_STATUS,
    ...criteria,
    _sort: 'start',
  })
  query.append('start', `ge${new Date(start).toISOString()}`)
  query.append('start', `lt${new Date(end).toISOString()}`)
  return query.toString()
}

/** Milliseconds of work on a Schedule before the next one's turn. */
const TURN = 1_000

/** Schedules take turns, so that a year of slots for one does not delay a week of slots for others. */
export const slotGenerating = (services: DueServicesOf<ClinicAccess>, pace?: LoopPace): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: SLOT_GENERATION,
      begin: ({ clinic, key }) => new ScheduleTurn(services.accessOf(clinic), key),
      failure: 'the slots of a schedule could not be generated',
    },
    pace,
  )

class ScheduleTurn implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #schedule: string
  readonly #end = Date.now() + TURN
  #isComplete = false

  constructor(access: ClinicAccess, schedule: string) {
    this.#access = access
    this.#schedule = schedule
  }

  async batch(): Promise<boolean> {
    const { isComplete } = await this.#access.change((ctx) => generatePart(ctx, this.#schedule, SMALL_PART))
    this.#isComplete = isComplete
    return !isComplete && Date.now() <= this.#end
  }

  /** Leaves the remaining work to any server. */
  async end(): Promise<void> {
    if (this.#isComplete) return
    await this.#access.change(async ({ unit: { records, now } }) => {
      const record = await records.read(SLOT_GENERATION, this.#schedule)
      if (record !== undefined) records.put(SLOT_GENERATION, this.#schedule, record.value, { due: now })
    })
  }
}
