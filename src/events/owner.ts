/** The owner of a Subscription, whose rights decide which events are delivered. */
import { accountIn, roleNow } from '../clinics/accounts.ts'
import type { Admission } from '../clinics/program-tokens.ts'
import type { Agent, Context } from '../core/context.ts'
import { present } from '../fhir/resource.ts'
import type { Owner } from './state.ts'

/** The agent of a write as the owner. A user of another issuer has no account here. */
export async function ownerOf({ agent, unit }: Context): Promise<Owner> {
  if (agent.kind !== 'user') return { kind: 'server' }
  // A Subscription goes on when the session that made it has ended.
  const { session: _session, expires: _expires, ...user } = agent
  return { ...user, account: (await accountIn(unit, user.id)) !== undefined }
}

/** The agent for whom a websocket is bound, and the token with which it ends. */
export interface BoundAgent extends Admission {
  readonly agent: Owner
}

export const boundAgent = async (ctx: Context): Promise<BoundAgent> => ({
  agent: await ownerOf(ctx),
  ...(ctx.agent.kind === 'user' ? present({ session: ctx.agent.session, expires: ctx.agent.expires }) : {}),
})

/**
 * The owner as the agent of reads, with the lower of its role and that of its account now; undefined where its account is gone,
 * disabled, or of another clinic.
 */
export async function agentOf({ unit, clinic }: Context, owner: Owner): Promise<Agent | undefined> {
  if (owner.kind === 'server') return owner
  const { account: had, ...agent } = owner
  if (!had) return agent
  const role = roleNow(await accountIn(unit, agent.id), { clinic, role: agent.role })
  return role && { ...agent, role }
}
