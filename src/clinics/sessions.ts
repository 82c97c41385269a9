/**
 * Sessions: one begins with a login, and its tokens carry its id and the version of its account. It ends with `DELETE
 * /session`, with any change of the account, or when its time is over. Each request checks its session, so accounts are
 * read from memory (Repository.readRecent).
 */
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { ACCOUNT, type Account, isUsable, nextVersion, type StoredAccount } from './accounts.ts'

/** The session of one of our own tokens. */
export interface TokenSession {
  /** The user name, folded. */
  readonly account: string
  /** Milliseconds since 1970 UTC: the token was issued within the second that begins here. */
  readonly issued: number
  /** Absent in tokens that were not issued for a login, or by a version of this server without sessions. */
  readonly login?: Login
}

export interface Login {
  /** The id of the session. */
  readonly id: string
  /** The version of the account when the session began. */
  readonly version: number
}

/** The version for sessions of an account that begin now. */
export const versionOf = ({ version = 0 }: Account): number => version

/**
 * False once the session has ended. A token without a login is valid until it expires, or the account that it names, if
 * any, is changed.
 * @param demo demo mode is on
 */
export function isSessionActive(
  repository: Repository,
  session: TokenSession,
  demo: boolean,
): boolean | Promise<boolean> {
  const found = repository.readRecent(SERVICE, ACCOUNT, session.account)
  return found instanceof Promise
    ? found.then((record) => goesOnBy(record?.value, session, demo))
    : goesOnBy(found?.value, session, demo)
}

function goesOnBy(account: StoredAccount | undefined, { login, issued }: TokenSession, demo: boolean): boolean {
  if (account === undefined) return login === undefined
  if (!isUsable(account, demo)) return false
  if (login === undefined) return versionOf(account) < issued + 1_000
  return versionOf(account) === login.version && !isEnded(account, login.id)
}

const isEnded = ({ endedSessions = [] }: StoredAccount, id: string): boolean =>
  endedSessions.some((session) => session.id === id)

/** Ended sessions of one account that are remembered one by one; where there are more, all of its sessions end. */
const MAX_ENDED = 500

/**
 * Ends a session before its time.
 * @param lifetime milliseconds at most that a session lasts
 */
export async function endSession(repository: Repository, key: string, { id }: Login, lifetime: number): Promise<void> {
  await repository.change(SERVICE, async (unit) => {
    const account = (await unit.records.read(ACCOUNT, key))?.value
    if (account === undefined || isEnded(account, id)) return
    const others = (account.endedSessions ?? []).filter(({ until }) => until > unit.now)
    const ended =
      others.length < MAX_ENDED
        ? { endedSessions: [...others, { id, until: unit.now + lifetime }] }
        : { endedSessions: [], version: nextVersion(account, unit.now) }
    unit.records.put(ACCOUNT, key, { ...account, ...ended })
  })
}
