/** A store as naive as can be, in memory: what the engines are compared with. */
import { createHash } from 'node:crypto'
import type { Condition, IndexEntry, RangeBounds, SearchPlan, SortKey } from '../../src/search/plan.ts'
import {
  type ChangeSet,
  type HistoryQuery,
  InvalidCursor,
  type RecordChange,
  type RecordQuery,
  type ResourceChange,
  type ResourceStore,
  type ScannedVersion,
  type ScanPage,
  type ScanQuery,
  type SearchResult,
  StoreConflict,
  type StoredRecord,
  type StoredResource,
  StoreUnavailable,
  type VersionScan,
} from '../../src/storage/port.ts'

interface Held {
  /** In the order of creation. */
  readonly number: number
  readonly clinic: string
  readonly versions: ResourceChange[]
}

type Key = string | number | null

export interface Model extends ResourceStore {
  /** What every match is sorted by, as JSON, in order: ties give the same text. */
  sortKeys(plan: SearchPlan): readonly string[]
  /** The same for one resource. */
  sortKeysOf(plan: SearchPlan, type: string, id: string): string
}

export function openModel(): Model {
  const resources = new Map<string, Held>()
  const written: { readonly clinic: string; readonly change: ResourceChange }[] = []
  const records = new Map<string, StoredRecord>()
  let closed = false

  const address = (...parts: readonly string[]) => JSON.stringify(parts)
  const held = (clinic: string, type: string, id: string) => resources.get(address(clinic, type, id))
  const current = (resource: Held | undefined) => resource?.versions.at(-1)
  const live = (clinic: string, types: readonly string[]) =>
    [...resources.values()].filter((resource) => {
      const change = current(resource)
      return (
        resource.clinic === clinic && change !== undefined && change.method !== 'DELETE' && types.includes(change.type)
      )
    })
  const change = (resource: Held): ResourceChange => {
    const found = current(resource)
    if (found === undefined) throw new Error('a resource without versions')
    return found
  }

  function holds(condition: Condition, resource: Held): boolean {
    const { entries, type, id, lastUpdated } = change(resource)
    const some = <Kind extends IndexEntry['kind']>(
      kind: Kind,
      test: (entry: Extract<IndexEntry, { kind: Kind }>) => boolean,
    ) =>
      entries.some(
        (entry) =>
          'param' in condition &&
          entry.kind === kind &&
          entry.param === condition.param &&
          test(entry as Extract<IndexEntry, { kind: Kind }>),
      )
    switch (condition.kind) {
      case 'any':
        return condition.of.some((part) => holds(part, resource))
      case 'all':
        return condition.of.every((part) => holds(part, resource))
      case 'not':
        return !holds(condition.of, resource)
      case 'string':
        return some('string', ({ folded, exact }) => {
          if (condition.match === 'exact') return exact === condition.value
          return fitsText(condition.match, folded, condition.value)
        })
      case 'unequal':
        return entries.some(
          (entry) =>
            entry.kind === condition.of.kind &&
            entry.param === condition.of.param &&
            !holds(condition.of, { ...resource, versions: [{ ...change(resource), entries: [entry] }] }),
        )
      case 'token':
        return some('token', ({ system, code }) => fits(condition.system, system) && fits(condition.code, code))
      case 'reference':
        return some(
          'reference',
          (entry) =>
            entry.id === condition.id &&
            fits(condition.type, entry.type) &&
            (fits(condition.version, entry.version) ||
              (condition.versions === 'below' && entry.version?.startsWith(`${condition.version}.`) === true)),
        )
      case 'uri':
        return some('uri', ({ value }) => {
          if (condition.match === 'exact') return value === condition.value
          return condition.match === 'below' ? isBelow(value, condition.value) : isBelow(condition.value, value)
        })
      case 'date':
        return some('date', ({ low, high }) => within(condition.bounds, low, high))
      case 'number':
        return some('number', ({ low, high }) => within(condition.bounds, low, high))
      case 'quantity':
        return some(
          'quantity',
          ({ low, high, system, code }) =>
            within(condition.bounds, low, high) && fits(condition.system, system) && fits(condition.code, code),
        )
      case 'position':
        return some('position', (entry) => metresBetween(condition, entry) <= condition.distance)
      case 'composite':
        return some('composite', ({ parts }) =>
          condition.parts.every((part, index) => {
            const entry = parts[index]
            const alone = { ...change(resource), entries: entry === undefined ? [] : [entry] }
            return holds(part, { ...resource, versions: [alone] })
          }),
        )
      case 'missing':
        return entries.some((entry) => entry.param === condition.param) !== condition.missing
      case 'id':
        return condition.ids.includes(id)
      case 'type':
        return condition.types.includes(type)
      case 'lastUpdated':
        return within(condition.bounds, lastUpdated, lastUpdated)
      case 'chain':
        return some('reference', (entry) => {
          const target = live(resource.clinic, condition.types).find((one) => sameAddress(change(one), entry))
          return target !== undefined && holds(condition.where, target)
        })
      case 'has':
        return live(resource.clinic, [condition.type]).some(
          (source) =>
            change(source).entries.some(
              (entry) =>
                entry.kind === 'reference' && entry.param === condition.param && sameAddress(change(resource), entry),
            ) && holds(condition.where, source),
        )
    }
  }

  const matches = (plan: SearchPlan) =>
    live(plan.clinic, plan.types)
      .filter((resource) => plan.where.every((condition) => holds(condition, resource)))
      .sort((one, other) => compare(plan.sort, position(plan, one), position(plan, other)))

  const position = (plan: SearchPlan, resource: Held): readonly Key[] => [
    ...plan.sort.map((key) => sortValue(key, change(resource))),
    resource.number,
  ]

  function search(plan: SearchPlan): SearchResult {
    const all = matches(plan)
    const after = plan.after === undefined ? undefined : readCursor(plan.after, searchQuery(plan))
    const rest = after === undefined ? all : all.filter((one) => compare(plan.sort, position(plan, one), after) > 0)
    const shown = rest.slice(0, plan.count)
    const last = shown.at(-1)
    const hasMore = rest.length > shown.length && last !== undefined
    const isTotalKnown = plan.total !== 'none' || plan.count === 0 || (after === undefined && !hasMore)
    return {
      matches: shown.map((resource) => asStored(change(resource))),
      ...include(plan, shown),
      ...(hasMore ? { next: writeCursor(position(plan, last), searchQuery(plan)) } : {}),
      ...(isTotalKnown ? { total: all.length } : {}),
    }
  }

  function include(plan: SearchPlan, shown: readonly Held[]): Pick<SearchResult, 'included' | 'truncated'> {
    const seen = new Set(shown)
    const found: Held[] = []
    let newest = shown
    for (let round = 0; newest.length > 0; round += 1) {
      const reached: Held[] = []
      for (const one of plan.include.filter(({ iterate }) => iterate || round === 0)) {
        for (const other of live(plan.clinic, typesOf(plan.clinic))) {
          const linked = newest.some((near) => (one.reverse ? refers(other, near, one) : refers(near, other, one)))
          if (!linked || seen.has(other)) continue
          seen.add(other)
          reached.push(other)
        }
      }
      found.push(...reached)
      newest = reached
    }
    return {
      included: found.slice(0, plan.includeLimit).map((resource) => asStored(change(resource))),
      truncated: found.length > plan.includeLimit,
    }
  }

  const refers = (source: Held, target: Held, one: SearchPlan['include'][number]) =>
    (one.source === '*' || change(source).type === one.source) &&
    (one.target === undefined || change(target).type === one.target) &&
    change(source).entries.some(
      (entry) =>
        entry.kind === 'reference' &&
        (one.param === '*' || entry.param === one.param) &&
        sameAddress(change(target), entry),
    )

  const typesOf = (clinic: string) =>
    [...resources.values()].filter((resource) => resource.clinic === clinic).map((resource) => change(resource).type)

  function versionConflict({ clinic, resources: changes }: ChangeSet): StoreConflict | undefined {
    const versions = new Map<string, number>()
    for (const { type, id, expect, version } of changes) {
      const before = versions.get(`${type}/${id}`) ?? current(held(clinic, type, id))?.version ?? 0
      if (before !== expect) return new StoreConflict('version', `${type}/${id}`)
      versions.set(`${type}/${id}`, version)
    }
    return undefined
  }

  function recordConflict({ records: changes }: ChangeSet): StoreConflict | undefined {
    const changed = changes.find(({ clinic, kind, key, expect }) => {
      return expect !== 'any' && expect !== (records.get(address(clinic, kind, key))?.version ?? 0)
    })
    return changed && new StoreConflict('record', `${changed.kind}/${changed.key}`)
  }

  function guardConflict({ guards }: ChangeSet): StoreConflict | undefined {
    const broken = guards.find(({ plan, ids }) => {
      const found = matches(plan).map((resource) => change(resource).id)
      return found.length !== ids.length || !found.every((id) => ids.includes(id))
    })
    return broken && new StoreConflict('guard', broken.plan.types.join(','))
  }

  function writeResource(clinic: string, next: ResourceChange): void {
    const key = address(clinic, next.type, next.id)
    const resource = resources.get(key) ?? { number: resources.size, clinic, versions: [] }
    resources.set(key, resource)
    resource.versions.push(next)
    written.push({ clinic, change: next })
  }

  function writeRecord({ clinic, kind, key, value, due = null, version: given }: RecordChange): void {
    const before = records.get(address(clinic, kind, key))
    if (value === undefined) records.delete(address(clinic, kind, key))
    else {
      const version = given ?? (before?.version ?? 0) + 1
      records.set(address(clinic, kind, key), { clinic, kind, key, version, value, due })
    }
  }

  function history(query: HistoryQuery) {
    const all = written
      .map((one, number) => ({ ...one, number }))
      .filter(({ clinic, change: { type, id, lastUpdated, version } }) => {
        const next = held(clinic, type, id)?.versions.find((later) => later.version === version + 1)
        return (
          clinic === query.clinic &&
          fits(query.type, type) &&
          fits(query.id, id) &&
          (query.since === undefined || lastUpdated >= query.since) &&
          (query.at === undefined ||
            (lastUpdated <= query.at.to && (next === undefined || next.lastUpdated > query.at.from)))
        )
      })
      .sort((one, other) => other.change.lastUpdated - one.change.lastUpdated || other.number - one.number)
    const after = query.after === undefined ? undefined : readCursor(query.after, historyQuery(query))
    const rest = after === undefined ? all : all.slice(all.findIndex(({ number }) => number === after[0]) + 1)
    const shown = rest.slice(0, query.count)
    const last = shown.at(-1)
    return {
      versions: shown.map((one) => asStored(one.change)),
      total: all.length,
      ...(rest.length > shown.length && last !== undefined
        ? { next: writeCursor([last.number], historyQuery(query)) }
        : {}),
    }
  }

  function clinics(): readonly string[] {
    const names = [...written.map(({ clinic }) => clinic), ...[...records.values()].map(({ clinic }) => clinic)]
    return [...new Set(names)].sort(compareKeys)
  }

  function scanVersions({ clinic, limit, after, since = 0 }: VersionScan): ScanPage<ScannedVersion> {
    const all = written
      .map(({ change }, number) => ({
        change,
        number,
        isCurrent: current(held(clinic, change.type, change.id)) === change,
      }))
      .filter(({ number, change }) => written[number]?.clinic === clinic && change.lastUpdated >= since)
      .sort((one, other) => one.change.lastUpdated - other.change.lastUpdated || one.number - other.number)
    return scanned(all, `versions of ${clinic}`, limit, after, ({ change, isCurrent }) => ({
      ...asStored(change),
      isCurrent,
    }))
  }

  function scanRecords({ clinic, limit, after }: ScanQuery): ScanPage<StoredRecord> {
    const all = [...records.values()]
      .filter((record) => record.clinic === clinic)
      .sort((one, other) => compareKeys(one.kind, other.kind) || compareKeys(one.key, other.key))
    return scanned(all, `records of ${clinic}`, limit, after, (record) => record)
  }

  /** Pages by how many came before: nobody writes between them. */
  function scanned<From, To>(
    all: readonly From[],
    query: string,
    limit: number,
    after: string | undefined,
    to: (one: From) => To,
  ) {
    const start = after === undefined ? 0 : Number(readCursor(after, query)[0])
    const end = start + limit
    const items = all.slice(start, end).map(to)
    return { items, ...(end < all.length ? { next: writeCursor([end], query) } : {}) }
  }

  const sortText = (plan: SearchPlan, resource: Held) => JSON.stringify(position(plan, resource).slice(0, -1))

  return {
    sortKeys: (plan) => matches(plan).map((resource) => sortText(plan, resource)),
    sortKeysOf: (plan, type, id) => {
      const resource = held(plan.clinic, type, id)
      return resource === undefined ? 'never written' : sortText(plan, resource)
    },
    read: async (clinic, type, id) => {
      const found = current(held(clinic, type, id))
      return found && asStored(found)
    },
    readVersion: async (clinic, type, id, version) => {
      const found = held(clinic, type, id)?.versions.find((one) => one.version === version)
      return found && asStored(found)
    },
    write: async (changes) => {
      if (closed) throw new StoreUnavailable('closed')
      const refused = versionConflict(changes) ?? recordConflict(changes) ?? guardConflict(changes)
      if (refused !== undefined) throw refused
      for (const one of changes.resources) writeResource(changes.clinic, one)
      for (const one of changes.records) writeRecord(one)
    },
    search: async (plan) => search(plan),
    reindex: async () => ({ done: 0, failed: 0 }),
    history: async (query) => history(query),
    values: async ({ clinic, type, kind, param, limit }) => {
      const entries = [...resources.values()].flatMap((resource) => {
        const { method, type: own, entries: its } = change(resource)
        return resource.clinic === clinic && method !== 'DELETE' && (type ?? own) === own ? its : []
      })
      const found = entries.flatMap((entry) => {
        if (entry.param !== param || entry.kind !== kind) return []
        if (entry.kind === 'token') return [{ system: entry.system, code: entry.code }]
        return entry.kind === 'uri' ? [{ system: '', code: entry.value }] : []
      })
      return [...new Map(found.map((value) => [JSON.stringify(value), value])).values()].slice(0, limit)
    },
    readRecord: async (clinic, kind, key) => records.get(address(clinic, kind, key)),
    readRecent: async (clinic, kind, key) => records.get(address(clinic, kind, key)),
    records: async (query) => findRecords([...records.values()], query),
    clinics: async () => clinics(),
    scanVersions: async (scan) => scanVersions(scan),
    scanRecords: async (scan) => scanRecords(scan),
    isEmpty: async () => written.length === 0 && records.size === 0,
    close: async () => {
      closed = true
    },
  }
}

