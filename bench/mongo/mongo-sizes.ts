/** Storage costs of resources in MongoDB: documents, index keys, and bytes in memory and on disk. */
import type { Observation } from 'fhir/r4'
import { MongoClient } from 'mongodb'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { openStore } from '../../src/main/open-store.ts'
import { Repository, type UnitOfWork } from '../../src/repository/repository.ts'
import { appointment, patient, patientId, sizesAt, slot } from '../data-set.ts'
import { progress } from '../emr.ts'
import { table } from '../report.ts'
import { type Mongod, startMongod } from './mongod.ts'

/** The name for `--only`. */
export const MONGO_SIZES = 'mongo-sizes'

/** Large, as a collection grows by whole pages. */
const RESOURCES = 20_000
const BATCH_SIZE = 500
const CLINIC = 'clinic'

interface Kind {
  readonly name: string
  readonly make: (n: number) => AnyResource
  /** Written twice, to show the cost of the first version as history. */
  readonly superseded?: true
}

const sizes = sizesAt(10)

const KINDS: readonly Kind[] = [
  { name: 'Patient', make: (n) => ({ ...patient(n) }) },
  { name: 'Slot', make: (n) => ({ ...slot(n) }) },
  { name: 'Appointment', make: (n) => ({ ...appointment(n, sizes) }) },
  { name: 'Observation', make: (n) => ({ ...observation(n) }) },
  { name: 'Patient, an older version', make: (n) => ({ ...patient(n), id: patientId(n) }), superseded: true },
]

const observation = (n: number): Observation => ({
  resourceType: 'Observation',
  status: 'final',
  category: [
    {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }],
    },
  ],
  code: { coding: [{ system: 'http://loinc.org', code: '8867-4', display: 'Heart rate' }] },
  subject: { reference: `Patient/${patientId(n % sizes.patients)}` },
  effectiveDateTime: new Date(Date.UTC(2032, 0, 5) + n * 60_000).toISOString(),
  valueQuantity: { value: 60 + (n % 60), unit: 'beats/minute', system: 'http://unitsofmeasure.org', code: '/min' },
})

export interface Cost {
  readonly name: string
  /** Bytes of the JSON text sent to clients. */
  readonly text: number
  /** Bytes of the BSON document. */
  readonly document: number
  /** Bytes of the collection on disk, compressed. */
  readonly data: number
  readonly indexes: readonly IndexCost[]
}

interface IndexCost {
  readonly name: string
  readonly keys: number
  /** Bytes on disk. */
  readonly bytes: number
}

/** Per resource of each kind, as the average of many. */
export async function measureSizes(folder: string): Promise<readonly Cost[]> {
  const mongod = await startMongod(`${folder}/mongod`)
  try {
    const costs: Cost[] = []
    for (const [index, kind] of KINDS.entries()) costs.push(await costOf(mongod, `sizes-${index}`, kind))
    return costs
  } finally {
    await mongod.stop()
  }
}

async function costOf(mongod: Mongod, database: string, kind: Kind): Promise<Cost> {
  const url = mongod.urlOf(database)
  await fill(url, kind)
  const client = new MongoClient(url)
  try {
    // Collections that are only in memory have no size on disk.
    await client.db('admin').command({ fsync: 1 })
    const collection = kind.superseded ? 'history' : 'resources'
    const stats = await client.db().command({ collStats: collection })
    const { keysPerIndex } = await client.db().command({ validate: collection })
    const one = await client.db().collection(collection).findOne({})
    progress(`${kind.name}: measured`)
    return {
      name: kind.name,
      text: Buffer.byteLength(String(one?.['text'])),
      document: stats['avgObjSize'],
      data: each(stats['storageSize']),
      indexes: Object.entries<number>(stats['indexSizes']).map(([name, bytes]) => ({
        name,
        keys: each(keysPerIndex[name]),
        bytes: each(bytes),
      })),
    }
  } finally {
    await client.close()
  }
}

const each = (total: number): number => total / RESOURCES

async function fill(url: string, { make, superseded }: Kind): Promise<void> {
  const store = await openStore(url)
  const repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
  const put = async (unit: UnitOfWork, n: number) => {
    const resource = make(n)
    await unit.put(resource, resource.id === undefined ? 'POST' : 'PUT')
  }
  try {
    for (let version = superseded ? 0 : 1; version < 2; version += 1) {
      for (let n = 0; n < RESOURCES; n += BATCH_SIZE) {
        await repository.change(CLINIC, async (unit) => {
          for (let index = n; index < n + BATCH_SIZE; index += 1) await put(unit, index)
        })
      }
    }
  } finally {
    await store.close()
  }
}

const round = (value: number): string => Math.round(value).toLocaleString('en')

export function sizeTables(costs: readonly Cost[]): string {
  const names = [...new Set(costs.flatMap(({ indexes }) => indexes.map(({ name }) => name)))]
  const indexColumns = costs.map(({ name, indexes }) => [
    name,
    ...names.map((wanted) => {
      const index = indexes.find((one) => one.name === wanted)
      if (index === undefined) return ''
      return index.keys > 1 ? `${round(index.bytes)} (${round(index.keys)} keys)` : round(index.bytes)
    }),
  ])
  const totals = costs.map(({ name, text, document, data, indexes }) => {
    const inIndexes = indexes.reduce((sum, { bytes }) => sum + bytes, 0)
    return [name, ...[text, document, data, inIndexes, data + inIndexes].map(round)]
  })
  return [
    `Bytes of one resource, which is one document, on the average of ${round(RESOURCES)}:`,
    table(['', 'JSON', 'BSON', 'data on disk', 'indexes on disk', 'together'], totals),
    'Of these, in each index:',
    table(['', ...names], indexColumns),
  ].join('\n\n')
}
