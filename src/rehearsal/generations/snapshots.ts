/** Snapshots: named copies of a clinic's data, to which it can be reset. Each is a generation that is never current. */

import { didYouMean } from '../../fhir/closest-name.ts'
import { badRequest, notFound, unprocessable } from '../../fhir/outcome.ts'
import { ID } from '../../fhir/reference.ts'
import type { Generation } from '../../repository/generation.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { type CopyServices, copyGeneration } from './copy-generation.ts'
import { beginFilling, type Filling, finishFilling, Progress, stageFilled } from './filling.ts'
import { GRACE, stageRemoval } from './removal.ts'

export interface Snapshot extends Pick<Generation, 'number' | 'scenario' | 'clock'> {
  /** Milliseconds since 1970 UTC, of the machine; and the name of the user. */
  readonly at: number
  readonly by: string
  /** Versions of resources in it. */
  readonly resources: number
  /** The version of the server that took it. */
  readonly serverVersion: string
}

const SNAPSHOT = recordKind<Snapshot>('snapshot')

/** Most snapshots of a clinic. */
const MOST_SNAPSHOTS = 50

/**
 * Records of a snapshot are due at a time that never comes, as nothing is to be done in it: so many milliseconds later than
 * they were.
 */
const SLEEP = 1e15
const asleep = (due: number): number => due + SLEEP
export const awake = (due: number): number => due - SLEEP

/** By name. */
export async function listSnapshots(repository: Repository, clinic: string): Promise<readonly NamedSnapshot[]> {
  const records = await repository.records(SNAPSHOT, { clinic, limit: MOST_SNAPSHOTS })
  return records.map(({ key, value }) => ({ name: key, ...value }))
}

export interface NamedSnapshot extends Snapshot {
  readonly name: string
}

/** @throws FhirError 404 with the nearest name */
export async function findSnapshot(repository: Repository, clinic: string, name: string): Promise<NamedSnapshot> {
  const all = await listSnapshots(repository, clinic)
  const found = all.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = all.map((one) => one.name)
  const others = names.length === 0 ? 'the clinic has none' : `there are ${names.join(', ')}`
  throw notFound(`There is no snapshot '${name}'; ${didYouMean(name, names, others)}`)
}

/**
 * @throws FhirError 400 for a name that is none, 422 where there are too many, 409 while the clinic is being reset, or another
 * snapshot is being taken
 */
export async function beginSnapshot(
  services: CopyServices,
  clinic: string,
  name: string,
  by: string,
): Promise<Filling> {
  if (!ID.test(name))
    throw badRequest(`The name of a snapshot has 1 to 64 letters, digits, '-' or '.', which '${name}' has not`)
  return await beginFilling(services, clinic, { by, what: `snapshot ${name}` }, async ({ records }) => {
    const names = (await records.list(SNAPSHOT, { after: '', limit: MOST_SNAPSHOTS })).map(({ key }) => key)
    if (names.length >= MOST_SNAPSHOTS && !names.includes(name))
      throw unprocessable(`The clinic has ${MOST_SNAPSHOTS} snapshots, the most it can have; delete one first`)
  })
}

/** Takes the snapshot that was begun; it replaces one of the same name. */
export async function finishSnapshot(
  services: CopyServices,
  { clinic, name, serverVersion }: { readonly clinic: string; readonly name: string; readonly serverVersion: string },
  filling: Filling,
): Promise<NamedSnapshot> {
  return await finishFilling(services, clinic, filling, async () => {
    const snapshot = { ...(await take(services, clinic, filling)), serverVersion }
    await keep(services.repository, clinic, name, snapshot)
    return { name, ...snapshot }
  })
}

async function take(
  services: CopyServices,
  clinic: string,
  filling: Filling,
): Promise<Omit<Snapshot, 'serverVersion'>> {
  const { number: from, scenario, clock } = await services.repository.generation(clinic)
  const progress = new Progress(services, clinic, filling)
  const { number, by } = filling
  let resources = 0
  await copyGeneration(services, {
    from: { clinic, generation: { number: from } },
    to: { clinic, generation: { number } },
    dueOf: asleep,
    onCopied: async (done) => {
      resources = done
      await progress.note(done)
    },
  })
  const origin = { ...(scenario === undefined ? {} : { scenario }), ...(clock === undefined ? {} : { clock }) }
  return { number, ...origin, at: services.repository.machineTime, by, resources }
}

const keep = (repository: Repository, clinic: string, name: string, snapshot: Snapshot): Promise<void> =>
  repository.change(clinic, async (unit) => {
    await stageFilled(unit, snapshot)
    const before = await unit.records.read(SNAPSHOT, name)
    unit.records.put(SNAPSHOT, name, snapshot)
    if (before !== undefined) stageRemoval(unit, before.value.number, unit.writtenAt + GRACE)
  })

/** @throws FhirError 404 */
export async function removeSnapshot(repository: Repository, clinic: string, name: string): Promise<void> {
  await findSnapshot(repository, clinic, name)
  await repository.change(clinic, async (unit) => {
    const snapshot = await unit.records.read(SNAPSHOT, name)
    if (snapshot === undefined) return
    unit.records.delete(SNAPSHOT, name)
    stageRemoval(unit, snapshot.value.number, unit.writtenAt + GRACE)
  })
}
