/** Tokens by which a websocket is bound to Subscriptions: for half a minute, and once. */
import { isLinkToken, linkTokenKey, newLinkToken } from '../clinics/link-token.ts'
import type { Context } from '../core/context.ts'
import type { BackgroundLoop } from '../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../repository/due-records.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { type BoundAgent, boundAgent } from './owner.ts'

/** The Subscriptions of a token, and the agent that has asked for it. */
export interface Binding extends BoundAgent {
  readonly clinic: string
  readonly subscriptions: readonly string[]
}

const BINDING_TOKEN = recordKind<Binding>('binding-token')

/** Milliseconds. */
const VALID_FOR = 30_000

/** Stages a token. @returns it, and the time of the machine when it ends */
export async function newBindingToken(
  ctx: Context,
  subscriptions: readonly string[],
): Promise<{ readonly token: string; readonly expires: number }> {
  const token = newLinkToken()
  const expires = ctx.unit.writtenAt + VALID_FOR
  const binding = { clinic: ctx.clinic, subscriptions, ...(await boundAgent(ctx)) }
  ctx.unit.records.put(BINDING_TOKEN, linkTokenKey(token), binding, { due: expires })
  return { token, expires }
}

/** The address of the websocket. @param base the address of this server */
export const websocketUrl = (base: string): string => `${base.replace(/^http/, 'ws')}/websocket`

/** Redeems a token, once. @returns undefined if it is unknown, used or expired; of concurrent uses one succeeds */
export async function redeemBindingToken(
  repository: Pick<Repository, 'change'>,
  token: string,
): Promise<Binding | undefined> {
  if (!isLinkToken(token)) return undefined
  return await repository.change(SERVICE, async ({ records, writtenAt }) => {
    const record = await records.read(BINDING_TOKEN, linkTokenKey(token))
    if (record === undefined) return undefined
    records.delete(BINDING_TOKEN, record.key)
    return record.due === null || record.due <= writtenAt ? undefined : record.value
  })
}

/** Removes tokens that nobody has used. */
export const unusedTokens = (services: DueServices): BackgroundLoop =>
  dueRecordLoop<Binding>(
    services,
    {
      kind: BINDING_TOKEN,
      finish: (service, key) =>
        services.repository.change(service, async ({ records }) => {
          if ((await records.read(BINDING_TOKEN, key)) === undefined) return false
          records.delete(BINDING_TOKEN, key)
          return true
        }),
      failure: 'unused binding tokens could not be removed',
    },
    { look: 60_000, pause: 0 },
  )
