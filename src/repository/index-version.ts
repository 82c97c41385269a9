/** The index versions of a clinic's own search parameters that a search needs. */

import type { CustomParameters } from '../search/index/custom-parameters.ts'
import type { CustomIndex } from '../search/index/custom-progress.ts'
import type { SearchPlan } from '../search/plan.ts'
import { planParameters } from '../storage/index/plan-parameters.ts'
import type { IndexVersions } from '../storage/port.ts'
import { CustomIncomplete } from './index-incomplete.ts'

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
