/**
 * The filling of a generation: one at a time in a clinic, which its record says. The record is leased: where the server that
 * fills has died, the half-filled generation is removed and the clinic stays as it was.
 */
import { conflict } from '../../fhir/outcome.ts'
import type { BackgroundLoop } from '../../isolation/background-loop.ts'
import { unpaid } from '../../isolation/budget.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { GENERATION, type Generation } from '../../repository/generation.ts'
import { recordKind, SERVICE } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import { stageRemoval } from './removal.ts'

/** A scenario, a snapshot of a clinic, or what a clinic has now. */
export type Source =
  | { readonly scenario: string }
  | { readonly clinic: string; readonly snapshot: string }
  | { readonly clinic: string; readonly snapshot?: undefined }

export interface Filling {
  /** The number of the generation that is filled. */
  readonly number: number
  /** The name of the user, and the time of the machine when it began (ms since 1970 UTC). */
  readonly by: string
  readonly since: number
  /** `reset to busy-monday` */
  readonly what: string
  /** Resources that are filled in, without generated Slots, and all that there will be where that is known. */
  readonly done: number
  readonly total?: number
}

const FILLING = recordKind<Filling>('filling')

/** Milliseconds after which a filling that no longer goes on has failed, and between two notes of its progress. */
const LEASE = 60_000
const NOTED = 2_000

/** The key of the record that holds the highest number in use, beside that of the current generation. */
const LAST = 'last'

export type FillingServices = { readonly repository: Repository }

/**
 * Begins to fill a new generation.
 * @param check refuses by throwing; no other filling of the clinic begins or ends between it and the beginning of this one
 * @throws FhirError 409 that names who is filling another one
 */
export function beginFilling(
  { repository }: FillingServices,
  clinic: string,
  asked: Pick<Filling, 'by' | 'what' | 'total'>,
  check: (unit: UnitOfWork) => Promise<void> = async () => {},
): Promise<Filling> {
  return repository.change(clinic, async (unit) => {
    const { records, writtenAt } = unit
    const running = await records.read(FILLING, clinic)
    if (running !== undefined && (running.due ?? 0) > writtenAt) throw alreadyRunning(running.value)
    if (running !== undefined) stageRemoval(unit, running.value.number, writtenAt)
    const last = (await records.read(GENERATION, LAST))?.value.number ?? 0
    const filling = { ...asked, number: last + 1, since: writtenAt, done: 0 }
    records.put(GENERATION, LAST, { number: filling.number })
    await check(unit)
    records.put(FILLING, clinic, filling, { due: writtenAt + LEASE })
    return filling
  })
}

/** The highest number that a generation of the clinic has had. */
export const lastNumber = async (repository: Repository, clinic: string): Promise<number> =>
  (await repository.readRecord(clinic, GENERATION, LAST))?.value.number ?? 0

/** The filling that goes on in the clinic. */
export async function runningFilling(repository: Repository, clinic: string): Promise<Filling | undefined> {
  const record = await repository.readRecord(SERVICE, FILLING, clinic)
  return record !== undefined && (record.due ?? 0) > repository.machineTime ? record.value : undefined
}

const alreadyRunning = ({ by, since, what }: Filling) =>
  conflict(`${by} has begun a ${what} at ${new Date(since).toISOString()}; wait until it is done`, {
    reason: 'already-running',
  })

/** Notes the progress of a filling now and then, which also keeps its lease. */
export class Progress {
  readonly #repository: Repository
  readonly #clinic: string
  readonly #number: number
  #notedAt: number

  constructor({ repository }: FillingServices, clinic: string, { number }: Pick<Filling, 'number'>) {
    this.#repository = repository
    this.#clinic = clinic
    this.#number = number
    this.#notedAt = Date.now()
  }

  /** @throws FhirError 409 when the lease was lost */
  async note(done: number): Promise<void> {
    if (Date.now() - this.#notedAt < NOTED) return
    this.#notedAt = Date.now()
    await this.#repository.change(this.#clinic, async ({ records, clinic, writtenAt }) => {
      const filling = ownFilling((await records.read(FILLING, clinic))?.value, this.#number)
      records.put(FILLING, clinic, { ...filling, done }, { due: writtenAt + LEASE })
    })
  }
}

/** @throws FhirError 409 when another filling has taken over */
function ownFilling(filling: Filling | undefined, number: number): Filling {
  if (filling?.number === number) return filling
  throw conflict('This took so long without a sign of progress that it was given up; nothing has changed, try again')
}

/** Stages the end of a filling, in the change that makes its generation known. @throws FhirError 409 as `Progress.note` */
export async function stageFilled(
  { clinic, records }: UnitOfWork,
  { number }: Pick<Generation, 'number'>,
): Promise<void> {
  ownFilling((await records.read(FILLING, clinic))?.value, number)
  records.delete(FILLING, clinic)
}

/** Does the work of a filling; where that fails, the filling is given up. @throws whatever the work does */
export async function finishFilling<T>(
  services: FillingServices,
  clinic: string,
  { number }: Pick<Filling, 'number'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await unpaid(work)
  } catch (error) {
    // Its lease ends it otherwise.
    await giveUp(services, clinic, (filling) => filling.number === number).catch(() => {})
    throw error
  }
}

/** Ends the filling of a clinic, if it is the one meant, and removes what is filled already. @returns whether there was one */
const giveUp = (
  { repository }: FillingServices,
  clinic: string,
  isMeant: (filling: Filling, due: number) => boolean,
): Promise<boolean> =>
  repository.change(clinic, async (unit) => {
    const record = await unit.records.read(FILLING, clinic)
    if (record === undefined || !isMeant(record.value, record.due ?? 0)) return false
    unit.records.delete(FILLING, clinic)
    stageRemoval(unit, record.value.number, unit.writtenAt)
    return true
  })

/** The loop that gives up the fillings of servers that have died. */
export const deadFillings = (services: DueServices & FillingServices): BackgroundLoop =>
  dueRecordLoop(services, {
    kind: FILLING,
    failure: 'a reset of a server that died was not undone',
    finish: (_service, clinic) => giveUp(services, clinic, (_filling, due) => due <= services.repository.machineTime),
  })
