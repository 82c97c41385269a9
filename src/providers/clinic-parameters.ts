/** The search parameters of a clinic: those that are served everywhere, and those that it has added. */

import type { Context } from '../core/context.ts'
import type { SearchParameter } from '../search/parameters.ts'

type ParametersOf = (type: string) => ReadonlyMap<string, SearchParameter>

export async function clinicParameters({ unit }: Pick<Context, 'unit'>, served: ParametersOf): Promise<ParametersOf> {
  return (await unit.customParameters())?.parametersOf(served) ?? served
}
