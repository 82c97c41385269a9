/**
 * Slots that the server writes, https://hl7.org/fhir/R4/slot.html: those in time reserved by a visit elsewhere, which are
 * busy-unavailable with a tag for the reason; and generated ones, their ids, tags and content, and the changes that a plan makes
 * to them. Free slots no longer in the plan are removed, and missing ones are created. Time that is booked, held or blocked, and
 * Slots created by users, stay as they are.
 */

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Coding, Slot } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import type { SlotPlan } from './availability.ts'
import { type Block, overlap, type PlannedSlot } from './planned-slots.ts'
import { type Span, ZoneClock } from './zone-clock.ts'

/** resources/code-systems/slot-block.json */
const TAG = { system: 'https://sandbox-emr.example/fhir/CodeSystem/slot-block', code: 'reserved' }

const isTag = ({ system, code }: Coding): boolean => system === TAG.system && code === TAG.code

/** Whether it would be free if its actors were. */
export const isReserved = ({ status, meta }: Slot): boolean =>
  status === 'busy-unavailable' && meta?.tag?.some(isTag) === true

/** Whether only its actors decide if it is free: it is not booked, held or blocked. */
export const isOnOffer = (slot: Slot): boolean => slot.status === 'free' || isReserved(slot)

/** Whether visits decide its status: it is neither blocked nor entered in error. */
export const isUnblocked = ({ status }: Slot): boolean =>
  status === 'free' || status === 'busy' || status === 'busy-tentative'

/** Returns the same object if nothing changes. */
export function reserved<S extends Slot>(slot: S): S {
  if (isReserved(slot)) return slot
  const tags = slot.meta?.tag?.filter((tag) => !isTag(tag)) ?? []
  return { ...slot, status: 'busy-unavailable', meta: { ...slot.meta, tag: [...tags, TAG] } }
}

/** Free if it was reserved, and without the tag in any case; the same object if nothing changes. */
export function unreserved<S extends Slot>(slot: S): S {
  const { meta: given, ...rest } = slot
  if (given?.tag?.some(isTag) !== true) return slot
  const { tag: tags = [], ...others } = given
  const tag = tags.filter((one) => !isTag(one))
  const meta = tag.length === 0 ? others : { ...others, tag }
  const status = isReserved(slot) ? 'free' : slot.status
  // FHIR does not permit empty elements.
  return { ...rest, ...(Object.keys(meta).length === 0 ? {} : { meta }), status } as S
}

/** System of meta.tag in a generated Slot. A Slot without it was created by a user, and is left alone. */
const ORIGIN_SYSTEM = 'https://sandbox-emr.example/fhir/CodeSystem/slot-origin'

const CODES = { visit: 'generated', buffer: 'generated-buffer' } as const satisfies Record<PlannedSlot['kind'], string>

/** The tag in the form of a search parameter. */
export const BUFFER_TAG = `${ORIGIN_SYSTEM}|${CODES.buffer}`

export type SlotWithId = Slot & { readonly id: string }

/** https://hl7.org/fhir/R4/datatypes.html#id */
const MAX_ID = 64

/** The same for every process and run, so that no slot is created twice: `slot-<schedule>-20260302T1330Z`. */
export function slotIdAt(schedule: string, start: number): string {
  const time = new Date(start)
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\d\d\.\d+Z$/, 'Z')
  const id = `slot-${schedule}-${time}`
  if (id.length <= MAX_ID) return id
  return `slot-${createHash('sha256').update(schedule).digest('hex').slice(0, 32)}-${time}`
}

/** Returns undefined for a Slot that was not generated. */
export function kindOf({ meta }: Slot): PlannedSlot['kind'] | undefined {
  const codes = (meta?.tag ?? []).filter(({ system }) => system === ORIGIN_SYSTEM).map(({ code }) => code)
  if (codes.includes(CODES.buffer)) return 'buffer'
  return codes.includes(CODES.visit) ? 'visit' : undefined
}

/** True for a generated Slot that has not been booked, held or blocked. */
function isUntouched(slot: Slot): boolean {
  switch (kindOf(slot)) {
    case 'visit':
      return slot.status === 'free'
    case 'buffer':
      return slot.status === 'busy-unavailable'
    case undefined:
      return false
  }
}

