/**
 * Tokens for programs: sessions of an account that somebody began for a program, with a name, a role and an end of their own. Each
 * has a record, which is read from memory with every request (Repository.readRecent): without it the token is revoked. As
 * sessions of the account they end with every change of it, too. docs/adr/031-tokens-for-programs.md
 */
import { randomUUID } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { upTo } from '../fhir/memoize.ts'
import { badRequest, conflict, notFound } from '../fhir/outcome.ts'
import { listForAddition } from '../repository/additions.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { type Account, isSessionActive, type Login, type Role, type TokenSession, versionOf } from './accounts.ts'
import { foldedName } from './passwords.ts'

export interface ProgramToken {
  /** The name of the program. */
  readonly name: string
  readonly role: Role
  /** The account whose session it is, and its version. */
  readonly username: string
  readonly version: number
  /** Milliseconds since 1970 UTC, by the clock of the machine. */
  readonly createdAt: number
  readonly expiresAt: number
}

interface Use {
  /** Milliseconds since 1970 UTC, by the clock of the machine. */
  readonly at: number
}

const TOKEN = recordKind<ProgramToken>('program-token')
const USE = recordKind<Use>('program-token-use')

/** A token with its id, its last use and whether it is still good. */
export interface ListedToken extends ProgramToken {
  readonly id: string
  readonly lastUsedAt?: number | undefined
  /** `ended`: the account has changed since. */
  readonly state: 'active' | 'expired' | 'ended'
}

/** The most tokens of a clinic, those that have expired not counted. */
const MOST_TOKENS = 100
/** Expired ones stay until the next one is made. */
const MOST_LISTED = 2 * MOST_TOKENS
const LONGEST_NAME = 100

export interface WantedToken {
  readonly name: string
  readonly role: Role
  /** Milliseconds. */
  readonly lifetime: number
}

/**
 * Records a token of the account, in its clinic. Those that have expired are deleted.
 * @returns the login for the claims of the token
 * @throws FhirError 400 for an invalid name, 409 when there are too many
 */
export async function recordProgramToken(
  repository: Repository,
  account: Account,
  { name, role, lifetime }: WantedToken,
): Promise<{ readonly login: Login; readonly token: ListedToken }> {
  checkName(name)
  const { clinic, username } = account
  const login = { id: randomUUID(), version: versionOf(account), program: clinic }
  const createdAt = repository.machineTime
  const token = { name, role, username, version: login.version, createdAt, expiresAt: createdAt + lifetime }
  await repository.change(clinic, async (unit) => {
    const others = await listForAddition(unit, TOKEN, MOST_LISTED)
    const expired = others.filter(({ value }) => value.expiresAt <= createdAt)
    if (others.length - expired.length >= MOST_TOKENS) {
      throw conflict(`A clinic has ${MOST_TOKENS} tokens for programs at most; revoke one that is not used any more`)
    }
    for (const { key } of expired) await stageRemoval(unit, key)
    unit.records.put(TOKEN, login.id, token)
  })
  return { login, token: { id: login.id, ...token, state: 'active' } }
}

/** The tokens of a clinic, the newest first. @param clinic SERVICE for those of operators without a clinic */
export async function listProgramTokens(
  repository: Repository,
  clinic: string,
  demo: boolean,
): Promise<readonly ListedToken[]> {
  const page = { clinic, limit: MOST_LISTED }
  const [tokens, uses] = [await repository.records(TOKEN, page), await repository.records(USE, page)]
  const lastUses = new Map(uses.map(({ key, value }) => [key, value.at]))
  const listed = tokens.map(async ({ key: id, value }) => ({
    id,
    ...value,
    lastUsedAt: lastUses.get(id),
    state: await stateOf(repository, value, demo),
  }))
  return (await Promise.all(listed)).sort((a, b) => b.createdAt - a.createdAt)
}

async function stateOf(
  repository: Repository,
  { username, version, expiresAt }: ProgramToken,
  demo: boolean,
): Promise<ListedToken['state']> {
  if (expiresAt <= repository.machineTime) return 'expired'
  const session = { account: foldedName(username), issued: 0, login: { id: '', version } }
  return (await isSessionActive(repository, session, demo)) ? 'active' : 'ended'
}

/** False once it is revoked. @param program the clinic of its record */
export const isProgramTokenKept = async (repository: Repository, program: string, id: string): Promise<boolean> =>
  (await repository.readRecent(program, TOKEN, id)) !== undefined

/** A token that was accepted once: its session, unless its issuer is a foreign one, and its end. */
export interface Admission {
  readonly session?: TokenSession
  /** Milliseconds since 1970 UTC, by the clock of the machine. */
  readonly expires?: number
}

/** Why a request with the token would be refused now, as authentication decides it; undefined where it would not. */
export async function endOfToken(
  repository: Repository,
  { session, expires = Number.POSITIVE_INFINITY }: Admission,
  demo: boolean,
): Promise<'expired' | 'revoked' | 'session ended' | undefined> {
  if (expires <= repository.machineTime) return 'expired'
  if (session === undefined) return undefined
  const { program, id = '' } = session.login ?? {}
  if (program !== undefined && !(await isProgramTokenKept(repository, program, id))) return 'revoked'
  return (await isSessionActive(repository, session, demo)) ? undefined : 'session ended'
}

/**
 * From now on its requests are refused.
 * @param check looks at the token, and refuses by throwing
 * @throws FhirError 404
 */
export async function revokeProgramToken(
  repository: Repository,
  { clinic, id }: { readonly clinic: string; readonly id: string },
  check: (token: ProgramToken) => void = () => undefined,
): Promise<void> {
  await repository.change(clinic, async (unit) => {
    const token = (await unit.records.read(TOKEN, id))?.value
    if (token === undefined) throw notFound('There is no such token; it may have been revoked')
    check(token)
    await stageRemoval(unit, id)
  })
}

async function stageRemoval({ records }: UnitOfWork, id: string): Promise<void> {
  if ((await records.read(TOKEN, id)) !== undefined) records.delete(TOKEN, id)
  if ((await records.read(USE, id)) !== undefined) records.delete(USE, id)
}

/** Milliseconds between two writes of the last use of a token. */
const USE_EVERY = 60_000
const REMEMBERED_USES = 10_000

/** Writes down when tokens were last used: once a minute for each, however many requests it sends. */
export class LastUses {
  readonly #repository: Repository
  readonly #written = new LRUCache<string, number>(upTo(REMEMBERED_USES))

  constructor(repository: Repository) {
    this.#repository = repository
  }

  /** @param clinic of its record */
  async note(clinic: string, id: string): Promise<void> {
    const now = this.#repository.machineTime
    if (now < (this.#written.get(id) ?? 0) + USE_EVERY) return
    this.#written.set(id, now)
    // A use that can't be written down refuses no request: the next minute writes one.
    await this.#repository.change(clinic, (unit) => stageUse(unit, id, now)).catch(() => undefined)
  }
}

/** Only where no other process has written it within the minute, and for a token that is not revoked meanwhile. */
async function stageUse({ records }: UnitOfWork, id: string, at: number): Promise<void> {
  const last = (await records.read(USE, id))?.value.at ?? 0
  if (at < last + USE_EVERY || (await records.read(TOKEN, id)) === undefined) return
  records.put(USE, id, { at })
}

function checkName(name: string): void {
  if (name.trim() !== '' && name.length <= LONGEST_NAME) return
  throw badRequest(`The name of a program has 1 to ${LONGEST_NAME} characters`)
}
