/** Reverses the changes of a merge in a resource; later changes are kept. */
import { isDeepStrictEqual } from 'node:util'
import type { Provenance } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { type AnyResource, isObject, type JsonObject } from '../../fhir/resource.ts'
import { Meter } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Versioned } from '../../repository/repository.ts'
import { changedBy, type MergeBegin, provenancesOf } from './merge-provenance.ts'
import { type OnRefusal, type PageSize, putReferences } from './move-references.ts'

/** A version created by a merge. */
type MadeVersion = Pick<Versioned, 'type' | 'id' | 'version'>

/**
 * Returns undefined if there is nothing to reverse: the resource was deleted, or changed in the same place since.
 * @throws FhirError 422 naming the resource; or whatever `onRefusal` throws, if it is given
 */
export async function takeBack(
  ctx: Context,
  { type, id, version }: MadeVersion,
  onRefusal?: OnRefusal,
): Promise<Versioned | undefined> {
  const current = await ctx.unit.read(type, id)
  if (current === undefined || current.deleted) return undefined
  const before = await ctx.unit.readVersion(type, id, version - 1)
  const after = await ctx.unit.readVersion(type, id, version)
  if (before === undefined || after === undefined || before.deleted || after.deleted) return undefined
  const is = unversioned(current.resource)
  const result = withoutChange(unversioned(before.resource), unversioned(after.resource), is)
  return isDeepStrictEqual(result, is) ? undefined : await putReferences(ctx, current, result as AnyResource, onRefusal)
}

/** Position of the reversal of a merge. */
export interface ReturnPosition {
  /** Cursor from the previous page of Provenances; a page has one. */
  readonly after?: string
  /** Number of resources of this Provenance already done. */
  readonly done: number
}

export const FIRST_RETURN: ReturnPosition = { done: 0 }

interface ReturnedPage {
  readonly merges: readonly Versioned<Provenance>[]
  readonly changed: readonly Versioned[]
  readonly looked: number
  /** Absent after the last page. */
  readonly next?: ReturnPosition
}

/** Resources of a merge, without its two Patients; at most `count`. @throws as takeBack */
export async function takeBackPage(
  ctx: Context,
  begin: MergeBegin,
  { after, done }: ReturnPosition,
  { count, characters, onRefusal }: PageSize,
): Promise<ReturnedPage> {
  const { found, next } = await provenancesOf(ctx, begin, after)
  const isPatient = ({ type, id }: MadeVersion): boolean =>
    type === 'Patient' && (id === begin.source.id || id === begin.target.id)
  const all = found.flatMap(({ resource }) => changedBy(resource, ctx.baseUrl)).filter((one) => !isPatient(one))
  const changed: Versioned[] = []
  let looked = 0
  for (let left = characters; looked < count && done + looked < all.length && left > 0; looked++) {
    const one = all[done + looked]
    const returned = one && (await takeBack(ctx, one, onRefusal))
    if (returned === undefined) continue
    changed.push(returned)
    left -= returned.text.length
    await yieldToEventLoop()
  }
  const page = { merges: found, changed, looked }
  if (done + looked < all.length)
    return { ...page, next: { ...(after === undefined ? {} : { after }), done: done + looked } }
  return next === undefined ? page : { ...page, next: { after: next, done: 0 } }
}

/** The resource without elements that are new in every version. */
function unversioned(resource: AnyResource): AnyResource {
  const { versionId: _versionId, lastUpdated: _lastUpdated, ...meta } = resource.meta ?? {}
  const { meta: _meta, ...rest } = resource
  return Object.keys(meta).length === 0 ? rest : { ...rest, meta }
}

/** Budget steps to compare two values, without their content; and characters of an item serialized per step. */
const COMPARED = 1
const CHARACTERS_IN_A_STEP = 250
/** Most positions tried for an item that was changed again since. */
const MOST_TRIED = 20

/**
 * Reverses a change of JSON where it is still in effect; parts changed again since then stay: `current` without the
 * changes from `before` to `after`. As in FHIR JSON, an absent list equals an empty one.
 * @throws BudgetError
 */
export const withoutChange = (before: unknown, after: unknown, current: unknown): unknown =>
  new Reversal().of(before, after, current)

type List = readonly unknown[]

class Reversal {
  readonly #meter = new Meter('comparing what was changed since the merge')

