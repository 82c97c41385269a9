/** Tokens for programs: docs/sessions.md. */
import { queryOptions } from '@tanstack/react-query'
import { get, send } from './client.ts'

export interface ProgramToken {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly createdBy: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastUsedAt?: string
  readonly state: 'active' | 'expired' | 'ended'
}

/** With the token itself, which is not shown again. */
export interface MadeToken extends ProgramToken {
  readonly token: string
}

export interface WantedToken {
  readonly name: string
  readonly role: string
  /** An ISO 8601 duration. */
  readonly ttl: string
}

/** @param clinic another one than the own, for operators */
const inClinic = (path: string, clinic: string | undefined): string =>
  clinic === undefined ? path : `${path}?clinic=${encodeURIComponent(clinic)}`

export const programTokens = (clinic: string | undefined) =>
  queryOptions({
    queryKey: ['tokens', clinic ?? ''],
    queryFn: async ({ signal }) =>
      (await get<{ readonly tokens: readonly ProgramToken[] }>(inClinic('tokens', clinic), signal)).tokens,
  })

export const makeToken = async (body: WantedToken): Promise<MadeToken> =>
  (await send<MadeToken>({ method: 'POST', path: 'tokens', body })).body

export const revokeToken = (id: string, clinic: string | undefined) =>
  send({ method: 'DELETE', path: inClinic(`tokens/${encodeURIComponent(id)}`, clinic) })
