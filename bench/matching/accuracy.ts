/**
 * The accuracy of Patient/$match on records with true links: the originals are stored, the others are the queries.
 */
import { join } from 'node:path'
import type { Bundle } from 'fhir/r4'
import { linkPatients } from '../../src/core/patient-linkage.ts'
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { logIn, progress, startServer } from '../emr.ts'
import { once } from '../load.ts'
import { ALL_PARTS, type LinkedRecord, type LinkedSet, type Part, patientOf } from './linked-records.ts'

export interface FieldSet {
  readonly name: string
  readonly parts: readonly Part[]
}

const FIELD_SETS: readonly FieldSet[] = [
  { name: 'all fields', parts: ALL_PARTS },
  { name: 'name and address', parts: ['name', 'address'] },
  { name: 'name and identifier', parts: ['name', 'identifier'] },
  { name: 'name', parts: ['name'] },
]

/** An entry of a response. */
export interface Found {
  readonly score: number
  readonly isCertain: boolean
  readonly isRight: boolean
}

/** The response to the query for one record. */
export interface Answered {
  /** Whether the person is stored. */
  readonly isStored: boolean
  /** The best first. */
  readonly found: readonly Found[]
}

export interface SetResults {
  readonly set: string
  /** The name of the field set. */
  readonly fields: string
  readonly stored: number
  readonly answers: readonly Answered[]
  /** Stored records that are compared per query, on average. */
  readonly compared: number
}

const CLINIC = 'demo-clinic'
const PER_TRANSACTION = 200
const CONNECTIONS = 4
/** Queries repeated in this process, to count the comparisons. */
const COUNTED = 300

/**
 * @param folder for the store
 * @param isStored the originals that the clinic has
 */
export async function measureAccuracy(
  set: LinkedSet,
  folder: string,
  isStored: (record: LinkedRecord) => boolean = () => true,
): Promise<readonly SetResults[]> {
  const stored = set.stored.filter(isStored)
  const database = `sqlite:${join(folder, `${set.name}-${stored.length}.db`)}`
  const persons = new Map<string, string>()
  const answers: (readonly Answered[])[] = []
  const server = await startServer(database)
  try {
    const headers = { authorization: await logIn(server.url), 'content-type': 'application/fhir+json' }
    for (let start = 0; start < stored.length; start += PER_TRANSACTION) {
      const records = stored.slice(start, start + PER_TRANSACTION)
      const ids = await create(server.url, headers, records)
      for (const [index, { person }] of records.entries()) persons.set(ids[index] ?? '', person)
    }
    for (const { parts } of FIELD_SETS) answers.push(await askAll(server.url, headers, set.asked, parts, persons))
  } finally {
    await server.stop()
  }
  const compared = await countCompared(database, set.asked)
  progress(`${set.name}: ${stored.length} records stored, ${set.asked.length} asked for`)
  return FIELD_SETS.map(({ name }, index) => ({
    set: set.name,
    fields: name,
    stored: stored.length,
    answers: answers[index] ?? [],
    compared: compared[index] ?? Number.NaN,
  }))
}

type Headers = Readonly<Record<string, string>>

/** The ids of the Patients. @throws Error with the server's response when they cannot be created */
async function create(url: string, headers: Headers, records: readonly LinkedRecord[]): Promise<readonly string[]> {
  const entry = records.map((record) => ({
    resource: patientOf(record, ALL_PARTS),
    request: { method: 'POST' as const, url: 'Patient' },
  }))
  const body = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry } satisfies Bundle)
  const { status, text } = await once(url, { method: 'POST', path: '/', headers, body })
  if (status !== 200) throw new Error(`The records could not be stored: ${status}, ${text.slice(0, 500)}`)
  const { entry: created = [] } = JSON.parse(text) as Bundle
  return created.map(({ response }) => /Patient\/([^/]+)/.exec(response?.location ?? '')?.[1] ?? '')
}

async function askAll(
  url: string,
  headers: Headers,
  records: readonly LinkedRecord[],
  parts: readonly Part[],
  persons: ReadonlyMap<string, string>,
): Promise<readonly Answered[]> {
  const known = new Set(persons.values())
  const answers: Answered[] = []
  const queue = records.values()
  const ask = async (): Promise<void> => {
    for (const record of queue) {
      const bundle = await match(url, headers, patientOf(record, parts))
      answers.push({ isStored: known.has(record.person), found: foundIn(bundle, record.person, persons) })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, ask))
  return answers
}

/**
 * undefined: a record has none of the parts.
 * @throws Error with the server's response when it is another one
 */
async function match(url: string, headers: Headers, patient: object): Promise<Bundle | undefined> {
  const { status, text } = await once(url, {
    method: 'POST',
    path: '/Patient/$match',
    headers,
    body: JSON.stringify(patient),
  })
  if (status === 400) return undefined
  if (status !== 200) throw new Error(`$match was answered ${status}: ${text.slice(0, 500)}`)
  return JSON.parse(text) as Bundle
}

const foundIn = (bundle: Bundle | undefined, person: string, persons: ReadonlyMap<string, string>): readonly Found[] =>
  (bundle?.entry ?? [])
    .filter(({ search }) => search?.mode === 'match')
    .map(({ resource, search }) => ({
      score: search?.score ?? 0,
      isCertain: search?.extension?.some(({ valueCode }) => valueCode === 'certain') ?? false,
      isRight: persons.get(resource?.id ?? '') === person,
    }))

/** For each field set: how many stored records are compared per query. */
async function countCompared(database: string, asked: readonly LinkedRecord[]): Promise<readonly number[]> {
  const store = await openStore(database)
  try {
    const unit = await new Repository(store, { baseUrl: 'http://127.0.0.1' }).reader(CLINIC)
    const counted = asked.slice(0, COUNTED)
    const means: number[] = []
    for (const { parts } of FIELD_SETS) {
      let compared = 0
      for (const record of counted) compared += (await linkPatients(unit, patientOf(record, parts)))?.compared ?? 0
      means.push(compared / counted.length)
    }
    return means
  } finally {
    await store.close()
  }
}