  of(before: unknown, after: unknown, current: unknown): unknown {
    if (this.#isSame(before, after)) return current
    if (this.#isSame(after, current)) return before
    if (isObject(before) && isObject(after) && isObject(current)) return this.#ofObject(before, after, current)
    const [was, became, is] = [listOf(before), listOf(after), listOf(current)]
    if (was !== undefined && became !== undefined && is !== undefined) return this.#ofList(was, became, is)
    return current
  }

  #ofObject(before: JsonObject, after: JsonObject, current: JsonObject): JsonObject {
    const names = new Set([...Object.keys(current), ...Object.keys(before)])
    const members = Array.from(names, (name) => [name, this.of(before[name], after[name], current[name])] as const)
    return Object.fromEntries(members.filter(([, value]) => value !== undefined))
  }

  #ofList(before: List, after: List, current: List): List | undefined {
    const list =
      before.length === after.length ? this.#itemByItem(before, after, current) : this.#asSets(before, after, current)
    return list.length === 0 ? undefined : list
  }

  /** Reverses changes within items, when none was added or removed. Since then items may have moved. */
  #itemByItem(before: List, after: List, current: List): List {
    const places = this.#placesOf(after, current)
    const result = [...current]
    for (const [index, at] of places) result[at] = this.of(before[index], after[index], current[at])
    const free = new Set(current.keys())
    for (const at of places.values()) free.delete(at)
    for (const index of after.keys()) {
      if (places.has(index) || this.#isSame(before[index], after[index])) continue
      const at = this.#placeOfChanged(index, free, (one) => this.of(before[index], after[index], current[one]), current)
      if (at === undefined) continue
      free.delete(at)
      result[at] = this.of(before[index], after[index], current[at])
    }
    return result
  }

  /** Position of an item that was changed again since: where reversing the change has an effect. */
  #placeOfChanged(
    index: number,
    free: ReadonlySet<number>,
    reversed: (at: number) => unknown,
    current: List,
  ): number | undefined {
    const isPlace = (at: number): boolean => !this.#isSame(reversed(at), current[at])
    return free.has(index) && isPlace(index) ? index : free.values().take(MOST_TRIED).find(isPlace)
  }

  /** Positions in `current` of the items of `after`: from both ends as long as they are equal, then anywhere. */
  #placesOf(after: List, current: List): ReadonlyMap<number, number> {
    const shorter = Math.min(after.length, current.length)
    let head = 0
    while (head < shorter && this.#isSame(after[head], current[head])) head += 1
    let tail = 0
    while (tail < shorter - head && this.#isSame(after.at(-1 - tail), current.at(-1 - tail))) tail += 1
    const shift = current.length - after.length
    const [afterEnd, currentEnd] = [after.length - tail, current.length - tail]
    const places = new Map<number, number>()
    for (let index = 0; index < head; index++) places.set(index, index)
    for (let index = afterEnd; index < after.length; index++) places.set(index, index + shift)
    const free = Map.groupBy(indexes(head, currentEnd), (at) => this.#keyOf(current[at]))
    for (const index of indexes(head, afterEnd)) {
      const at = free.get(this.#keyOf(after[index]))?.shift()
      if (at !== undefined) places.set(index, at)
    }
    return places
  }

  /** Reverses additions and removals: added items are removed, and removed ones appended. */
  #asSets(before: List, after: List, current: List): List {
    const keysOf = (list: List): ReadonlySet<string> => new Set(list.map((item) => this.#keyOf(item)))
    const [was, became] = [keysOf(before), keysOf(after)]
    const kept = current.filter((item) => was.has(this.#keyOf(item)) || !became.has(this.#keyOf(item)))
    const there = keysOf(kept)
    const removed = before.filter((item) => !became.has(this.#keyOf(item)) && !there.has(this.#keyOf(item)))
    return [...kept, ...removed]
  }

  #isSame(one: unknown, other: unknown): boolean {
    this.#meter.pay(COMPARED)
    return isDeepStrictEqual(one, other)
  }

  /** A key that is the same for equal items with the same order of properties. */
  #keyOf(item: unknown): string {
    const key = JSON.stringify(item)
    this.#meter.pay(COMPARED + key.length / CHARACTERS_IN_A_STEP)
    return key
  }
}

const listOf = (value: unknown): List | undefined =>
  value === undefined ? [] : Array.isArray(value) ? (value as List) : undefined

const indexes = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, n) => from + n)
