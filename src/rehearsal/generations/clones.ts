/** Clones: clinics that are made of another one, or of a scenario, and that expire: one for each run of a test, for example. */
import { randomBytes, randomInt } from 'node:crypto'
import { everyAccount, removeAccount, stageAccount } from '../../clinics/accounts.ts'
import { hashPassword, type PasswordCost } from '../../clinics/passwords.ts'
import { SIMULATOR } from '../../clinics/setting-checks.ts'
import {
  type ClinicSettings,
  dialedNumber,
  findSettings,
  removeSettings,
  writeSettings,
} from '../../clinics/settings.ts'
import { CALL } from '../../core/call-session.ts'
import { conflict, notFound, unprocessable } from '../../fhir/outcome.ts'
import type { BackgroundLoop, LeasedJob, LoopPace } from '../../isolation/background-loop.ts'
import { listForAddition } from '../../repository/additions.ts'
import { type DueServices, dueRecordLoop } from '../../repository/due-records.ts'
import { MOVED_CLOCK } from '../../repository/generation.ts'
import { recordKind, SERVICE } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import type { CopyServices } from './copy-generation.ts'
import { lastNumber } from './filling.ts'
import { GRACE } from './removal.ts'

export interface Clone {
  /** The clinic whose user made it, SERVICE for an operator; and the name of the user. */
  readonly of: string
  /** The clinic that is no clone, where the former is one: what its users may have, all its clones have together. */
  readonly root?: string
  readonly by: string
  /** The user name of its account. */
  readonly username: string
  /** Its settings and accounts are gone; the rest goes when no request uses it any more. */
  readonly isLeaving?: true
}

const CLONE = recordKind<Clone>('clone')

/** Most clones at one time, of a clinic and in all. */
const MOST = { ofClinic: 100, inAll: 1_000 }
const AT_ONCE = 200
const PACE: LoopPace = { look: 1_000, pause: 20 }

/** Numbers that are given to nobody, 100 of each area (https://nanpa.com, 555-0100 to 555-0199). */
export const AREAS = [
  201, 202, 203, 205, 206, 207, 208, 209, 210, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229,
]
const NUMBERS = 100 * AREAS.length

export interface NewClone {
  readonly id: string
  readonly of: string
  readonly by: string
  /** Milliseconds since 1970 UTC, of the machine. */
  readonly expiresAt: number
  readonly settings: ClinicSettings
}

/** Its account, an admin of the clinic. */
export interface CloneAccount {
  readonly username: string
  readonly password: string
}

/**
 * Makes the clinic of a clone with an account and a dialled number, still without data.
 * @throws FhirError 409 where there is a clinic of that id, 422 where there are too many clones
 */
export async function makeClone(
  repository: Repository,
  { id, of, by, expiresAt, settings }: NewClone,
  cost?: PasswordCost,
): Promise<CloneAccount> {
  const account = { username: `clone-${id}`.slice(0, 64), password: randomBytes(18).toString('base64url') }
  let hash: Promise<string> | undefined
  await repository.change(id, async (unit) => {
    if ((await findSettings(unit, id)) !== undefined) throw conflict(`The clinic '${id}' exists already`)
    const root = rootOf(of, (await unit.records.read(CLONE, of))?.value)
    await stageAddition(unit, root)
    // Done again with another number where one that is made at the same moment has taken it.
    const dialedNumbers = [await freeNumber(unit)]
    await writeSettings(unit, { ...settings, ...simulated(settings), dialedNumbers })
    // Only once nothing is refused any more, as it takes long.
    hash ??= hashPassword(account.password, cost)
    stageAccount(unit, { username: account.username, name: settings.name, clinic: id, role: 'admin' }, await hash)
    unit.records.put(CLONE, id, { of, root, by, username: account.username }, { due: expiresAt })
  })
  return account
}

/** A clone does not send to the systems of the clinic that it is made of. */
const simulated = ({ crm, messages, insurance }: ClinicSettings): Partial<ClinicSettings> => ({
  ...(crm && { crm: { kind: 'webhook', enabled: crm.enabled, url: SIMULATOR } }),
  ...(messages && { messages: { enabled: messages.enabled, url: SIMULATOR } }),
  ...(insurance && { insurance: { enabled: insurance.enabled, url: SIMULATOR } }),
})

/** @throws FhirError 422 where there are too many */
async function stageAddition(unit: UnitOfWork, root: string): Promise<void> {
  const all = await listForAddition(unit, CLONE, MOST.inAll)
  const own = all.filter(({ key, value }) => rootOf(key, value) === root).length
  if (own < MOST.ofClinic && all.length < MOST.inAll) return
  throw unprocessable(`There are ${own} clones of yours, ${all.length} in all; delete one, or wait until one expires`)
}

