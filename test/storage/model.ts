/**
 * A deliberately naive store in memory, with which the engines are compared. Searches are done by the set algebra in
 * naive/, which shares neither code nor design with the engines or with src/search/matches.ts.
 */
import { createHash } from 'node:crypto'
import { InvalidCursor } from '../../src/search/cursor.ts'
import type { SearchPlan } from '../../src/search/plan.ts'
import type {
  ChangeSet,
  FoundByKeys,
  HistoryQuery,
  KeysQuery,
  ListedVersion,
  RecordChange,
  RecordQuery,
  ResourceChange,
  ResourceStore,
  ScannedVersion,
  ScanPage,
  ScanQuery,
  SearchResult,
  StoredRecord,
  StoredResource,
  VersionScan,
} from '../../src/storage/port.ts'
import { withinLimit } from '../../src/storage/response-limit.ts'
import { SnapshotEnded, StoreConflict, StoreUnavailable } from '../../src/storage/store-errors.ts'
import { inOrder, keysOf, type Row } from './naive/order.ts'
import { Population, type ReferenceEntry } from './naive/population.ts'
import { compareValues, type Value } from './naive/values.ts'

interface Held {
  /** In the order of creation. */
  readonly number: number
  readonly clinic: string
  readonly versions: ResourceChange[]
}

/** The current version of a resource that is not deleted. */
interface Member extends ResourceChange {
  /** In the order of creation. */
  readonly number: number
}

/** A match with its sort keys. */
interface Match extends Row {
  readonly member: Member
}

export interface Model extends ResourceStore {
  /** The sort keys of every match, as JSON, in order: ties give the same text. */
  sortKeys(plan: SearchPlan): readonly string[]
  /** The same for one resource. */
  sortKeysOf(plan: SearchPlan, type: string, id: string): string
}

interface Written {
  readonly clinic: string
  readonly change: ResourceChange
}

