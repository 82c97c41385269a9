/** The owner of a Subscription, whose rights decide which events are delivered. */
import { accountIn, isHigher } from '../clinics/accounts.ts'
import type { Agent, Context } from '../core/context.ts'
import type { Owner } from './state.ts'

/** The agent of a write as the owner. A user of another issuer has no account here. */
export const ownerOf = async ({ agent, unit }: Context): Promise<Owner> =>
  agent.kind === 'user' ? { ...agent, account: (await accountIn(unit, agent.id)) !== 'none' } : { kind: 'server' }

/**
 * The owner as the agent of reads, with the lower of its role and that of its account now; undefined where its account is gone,
 * disabled, or of another clinic.
 */
export async function agentOf({ unit, clinic }: Context, owner: Owner): Promise<Agent | undefined> {
  if (owner.kind === 'server') return owner
  const { account: had, ...agent } = owner
  if (!had) return agent
  const account = await accountIn(unit, agent.id)
  if (account === 'none' || account === 'disabled' || account.clinic !== clinic) return undefined
  return isHigher(agent.role, account.role) ? { ...agent, role: account.role } : agent
}