/** Creates the Slots of a plan; each replaces `stored` if the content differs. */
export function slotsOf(schedule: string, { details, timeZone }: SlotPlan) {
  const clock = new ZoneClock(timeZone)
  return ({ kind, start, end, appointmentType }: PlannedSlot, stored?: Slot): SlotWithId => {
    const { meta, serviceCategory: _c, serviceType: _t, specialty: _s, appointmentType: _a, ...kept } = stored ?? {}
    const tags = (meta?.tag ?? []).filter(({ system }) => system !== ORIGIN_SYSTEM)
    return {
      ...kept,
      resourceType: 'Slot',
      id: slotIdAt(schedule, start),
      meta: { ...meta, tag: [...tags, { system: ORIGIN_SYSTEM, code: CODES[kind] }] },
      ...details,
      ...(appointmentType === undefined ? {} : { appointmentType }),
      schedule: { reference: `Schedule/${schedule}` },
      status: kind === 'buffer' ? 'busy-unavailable' : 'free',
      start: clock.format(start),
      end: clock.format(end),
    }
  }
}

export interface SlotSituation {
  readonly schedule: string
  /** Absent: the Schedule offers nothing. */
  readonly plan?: SlotPlan | undefined
  /** Blocks of the plan within the window. */
  readonly blocks: readonly Block[]
  /** The Slots of the Schedule that overlap the window. */
  readonly stored: readonly SlotWithId[]
  /** Ids of Slots that the previous plan had too and that a user has deleted since. */
  readonly unwanted: ReadonlySet<string>
  /** Only Slots that start within it are changed. */
  readonly window: Span
}

export interface SlotChanges {
  readonly created: readonly SlotWithId[]
  readonly updated: readonly SlotWithId[]
  /** Slot.id. */
  readonly removed: readonly string[]
}

export function slotChanges({ schedule, plan, blocks, stored, unwanted, window }: SlotSituation): SlotChanges {
  const kept = keptSlots(stored)
  const mine = new Map(stored.filter((slot) => isUntouched(slot) && !kept.has(slot)).map((slot) => [slot.id, slot]))
  const taken = new Set(stored.filter((slot) => !mine.has(slot.id)).map(({ id }) => id))
  const inUse = [...kept].filter(({ status }) => status !== 'entered-in-error').map(spanned)
  const created: SlotWithId[] = []
  const updated: SlotWithId[] = []
  const staying = new Set<string>()
  const make = plan && slotsOf(schedule, plan)
  for (const part of blocks.flatMap((block) => offered(block, inUse, unwanted, schedule))) {
    const id = slotIdAt(schedule, part.start)
    const before = mine.get(id)
    const next = taken.has(id) ? undefined : make?.(part, before)
    if (next === undefined) continue
    staying.add(id)
    if (before === undefined) created.push(next)
    else if (!isDeepStrictEqual(contentOf(before), contentOf(next))) updated.push(next)
  }
  const removed = [...mine.values()].filter((slot) => !staying.has(slot.id) && startsIn(slot, window))
  return { created, updated, removed: removed.map(({ id }) => id) }
}

/** Slots that are not changed: those of users, booked, held or blocked ones, and the buffers beside them. */
function keptSlots(stored: readonly SlotWithId[]): ReadonlySet<SlotWithId> {
  const kept = stored.filter((slot) => !isUntouched(slot))
  const edges = new Set(
    kept.filter((slot) => kindOf(slot) === 'visit').flatMap(({ start, end }) => [start, end].map(timeOf)),
  )
  const isBeside = ({ start, end }: Slot) => edges.has(timeOf(start)) || edges.has(timeOf(end))
  return new Set([...kept, ...stored.filter((slot) => kindOf(slot) === 'buffer' && isBeside(slot))])
}

type Spanned = Span & { readonly slot: SlotWithId }

const spanned = (slot: SlotWithId): Spanned => ({ slot, start: timeOf(slot.start), end: timeOf(slot.end) })

const startsIn = (slot: Slot, { start, end }: Span): boolean => timeOf(slot.start) >= start && timeOf(slot.start) < end

/** A block whose visit is booked keeps its buffers; a block that overlaps anything else is not offered. */
function offered(
  block: Block,
  kept: readonly Spanned[],
  unwanted: ReadonlySet<string>,
  schedule: string,
): readonly PlannedSlot[] {
  const parts = block.filter((part) => !unwanted.has(slotIdAt(schedule, part.start)))
  if (!parts.some(({ kind }) => kind === 'visit')) return []
  const isOwn = ({ slot, start, end }: Spanned) =>
    block.some((part) => slot.id === slotIdAt(schedule, part.start) && start === part.start && end === part.end)
  const isCrossed = kept.some((one) => block.some((part) => overlap(part, one)) && !isOwn(one))
  return isCrossed ? [] : parts
}

/** The content without elements added by the store, and without undefined values. */
function contentOf({ meta, ...content }: Slot): unknown {
  return JSON.parse(JSON.stringify({ tag: meta?.tag, ...content }))
}
