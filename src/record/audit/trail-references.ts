/** References of AuditEvents to resources of the clinic: chains of a search, and _include, for events of the trail, which no engine searches. */
import { FhirError } from '../../fhir/outcome.ts'
import type { SearchAnswer, UnitOfWork, Versioned } from '../../repository/repository.ts'
import { extractEntries } from '../../search/index/extract.ts'
import type { Condition, Include, SearchPlan } from '../../search/plan.ts'

/** Resources that a chain may lead to. */
const MAX_TARGETS = 1_000

/**
 * The conditions with the references that their chains allow in place of the chains.
 * @throws FhirError 422 for a chain that leads to too much
 */
export const resolvedChains = (unit: UnitOfWork, conditions: readonly Condition[]): Promise<readonly Condition[]> =>
  Promise.all(conditions.map((condition) => resolved(unit, condition)))

async function resolved(unit: UnitOfWork, condition: Condition): Promise<Condition> {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return { kind: condition.kind, of: await resolvedChains(unit, condition.of) }
    case 'not':
      return { kind: 'not', of: await resolved(unit, condition.of) }
    case 'chain':
      return { kind: 'any', of: await chainTargets(unit, condition) }
    default:
      return condition
  }
}

async function chainTargets(
  unit: UnitOfWork,
  { param, types, where }: Extract<Condition, { kind: 'chain' }>,
): Promise<readonly Condition[]> {
  const { matches, next } = await unit.search({
    ...{ clinic: unit.clinic, types, where: [where], sort: [] },
    ...{ count: MAX_TARGETS, total: 'none', include: [], includeLimit: 0 },
  })
  if (next !== undefined) throw tooMany(types)
  return matches.map(({ type, id }) => ({ kind: 'reference', param, type, id }))
}

const tooMany = (types: readonly string[]): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The condition on ${types.join(', ')} is met by more than ${MAX_TARGETS} resources; in a search of the audit trail it must choose fewer`,
  })

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
