/**
 * SearchParameter: an active one is used in searches of its clinic once the resources are indexed by it.
 * https://hl7.org/fhir/R4/searchparameter.html, docs/operations/reindex-status.md
 */
import type { SearchParameter } from 'fhir/r4'
import { type Interactions, standard } from '../core/provider.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from '../repository/custom-records.ts'
import type { UnitOfWork, Versioned } from '../repository/repository.ts'
import { type CustomDeclaration, declarationIn, declared } from '../search/index/custom-declaration.ts'
import { customParameter } from '../search/index/custom-definition.ts'
import { customIndexIn } from '../search/index/custom-progress.ts'

/** A patch is executed as an update. */
export const searchParameter: Interactions = {
  ...standard,
  create: async (ctx, resource) => declaring(ctx.unit, await standard.create(ctx, resource)),
  update: async (ctx, resource) => declaring(ctx.unit, await standard.update(ctx, resource)),
  delete: async (ctx, type, id) => {
    const deletion = await standard.delete(ctx, type, id)
    await declare(ctx.unit, id, () => undefined)
    return deletion
  },
}

async function declaring(unit: UnitOfWork, written: Versioned): Promise<Versioned> {
  const resource = { ...(written.resource as SearchParameter), id: written.id }
  await declare(unit, written.id, (declaration) => customParameter(resource, declaration))
  return written
}

/** Stages the clinic's new search parameters, and the reindexing of its resources. */
async function declare(
  { records, now }: UnitOfWork,
  id: string,
  parameterIn: (declaration: CustomDeclaration) => ReturnType<typeof customParameter>,
): Promise<void> {
  const before = declarationIn((await records.read(CUSTOM_DECLARATION, CUSTOM_KEY))?.value)
  const parameter = parameterIn(before)
  if (parameter === undefined && !before.parameters.some((one) => one.id === id)) return
  const version = records.nextVersion(CUSTOM_DECLARATION, CUSTOM_KEY)
  records.put(CUSTOM_DECLARATION, CUSTOM_KEY, declared(before, id, parameter, version))
  const progress = customIndexIn((await records.read(CUSTOM_PROGRESS, CUSTOM_KEY))?.value)
  // Due at once: the first server that checks for work starts it.
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, progress, { due: now })
}
