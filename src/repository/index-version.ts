/** By which search parameters of its clinic the entries of a type must have been made, for a search to go by them. */

import type { CustomParameters } from '../search/index/custom-parameters.ts'
import type { CustomIndex } from '../search/index/custom-progress.ts'
import type { SearchPlan } from '../search/plan.ts'
import { usesOf } from '../storage/index/plan-parameters.ts'
import type { MadeBy } from '../storage/port.ts'
import { CustomIncomplete } from './index-incomplete.ts'

/**
 * undefined where the entries may have been made by any.
 * @throws CustomIncomplete when making them is still under way
 */
export async function madeByOf(
  plan: SearchPlan,
  custom: CustomParameters,
  readIndex: () => Promise<CustomIndex>,
): Promise<MadeBy | undefined> {
  const uses = usesOf(plan).flatMap(({ type, param }) =>
    (type === '*' ? custom.types : [type]).flatMap((one) => {
      const madeBy = custom.madeByFor(one, param)
      return madeBy === undefined ? [] : [{ type: one, param, madeBy }]
    }),
  )
  if (uses.length === 0) return undefined
  const { types } = await readIndex()
  const lacking = uses.filter(({ type, madeBy }) => (types[type]?.madeBy ?? 0) < madeBy)
  if (lacking.length > 0) throw new CustomIncomplete(lacking.map(({ type, param }) => `${type}?${param}`))
  const byType = Map.groupBy(uses, ({ type }) => type)
  return Object.fromEntries([...byType].map(([type, group]) => [type, Math.max(...group.map((use) => use.madeBy))]))
}
