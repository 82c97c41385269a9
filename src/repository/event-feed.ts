/**
 * The feed of events: a change of a resource whose type somebody has subscribed to adds a record, which is lost or kept with
 * the change. The dispatcher matches it with the Subscriptions (events/dispatcher.ts). docs/adr/033-events.md
 */
import { present } from '../fhir/resource.ts'
import { currentBudget } from '../isolation/budget.ts'
import type { TraceContext } from '../isolation/trace-context.ts'
import type { ChangeMethod, StoredResource } from '../storage/port.ts'
import { recordKind } from './record-kinds.ts'
import type { UnitRecords } from './unit-records.ts'

/** The types that running Subscriptions of a clinic listen to. */
export interface Subscribed {
  /** The number of Subscriptions that listen, by type. */
  readonly types: Readonly<Record<string, number>>
  /** The number of running Subscriptions. */
  readonly running: number
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

/** Stages the events of a change. @returns whether there are any */
export function stageEvents(
  unit: { readonly records: UnitRecords; readonly now: number; readonly writtenAt: number },
  { types }: Subscribed,
  versions: Iterable<StoredResource>,
): boolean {
  let isAny = false
  for (const version of versions) {
    if (types[version.type] === undefined) continue
    isAny = true
    const event: FedEvent = { method: version.method, ...present({ trace: currentBudget()?.trace }) }
    // Due by any clock that the clinic may get.
    unit.records.put(EVENT, eventKey(version), event, { due: Math.min(unit.now, unit.writtenAt) })
  }
  return isAny
}