const fits = <T>(wanted: T | undefined, found: T | undefined) => wanted === undefined || wanted === found

function fitsText(match: Exclude<StringMatch, 'exact'>, folded: string, value: string): boolean {
  const [one, other] = [Buffer.from(folded), Buffer.from(value)]
  switch (match) {
    case 'prefix':
      return folded.startsWith(value)
    case 'contains':
      return folded.includes(value)
    case 'suffix':
      return folded.endsWith(value)
    case 'equal':
      return folded === value
    case 'greater':
      return Buffer.compare(one, other) > 0
    case 'less':
      return folded !== '' && Buffer.compare(one, other) < 0
  }
}

type StringMatch = Extract<Condition, { kind: 'string' }>['match']

const sameAddress = (resource: StoredResource, entry: { readonly type: string; readonly id: string }) =>
  resource.type === entry.type && resource.id === entry.id

const within = ({ lowMin, lowMax, highMin, highMax }: RangeBounds, low: number, high: number) =>
  low >= (lowMin ?? low) && low <= (lowMax ?? low) && high >= (highMin ?? high) && high <= (highMax ?? high)

/** By the angle between the two places as vectors. */
function metresBetween(one: Place, other: Place): number {
  const [left, right] = [vectorOf(one), vectorOf(other)]
  const chord = Math.hypot(...left.map((value, axis) => value - (right[axis] ?? 0)))
  return 2 * Math.asin(Math.min(1, chord / 2)) * 6_371_008.8
}

