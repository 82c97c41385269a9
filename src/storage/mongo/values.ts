/**
 * The distinct values of a parameter, by seeking from each to the next in the index: one step per value, not per
 * resource.
 */

import { compareTexts } from '../cursor.ts'
import type { StoredValue, ValuesQuery } from '../port.ts'
import type { IndexItem } from './collections.ts'
import type { Engine } from './engine.ts'
import { keyOf } from './index-entries.ts'
import { readLimits } from './read-limits.ts'

/** Resources that are read to find the systems of a code. */
const MAX_READ = 1000

export async function values(
  engine: Engine,
  { clinic, type, kind, param, limit }: ValuesQuery,
): Promise<readonly StoredValue[]> {
  const types = type === undefined ? await engine.resources.distinct('type', { clinic }, readLimits()) : [type]
  const found = new Map<string, StoredValue>()
  for (const one of types) {
    const parameter: Parameter = { clinic, type: one, k: keyOf(kind, param) }
    let code = await next(engine, parameter, undefined)
    for (; code !== undefined && found.size < limit; code = await next(engine, parameter, code)) {
      const systems = kind === 'token' ? await systemsOf(engine, parameter, code) : ['']
      for (const system of systems) found.set(JSON.stringify([system, code]), { system, code })
    }
  }
  return [...found.values()].slice(0, limit)
}

interface Parameter {
  readonly clinic: string
  readonly type: string
  readonly k: string
}

/** The next value. The first resource in the index after a value has the next one, and perhaps later ones. */
async function next(
  { resources }: Engine,
  { clinic, type, k }: Parameter,
  after: string | undefined,
): Promise<string | undefined> {
  const v = after === undefined ? { $gte: '' } : { $gt: after }
  const found = await resources.findOne(
    { clinic, type, ix: { $elemMatch: { k, v } } },
    { hint: 'by_entry', projection: { _id: 0, ix: 1 }, ...readLimits() },
  )
  const later = (found?.ix ?? []).flatMap((item) => valueIn(item, k, after))
  return later.reduce<string | undefined>(
    (least, one) => (least === undefined || isLess(one, least) ? one : least),
    undefined,
  )
}

const valueIn = (item: IndexItem, k: string, after: string | undefined): readonly string[] =>
  item.k === k && typeof item.v === 'string' && (after === undefined || isLess(after, item.v)) ? [item.v] : []

const isLess = (one: string, other: string): boolean => compareTexts(one, other) < 0

async function systemsOf({ resources }: Engine, { clinic, type, k }: Parameter, v: string): Promise<readonly string[]> {
  const pipeline = [
    { $match: { clinic, type, ix: { $elemMatch: { k, v } } } },
    { $limit: MAX_READ },
    { $unwind: '$ix' },
    { $match: { 'ix.k': k, 'ix.v': v } },
    { $group: { _id: '$ix.system' } },
  ]
  const options = { hint: 'by_entry', ...readLimits() }
  const found = await resources.aggregate<{ readonly _id: string | null }>(pipeline, options).toArray()
  return found.map(({ _id }) => _id ?? '')
}
