/**
 * The feed of events: a change of a resource whose type somebody has subscribed to adds a record, which is lost or kept with
 * the change. The dispatcher matches it with the Subscriptions (events/dispatcher.ts). docs/adr/033-events.md
 */
import { LRUCache } from 'lru-cache'
import { upTo } from '../fhir/memoize.ts'
import { present } from '../fhir/resource.ts'
import { currentBudget } from '../isolation/budget.ts'
import type { TraceContext } from '../isolation/trace-context.ts'
import type { IndexEntry } from '../search/plan.ts'
import type { ChangeMethod, ResourceStore, StoredResource } from '../storage/port.ts'
import { recordKind } from './record-kinds.ts'
import type { UnitRecords } from './unit-records.ts'
import type { Versioned } from './versioned.ts'

/** The types that running Subscriptions of a clinic listen to. */
export interface Subscribed {
  /** The number of Subscriptions that listen, by type. */
  readonly types: Readonly<Record<string, number>>
  /** The number of running Subscriptions. */
  readonly running: number
  /** The same by status; absent while none has been written since there is this. */
  readonly statuses?: Readonly<Record<string, number>>
}

export const SUBSCRIBED = recordKind<Subscribed>('subscribed')
export const SUBSCRIBED_KEY = 'subscribed'

export interface FedEvent {
  readonly method: ChangeMethod
  /** The span of the change. */
  readonly trace?: TraceContext
}

export const EVENT = recordKind<FedEvent>('event')

type Subject = Pick<StoredResource, 'type' | 'id' | 'version' | 'lastUpdated'>

/** The time of a resource never falls, so the versions of one are in their order. */
export const eventKey = ({ lastUpdated, type, id, version }: Subject): string =>
  `${String(lastUpdated).padStart(15, '0')}/${type}/${id}/${String(version).padStart(10, '0')}`

/** The reverse of `eventKey`. */
export function subjectOf(key: string): Subject {
  const [lastUpdated, type = '', id = '', version] = key.split('/')
  return { lastUpdated: Number(lastUpdated), type, id, version: Number(version) }
}

/** A version with the values that it is searched by. */
export interface Indexed {
  readonly version: Versioned
  readonly entries: readonly IndexEntry[]
}

/** Most characters of a version that is kept, and versions of a store. */
const MOST_KEPT = 20_000
const KEPT = 500

const fed = new WeakMap<ResourceStore, LRUCache<string, Indexed>>()

const fedTo = (store: ResourceStore): LRUCache<string, Indexed> => {
  const known = fed.get(store) ?? new LRUCache<string, Indexed>(upTo(KEPT))
  fed.set(store, known)
  return known
}

/** Keeps a version that this process has just written, so that its dispatcher need not read and index it again. */
export function keepFed(store: ResourceStore, partition: string, indexed: Indexed): void {
  if (indexed.version.text.length > MOST_KEPT) return
  fedTo(store).set(`${partition}/${eventKey(indexed.version)}`, indexed)
}

export const findFed = (store: ResourceStore, partition: string, key: string): Indexed | undefined =>
  fed.get(store)?.get(`${partition}/${key}`)

/** Stages the events of a change. @returns their versions */
export function stageEvents(
  unit: { readonly records: UnitRecords; readonly now: number; readonly writtenAt: number },
  { types }: Subscribed,
  versions: readonly Versioned[],
): readonly Versioned[] {
  const told = versions.filter(({ type }) => types[type] !== undefined)
  for (const version of told) {
    const event: FedEvent = { method: version.method, ...present({ trace: currentBudget()?.trace }) }
    // Due by any clock that the clinic may get.
    unit.records.put(EVENT, eventKey(version), event, { due: Math.min(unit.now, unit.writtenAt) })
  }
  return told
}