/** Begins with these resources, all their versions in the order of writing, and records. */
export function openModel(
  resources = new Map<string, Held>(),
  written: Written[] = [],
  records = new Map<string, StoredRecord>(),
): Model {
  let closed = false
  let created = resources.size

  const address = (...parts: readonly string[]) => JSON.stringify(parts)
  const held = (clinic: string, type: string, id: string) => resources.get(address(clinic, type, id))
  const current = (resource: Held | undefined) => resource?.versions.at(-1)
  const populations = new Map<string, Population<Member>>()

  /** The current resources of the clinic, kept until its next write. */
  function populationOf(clinic: string): Population<Member> {
    const known = populations.get(clinic)
    if (known !== undefined) return known
    const members = [...resources.values()].flatMap((resource): Member[] => {
      const change = current(resource)
      if (resource.clinic !== clinic || change === undefined || change.method === 'DELETE') return []
      return [{ ...change, number: resource.number }]
    })
    const population = new Population(members)
    populations.set(clinic, population)
    return population
  }

  function matches(plan: SearchPlan): readonly Match[] {
    const population = populationOf(plan.clinic)
    const found = population.ofTypes(plan.types).intersection(population.fulfillingAll(plan.where))
    const keys = keysOf(population, plan.sort)
    const rows = [...found].map((member) => ({ member, number: member.number, keys: keys(member) }))
    return inOrder(plan.sort, rows)
  }

  function search(plan: SearchPlan): SearchResult {
    const all = matches(plan)
    const rest = plan.after === undefined ? all : after(plan, all, readCursor(plan.after, searchQuery(plan)))
    const shown = rest.slice(0, plan.count)
    const last = shown.at(-1)
    const hasMore = rest.length > shown.length && last !== undefined
    const isWhole = plan.count > 0 && plan.after === undefined && !hasMore
    const isTotalKnown = plan.total !== 'none' || plan.count === 0 || isWhole
    const total = isWhole ? all.length : Math.min(all.length, plan.countUpTo ?? all.length)
    return {
      matches: shown.map(({ member }) => asStored(member)),
      ...include(plan, new Set(shown.map(({ member }) => member))),
      ...(hasMore ? { next: writeCursor([...last.keys, last.number], searchQuery(plan)) } : {}),
      ...(isTotalKnown ? { total } : {}),
    }
  }

  /** The matches after the place of the cursor, where the last match of the previous page was when it was read. */
  function after(plan: SearchPlan, all: readonly Match[], cursor: readonly Key[]): readonly Match[] {
    const place: Row = { keys: cursor.slice(0, -1), number: Number(cursor.at(-1)) }
    const rows = inOrder<Row>(plan.sort, [...all, place])
    const behind = new Set(rows.slice(rows.indexOf(place) + 1))
    return all.filter((row) => behind.has(row))
  }

  function include(plan: SearchPlan, shown: ReadonlySet<Member>): Pick<SearchResult, 'included' | 'truncated'> {
    const population = populationOf(plan.clinic)
    const step = (from: ReadonlySet<Member>, includes: SearchPlan['include']) =>
      includes.reduce((all, one) => all.union(population.reached(from, one)), new Set<Member>())
    let found = shown.union(step(shown, plan.include))
    const again = plan.include.filter(({ iterate }) => iterate)
    for (let size = shown.size; size < found.size; ) {
      size = found.size
      found = found.union(step(found.difference(shown), again))
    }
    const own = [...found.difference(shown)].filter(({ type }) => !type.includes('#'))
    const named = [
      ...plan.include.flatMap((one) => population.versionsNamed(shown, one)),
      ...again.flatMap((one) => population.versionsNamed(found.difference(shown), one)),
    ]
    const included = [...own, ...olderVersions(plan.clinic, named)]
    return {
      included: included.slice(0, plan.includeLimit).map(asStored),
      truncated: included.length > plan.includeLimit,
    }
  }

  /** Each once; the current ones are found otherwise. */
  function olderVersions(clinic: string, named: readonly ReferenceEntry[]): readonly ResourceChange[] {
    const found = named.flatMap(({ type, id, version }) => {
      const versions = held(clinic, type, id)?.versions ?? []
      const one = versions.find((change) => String(change.version) === version && change.method !== 'DELETE')
      return one === undefined || one === versions.at(-1) ? [] : [one]
    })
    return [...new Set(found)]
  }

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
      const found = matches(plan).map(({ member }) => member.id)
      return found.length !== ids.length || !found.every((id) => ids.includes(id))
    })
    return broken && new StoreConflict('guard', broken.plan.types.join(','))
  }

  function writeResource(clinic: string, next: ResourceChange): void {
    const key = address(clinic, next.type, next.id)
    const resource = resources.get(key) ?? { number: created, clinic, versions: [] }
    if (!resources.has(key)) created += 1
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
          (query.among === undefined || query.among.versions.some((one) => isListed(one, type, id, version))) &&
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

  function findByKeys({ clinic, type, param, beginnings, most, some = false }: KeysQuery): FoundByKeys {
    const members = populationOf(clinic).members.filter((member) => member.type === type)
    const membersWith = (beginning: string) =>
      members.filter(({ entries }) =>
        entries.some((entry) => entry.kind === 'key' && entry.param === param && entry.key.startsWith(beginning)),
      )
    const isTooCommon = (beginning: string) => membersWith(beginning).length > most
    const found = new Set(beginnings.flatMap((one) => (isTooCommon(one) && !some ? [] : membersWith(one))))
    const resources = withinLimit([...found].slice(0, some ? most : found.size).map(asStored))
    return { resources, tooCommon: beginnings.filter(isTooCommon), isCut: resources.length < found.size }
  }

  function clinics(): readonly string[] {
    const names = [...written.map(({ clinic }) => clinic), ...[...records.values()].map(({ clinic }) => clinic)]
    return [...new Set(names)].sort(compareValues)
  }

  function scanVersions({
    clinic,
    type,
    isCurrent: onlyCurrent,
    limit,
    after,
    since = 0,
  }: VersionScan): ScanPage<ScannedVersion> {
    const all = written
      .map(({ change }, number) => ({
        change,
        number,
        isCurrent: current(held(clinic, change.type, change.id)) === change,
      }))
      .filter(({ number, change }) => written[number]?.clinic === clinic && change.lastUpdated >= since)
      .filter(({ change, isCurrent }) => fits(type, change.type) && fits(onlyCurrent, isCurrent))
      .sort((one, other) => one.change.lastUpdated - other.change.lastUpdated || one.number - other.number)
    return scanned(all, `versions of ${clinic} ${type} ${onlyCurrent}`, limit, after, ({ change, isCurrent }) => ({
      ...asStored(change),
      isCurrent,
    }))
  }

  function scanRecords({ clinic, limit, after }: ScanQuery): ScanPage<StoredRecord> {
    const all = [...records.values()]
      .filter((record) => record.clinic === clinic)
      .sort((one, other) => compareValues(one.kind, other.kind) || compareValues(one.key, other.key))
    return scanned(all, `records of ${clinic}`, limit, after, (record) => record)
  }

  /** Pages by offset, as nothing is written between them. */
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

  return {
    sortKeys: (plan) => matches(plan).map(({ keys }) => JSON.stringify(keys)),
    sortKeysOf: (plan, type, id) => {
      const population = populationOf(plan.clinic)
      const found = population.members.filter((member) => member.type === type && member.id === id)
      return JSON.stringify(found.map(keysOf(population, plan.sort))[0] ?? 'not found')
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
      populations.delete(changes.clinic)
      for (const one of changes.resources) writeResource(changes.clinic, one)
      for (const one of changes.records) writeRecord(one)
    },
    search: async (plan) => search(plan),
    reindex: async () => ({ done: 0, failed: 0 }),
    history: async (query) => history(query),
    findByKeys: async (query) => findByKeys(query),
    values: async ({ clinic, type, kind, param, limit }) => {
      const members = populationOf(clinic).members.filter((one) =>
        type === undefined ? !one.type.includes('#') : one.type === type,
      )
      const entries = members.flatMap((one) => one.entries)
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
    snapshot: async () => {
      const copies = [...resources].map(([key, one]): [string, Held] => [key, { ...one, versions: [...one.versions] }])
      const moment = openModel(new Map(copies), [...written], new Map(records))
      const { scanVersions: versions, scanRecords: recordsOf } = moment
      let isClosed = false
      const reading = async <T>(read: () => Promise<T>) => {
        if (isClosed) throw new SnapshotEnded()
        return await read()
      }
      return {
        scanVersions: (scan) => reading(() => versions(scan)),
        scanRecords: (scan) => reading(() => recordsOf(scan)),
        close: async () => {
          isClosed = true
        },
      }
    },
    drop: async (clinic, { limit, kinds }) => {
      populations.delete(clinic)
      const gone = [...resources].filter(([, one]) => one.clinic === clinic).slice(0, limit)
      for (const [key, { versions }] of gone) {
        resources.delete(key)
        written.splice(0, written.length, ...written.filter(({ change }) => !versions.includes(change)))
      }
      const ofKinds = [...records].filter(([, one]) => one.clinic === clinic && (kinds?.includes(one.kind) ?? true))
      const goneRecords = ofKinds.slice(0, limit - gone.length)
      for (const [key] of goneRecords) records.delete(key)
      return gone.length + goneRecords.length < limit
    },
    isEmpty: async () => written.length === 0 && records.size === 0,
    close: async () => {
      closed = true
    },
  }
}

type Key = Value | null

const fits = <T>(wanted: T | undefined, found: T | undefined) => wanted === undefined || wanted === found

function findRecords(records: readonly StoredRecord[], { clinic, kind, dueBefore, after, limit }: RecordQuery) {
  return records
    .filter((record) => record.kind === kind && fits(clinic, record.clinic))
    .filter(({ due }) => dueBefore === undefined || (due !== null && due <= dueBefore))
    .filter(({ key }) => after === undefined || compareValues(key, after) > 0)
    .sort((one, other) => {
      const byDue = dueBefore === undefined ? 0 : (one.due ?? 0) - (other.due ?? 0)
      return byDue || compareValues(one.key, other.key)
    })
    .slice(0, limit)
}

function asStored({ type, id, version, lastUpdated, method, text }: ResourceChange): StoredResource {
  return { type, id, version, lastUpdated, method, text }
}

const searchQuery = ({ clinic, types, where, sort }: SearchPlan) => JSON.stringify([clinic, types, where, sort])
const historyQuery = ({ clinic, type, id, since, at, among }: HistoryQuery) =>
  JSON.stringify([clinic, type, id, since, at, among?.name])

const isListed = (one: ListedVersion, type: string, id: string, version: number): boolean =>
  one.type === type && one.id === id && fits(one.version, version)

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
  throw new InvalidCursor()
}
