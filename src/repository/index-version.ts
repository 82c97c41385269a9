/**
 * The index versions of a clinic's own search parameters that a search needs, and the errors of searches that have to wait
 * while stored resources are being indexed by one of their parameters.
 */

import { FhirError } from '../fhir/outcome.ts'
import type { CustomIndex } from '../search/index/custom-declaration.ts'
import type { CustomParameters } from '../search/index/custom-parameters.ts'
import type { SearchPlan } from '../search/plan.ts'
import { planParameters } from '../search/plan-parameters.ts'
import type { IndexVersions } from '../storage/port.ts'
import { EntriesOutdated, IndexIncomplete } from '../storage/store-errors.ts'

/**
 * The needed version by type; undefined where entries of any version will do.
 * @throws CustomIncomplete while resources are still being reindexed by a parameter that the search uses
 */
export async function indexVersionsFor(
  plan: SearchPlan,
  custom: CustomParameters,
  readIndex: () => Promise<CustomIndex>,
): Promise<IndexVersions | undefined> {
  const uses = planParameters(plan).flatMap(({ type, param }) =>
    (type === '*' ? custom.types : [type]).flatMap((one) => {
      const indexVersion = custom.indexVersionFor(one, param)
      return indexVersion === undefined ? [] : [{ type: one, param, indexVersion }]
    }),
  )
  if (uses.length === 0) return undefined
  const { types } = await readIndex()
  const lacking = uses.filter(({ type, indexVersion }) => (types[type]?.indexVersion ?? 0) < indexVersion)
  if (lacking.length > 0) throw new CustomIncomplete(lacking.map(({ type, param }) => `${type}?${param}`))
  const byType = Map.groupBy(uses, ({ type }) => type)
  return Object.fromEntries(
    [...byType].map(([type, group]) => [type, Math.max(...group.map((use) => use.indexVersion))]),
  )
}

/** A search uses the clinic's own parameters while its resources are still being indexed by them. */
class CustomIncomplete extends IndexIncomplete {}

/** A 503 that names the parameters to leave out meanwhile. */
export const searchNotReady = (error: IndexIncomplete): FhirError =>
  new FhirError(
    503,
    { code: 'transient', diagnostics: `${reasonOf(error)}; search without that, or try again later` },
    { 'retry-after': error instanceof CustomIncomplete ? '2' : '30' },
  )

function reasonOf(error: IndexIncomplete): string {
  const uses = error.uses.join(', ')
  return error instanceof CustomIncomplete || error instanceof EntriesOutdated
    ? `The search parameters of this clinic have changed, and it is still being indexed by ${uses}; [base]/$reindex-status reports the progress`
    : `This server is a new version, and still indexes the resources stored before it by ${uses}`
}
