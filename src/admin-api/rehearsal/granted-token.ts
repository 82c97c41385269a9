/** A token that a rehearsal gives out: for a clone, or for a run. */
import { randomUUID } from 'node:crypto'
import { type Account, type Login, versionOf } from '../../clinics/accounts.ts'
import type { Config } from '../../config.ts'
import { present } from '../../fhir/resource.ts'
import { signToken } from '../../http/token.ts'
import type { Repository } from '../../repository/repository.ts'

interface GrantServices {
  readonly repository: Repository
  readonly config: Pick<Config, 'jwt'>
}

interface Grant {
  /** Milliseconds since 1970 UTC, of the machine; it lasts a minute at least. */
  readonly until: number
  /** The run that its requests belong to. */
  readonly run?: string
  /** The token of a program that asks for it, and with which it ends. */
  readonly program?: Login | undefined
}

/**
 * @returns undefined without an account, and for users of a foreign issuer, whose tokens are its own to give
 */
export function grantedToken(
  { repository, config: { jwt } }: GrantServices,
  account: Account | undefined,
  { until, run, program }: Grant,
): string | undefined {
  if (jwt.jwksUrl !== undefined || account === undefined) return undefined
  const login = program ?? { id: randomUUID(), version: versionOf(account) }
  const lifetimeSeconds = Math.max(60, Math.ceil((until - repository.machineTime) / 1000))
  return signToken(jwt, account, { login, lifetimeSeconds, ...present({ run }) }).token
}
