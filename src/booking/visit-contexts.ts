/**
 * Details of the visit given in a search for times, stored for a day or two: the ids of the offered Appointments begin
 * with their key. The key is derived from the content, so that repeated searches share one record.
 */
import { hash } from 'node:crypto'
import type { ClinicAccess, Context } from '../core/context.ts'
import { isObject } from '../fhir/resource.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { VisitContext } from '../scheduling/proposed-appointment.ts'

const VISIT_CONTEXT = recordKind<StoredContext>('visit-context')

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
export const isContextKey = (text: string): boolean => text === NO_CONTEXT || /^[0-9a-z]{11}$/.test(text)

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
  const kept = await keysOf(access.reader(), contexts)
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