interface Place {
  readonly latitude: number
  readonly longitude: number
}

function vectorOf({ latitude, longitude }: Place): readonly number[] {
  const [north, east] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180]
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)]
}

const isBelow = (value: string, folder: string) =>
  value === folder || value.startsWith(folder.endsWith('/') ? folder : `${folder}/`)

function sortValue(key: SortKey, { id, lastUpdated, entries }: ResourceChange): Key {
  if (key.by === 'id') return id
  if (key.by === 'lastUpdated') return lastUpdated
  const values = entries.flatMap((entry) =>
    entry.kind === key.by && entry.param === key.param ? [entryValue(entry, key.descending)] : [],
  )
  values.sort((one, other) => (key.descending ? compareKeys(other, one) : compareKeys(one, other)))
  return values[0] ?? null
}

function entryValue(entry: IndexEntry, descending: boolean): Key {
  switch (entry.kind) {
    case 'string':
      return entry.folded
    case 'token':
      return entry.code
    case 'reference':
      return entry.id
    case 'uri':
      return entry.value
    case 'date':
    case 'number':
    case 'quantity':
      return descending ? entry.high : entry.low
    default:
      return null
  }
}

/** The last key is the resource's number. */
function compare(sort: readonly SortKey[], one: readonly Key[], other: readonly Key[]): number {
  for (const [index, { descending }] of sort.entries()) {
    const [left, right] = [one[index] ?? null, other[index] ?? null]
    if (left === right) continue
    if (left === null) return 1
    if (right === null) return -1
    return descending ? compareKeys(right, left) : compareKeys(left, right)
  }
  return compareKeys(one.at(-1) ?? null, other.at(-1) ?? null)
}

