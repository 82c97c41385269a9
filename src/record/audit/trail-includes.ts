/** _include for events of the audit trail: the referenced resources are read from the clinic's. */
import type { SearchAnswer, UnitOfWork, Versioned } from '../../repository/repository.ts'
import { extractEntries } from '../../search/index/extract.ts'
import type { Include, SearchPlan } from '../../search/plan.ts'

const EVERY = '*'

/** The resources included with the clinic's own AuditEvents, and those that events of the trail refer to. */
export async function includedWith(
  events: readonly Versioned[],
  unit: UnitOfWork,
  plan: SearchPlan,
  stored: Pick<SearchAnswer, 'included' | 'truncated'>,
): Promise<Pick<SearchAnswer, 'included' | 'truncated'>> {
  const follow = plan.include.filter(({ reverse, source }) => !reverse && (source === 'AuditEvent' || source === EVERY))
  const targets = targetsOf(events, follow)
  if (targets.size === 0) return { included: stored.included, truncated: stored.truncated }
  const included = new Map(stored.included.map((one) => [addressOf(one), one]))
  let { truncated } = stored
  for (const [type, ids] of targets) {
    const found = await unit.search({
      ...{ clinic: unit.clinic, types: [type], where: [{ kind: 'id', ids: [...ids] }], sort: [] },
      ...{ count: ids.size, total: 'none', includeLimit: plan.includeLimit },
      include: plan.include.filter(({ iterate }) => iterate),
    })
    for (const one of [...found.matches, ...found.included]) included.set(addressOf(one), one)
    truncated ||= found.truncated
  }
  const all = [...included.values()].filter(({ type }) => type !== 'AuditEvent')
  return { included: all.slice(0, plan.includeLimit), truncated: truncated || all.length > plan.includeLimit }
}

const addressOf = ({ type, id }: Pick<Versioned, 'type' | 'id'>): string => `${type}/${id}`

/** The ids that the events refer to, by type. */
function targetsOf(
  events: readonly Versioned[],
  includes: readonly Include[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>()
  if (includes.length === 0) return targets
  for (const { resource } of events) {
    for (const entry of extractEntries(resource, '', [], false)) {
      if (entry.kind !== 'reference' || entry.type === '') continue
      const isFollowed = includes.some(
        ({ param, target }) => (param === EVERY || param === entry.param) && (target ?? entry.type) === entry.type,
      )
      if (!isFollowed) continue
      const ids = targets.get(entry.type) ?? new Set()
      targets.set(entry.type, ids.add(entry.id))
    }
  }
  return targets
}
