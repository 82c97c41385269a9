/**
 * Reads of resources and records by their address. A command costs more than the reading itself, so reads that arrive
 * while others are under way are sent together; each sees a state no older than its own start.
 */
import type { StoredRecord, StoredResource } from '../port.ts'
import type { RecordAddress } from '../recent.ts'
import type { Collections, Filter } from './collections.ts'
import { TIME_LIMIT } from './connection.ts'
import { BatchQueue } from './queues.ts'
import { toRecord } from './records.ts'
import { toStored, VERSION_FIELDS } from './resources.ts'

const RESOURCE_LIMITS = { concurrency: 2, items: 64 }
/** One command at a time, so that more reads join: records are small, and many requests read the same. */
const RECORD_LIMITS = { concurrency: 1, items: 64 }

interface ResourceAddress {
  readonly clinic: string
  readonly type: string
  readonly id: string
}

export class PointReads {
  readonly #resources: BatchQueue<ResourceAddress, StoredResource | undefined>
  readonly #records: BatchQueue<RecordAddress, StoredRecord | undefined>

  constructor({ resources, records }: Collections) {
    this.#resources = new BatchQueue(async (addresses) => {
      const options = { projection: { _id: 0, clinic: 1, ...VERSION_FIELDS }, maxTimeMS: TIME_LIMIT }
      const found = await resources.find(addressFilter(addresses, 'clinic', 'type', 'id'), options).toArray()
      const stored = new Map(found.map((one) => [keyOf(one.clinic, one.type, one.id), toStored(one)]))
      return addresses.map(({ clinic, type, id }) => ({ value: stored.get(keyOf(clinic, type, id)) }))
    }, RESOURCE_LIMITS)
    this.#records = new BatchQueue(async (addresses) => {
      const options = { projection: { _id: 0 }, maxTimeMS: TIME_LIMIT }
      const found = await records.find(addressFilter(addresses, 'clinic', 'kind', 'key'), options).toArray()
      const stored = new Map(found.map((one) => [keyOf(one.clinic, one.kind, one.key), one]))
      return addresses.map(({ clinic, kind, key }) => {
        // Each caller gets a value of its own.
        const record = stored.get(keyOf(clinic, kind, key))
        return { value: record && toRecord(record) }
      })
    }, RECORD_LIMITS)
  }

  /** @throws StoreUnavailable when it has waited longer than TIME_LIMIT */
  resource(clinic: string, type: string, id: string): Promise<StoredResource | undefined> {
    return this.#resources.add({ clinic, type, id })
  }

  /** @throws StoreUnavailable when it has waited longer than TIME_LIMIT */
  record(clinic: string, kind: string, key: string): Promise<StoredRecord | undefined> {
    return this.#records.add({ clinic, kind, key })
  }
}

const keyOf = (...parts: readonly string[]): string => JSON.stringify(parts)

/** One alternative for each pair of the first two fields, with a list of the third: the order of the unique index. */
function addressFilter<First extends string, Second extends string, Third extends string>(
  addresses: readonly Readonly<Record<First | Second | Third, string>>[],
  first: First,
  second: Second,
  third: Third,
): Filter {
  const groups = Map.groupBy(addresses, (address) => keyOf(address[first], address[second]))
  const alternatives = [...groups.values()].flatMap((group) => {
    const [one] = group
    if (one === undefined) return []
    const thirds = [...new Set(group.map((address) => address[third]))]
    return [{ [first]: one[first], [second]: one[second], [third]: thirds.length === 1 ? thirds[0] : { $in: thirds } }]
  })
  return alternatives.length === 1 ? (alternatives[0] ?? {}) : { $or: alternatives }
}