/** Texts by code point, which is the order of their UTF-8 bytes. */
function compareKeys(one: Key, other: Key): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}

function findRecords(records: readonly StoredRecord[], { clinic, kind, dueBefore, limit }: RecordQuery) {
  return records
    .filter((record) => record.kind === kind && fits(clinic, record.clinic))
    .filter(({ due }) => dueBefore === undefined || (due !== null && due <= dueBefore))
    .sort((one, other) => {
      const byDue = dueBefore === undefined ? 0 : (one.due ?? 0) - (other.due ?? 0)
      return byDue || compareKeys(one.key, other.key)
    })
    .slice(0, limit)
}

function asStored({ type, id, version, lastUpdated, method, text }: ResourceChange): StoredResource {
  return { type, id, version, lastUpdated, method, text }
}

const searchQuery = ({ clinic, types, where, sort }: SearchPlan) => JSON.stringify([clinic, types, where, sort])
const historyQuery = ({ clinic, type, id, since, at }: HistoryQuery) => JSON.stringify([clinic, type, id, since, at])

const check = (keys: readonly Key[], query: string) =>
  createHash('sha256')
    .update(JSON.stringify([keys, query]))
    .digest('hex')

const writeCursor = (keys: readonly Key[], query: string) =>
  Buffer.from(JSON.stringify([check(keys, query), ...keys])).toString('base64url')

function readCursor(cursor: string, query: string): readonly Key[] {
  try {
    const [found, ...keys] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, ...Key[]]
    if (found === check(keys, query)) return keys
  } catch {
    // Not even JSON: refused below.
  }
  throw new InvalidCursor('not a cursor of this search')
}
