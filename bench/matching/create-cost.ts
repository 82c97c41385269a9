/**
 * The cost of a Patient's match keys when it is created: two stores get the same Patients in turns, and one of them
 * does
 * not write the keys. Both compute the keys, so the time of that is measured separately.
 */
import { join } from 'node:path'
import { openStore } from '../../src/main/open-store.ts'
import { MATCH_KEYS, storedKeys } from '../../src/matching/keys.ts'
import { Repository } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { median } from '../median.ts'
import { syntheticPatient } from './synthetic-patients.ts'

const CLINIC = 'demo-clinic'
const ROUNDS = 15
const UNMEASURED = 2
const PER_ROUND = 400

/** Microseconds of processor time for the create of a Patient, all threads together; medians. */
export interface CreateCost {
  readonly withKeys: number
  readonly withoutKeys: number
  /** The part of `withKeys` that computes the keys. */
  readonly computing: number
}

export async function measureCreateCost(folder: string): Promise<CreateCost> {
  const stores = await Promise.all(
    ['with-keys', 'without-keys'].map((name) => openStore(`sqlite:${join(folder, `${name}.db`)}`)),
  )
  const [whole, other] = stores
  if (whole === undefined || other === undefined) throw new Error('The stores could not be opened')
  try {
    const repositories = [whole, withoutKeys(other)].map((store) => new Repository(store, { baseUrl: '' }))
    const times: number[][] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, repository] of repositories.entries()) {
        const took = await processorTime(() => createAll(repository, round * PER_ROUND))
        if (round >= UNMEASURED) times[index]?.push(took / PER_ROUND)
      }
    }
    const computing = await computingTime()
    const [withKeys = Number.NaN, without = Number.NaN] = times.map(median)
    return { withKeys, withoutKeys: without - computing, computing }
  } finally {
    for (const store of stores) await store.close()
  }
}

async function createAll(repository: Repository, first: number): Promise<void> {
  for (let n = first; n < first + PER_ROUND; n += 1) {
    await repository.change(CLINIC, async (unit) => {
      await unit.put(syntheticPatient(n), 'POST')
    })
  }
}

/** Microseconds to compute the keys of one Patient; the median. */
async function computingTime(): Promise<number> {
  const patients = Array.from({ length: PER_ROUND }, (_, n) => syntheticPatient(n))
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const took = await processorTime(async () => {
      for (const patient of patients) storedKeys(patient)
    })
    if (round >= UNMEASURED) times.push(took / PER_ROUND)
  }
  return median(times)
}

async function processorTime(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** The same store without the entries of the keys. */
const withoutKeys = (store: ResourceStore): ResourceStore => ({
  ...store,
  write: (changes) =>
    store.write({
      ...changes,
      resources: changes.resources.map((resource) => ({
        ...resource,
        entries: resource.entries.filter((entry) => entry.param !== MATCH_KEYS),
      })),
    }),
})