async function freeNumber(unit: UnitOfWork): Promise<string> {
  const first = randomInt(NUMBERS)
  for (let after = 0; after < NUMBERS; after++) {
    const index = (first + after) % NUMBERS
    const number = `+1${AREAS[Math.floor(index / 100)]}55501${String(index % 100).padStart(2, '0')}`
    if ((await dialedNumber(unit, number)) === undefined) return number
  }
  throw unprocessable('No number is free that could be dialled to reach the clone; delete another clone first')
}

/** The clone of that id, with the time at which it expires. @throws FhirError 404 for any other clinic */
export async function findClone(
  repository: Repository,
  clinic: string,
): Promise<Clone & { readonly expiresAt: number | null }> {
  const record = await repository.readRecord(SERVICE, CLONE, clinic)
  if (record === undefined || record.value.isLeaving) throw notFound(`There is no clone '${clinic}'`)
  return { ...record.value, expiresAt: record.due }
}

/** The clinic itself, or that from which a chain of clones leads to it. */
const rootOf = (clinic: string, clone: Clone | undefined): string => clone?.root ?? clone?.of ?? clinic

/** Whether a clinic is a clone that users of another one have made, or of a clone of it. */
export const isCloneOf = async (repository: Repository, clinic: string, source: string): Promise<boolean> =>
  rootOf(clinic, (await repository.readRecord(SERVICE, CLONE, clinic))?.value) === source

/** Ends a clone at once: its tokens and its number are without effect from now on; what it has is removed soon. */
export async function endClone(repository: Repository, clinic: string): Promise<void> {
  const { username } = await findClone(repository, clinic)
  await repository.change(clinic, async (unit) => {
    const record = await unit.records.read(CLONE, clinic)
    if (record === undefined || record.value.isLeaving) return
    await removeSettings(unit)
    unit.records.put(CLONE, clinic, { ...record.value, isLeaving: true }, { due: unit.writtenAt + GRACE })
  })
  await removeAccounts(repository, clinic, username)
}

/** Its own account first, and those that were made in it. */
async function removeAccounts(repository: Repository, clinic: string, own: string): Promise<void> {
  for await (const { username, clinic: of } of everyAccount(repository)) {
    if (of === clinic && username !== own) await removeAccount(repository, username)
  }
  await removeAccount(repository, own).catch(() => {})
}

type ExpiryServices = DueServices & CopyServices

/** The loop that ends clones whose time is over, and removes everything that they had. */
export const cloneExpiry = (services: ExpiryServices): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: CLONE,
      failure: 'a clone that has expired was not removed',
      begin: ({ key, value }) => new Ending(services, key, value),
    },
    PACE,
  )

class Ending implements LeasedJob {
  readonly #services: ExpiryServices
  readonly #clinic: string
  readonly #clone: Clone

  constructor(services: ExpiryServices, clinic: string, clone: Clone) {
    this.#services = services
    this.#clinic = clinic
    this.#clone = clone
  }

  async batch(): Promise<boolean> {
    const { repository } = this.#services
    if (this.#clone.isLeaving) return !(await this.#removeSome())
    await endClone(repository, this.#clinic)
    return false
  }

  async end(): Promise<void> {}

  /** @returns true when nothing is left */
  async #removeSome(): Promise<boolean> {
    const { repository, contents } = this.#services
    const clinic = this.#clinic
    const last = await lastNumber(repository, clinic)
    for (let number = 1; number <= last; number++) if (!(await repository.drop(clinic, number, AT_ONCE))) return false
    if (!(await repository.dropClinic(clinic, AT_ONCE))) return false
    await contents.removeAll(clinic)
    await forgetCalls(repository, clinic)
    await repository.change(SERVICE, async ({ records }) => {
      records.delete(CLONE, clinic, { expect: 'any' })
      records.delete(MOVED_CLOCK, clinic, { expect: 'any' })
    })
    return true
  }
}

/** Calls are kept under the whole service, so they are looked through. */
async function forgetCalls(repository: Repository, clinic: string): Promise<void> {
  for await (const page of repository.recordPages(CALL, { clinic: SERVICE })) {
    const own = page.filter(({ value }) => value.clinic === clinic)
    if (own.length === 0) continue
    await repository.change(SERVICE, async ({ records }) => {
      for (const { key } of own) records.delete(CALL, key, { expect: 'any' })
    })
  }
}
