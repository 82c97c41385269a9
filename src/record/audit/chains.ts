/** Conditions that follow a reference of an AuditEvent to another resource, for events of the trail, which no engine searches. */
import { FhirError } from '../../fhir/outcome.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import type { Condition } from '../../search/plan.ts'

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
      return { kind: 'any', of: await targetsOf(unit, condition) }
    default:
      return condition
  }
}

async function targetsOf(
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
