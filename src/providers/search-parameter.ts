/**
 * SearchParameter: one that is active takes part in the searches of its clinic, once its resources are indexed by it.
 * https://hl7.org/fhir/R4/searchparameter.html, docs/operations/reindex-status.md
 */
import type { SearchParameter } from 'fhir/r4'
import type { Interactions } from '../core/provider.ts'
import { standard } from '../core/standard.ts'
import { CUSTOM_INDEX, CUSTOM_PARAMETERS, type UnitOfWork, type Versioned } from '../repository/repository.ts'
import { customParameter } from '../search/index/custom-definition.ts'
import { type CustomDeclaration, declarationIn, declared } from '../search/index/custom-parameters.ts'
import { customIndexIn, customIndexValue } from '../search/index/custom-progress.ts'

/** A patch goes through update. */
export const searchParameter: Interactions = {
  ...standard,
  create: async (ctx, resource) => declaring(ctx.unit, await standard.create(ctx, resource)),
  update: async (ctx, resource, precondition) =>
    declaring(ctx.unit, await standard.update(ctx, resource, precondition)),
  delete: async (ctx, type, id, precondition) => {
    const deletion = await standard.delete(ctx, type, id, precondition)
    await declare(ctx.unit, id, () => undefined)
    return deletion
  },
}

async function declaring(unit: UnitOfWork, written: Versioned): Promise<Versioned> {
  const resource = { ...(written.resource as SearchParameter), id: written.id }
  await declare(unit, written.id, (declaration) => customParameter(resource, declaration))
  return written
}

/** Stages what the clinic is searched by from now on, and that its resources have to be indexed by it. */
async function declare(
  unit: UnitOfWork,
  id: string,
  parameterIn: (declaration: CustomDeclaration) => ReturnType<typeof customParameter>,
): Promise<void> {
  const { kind, key } = CUSTOM_PARAMETERS
  const stored = await unit.readRecord(kind, key)
  const before = declarationIn(unit.stagedRecord(kind, key)?.value ?? stored?.value)
  const parameter = parameterIn(before)
  if (parameter === undefined && !before.parameters.some((one) => one.id === id)) return
  const expect = stored?.version ?? 0
  unit.record({ kind, key, expect, value: declared(before, id, parameter, expect + 1) })
  await stageIndexing(unit)
}

/** At once, by whichever server looks first. */
async function stageIndexing(unit: UnitOfWork): Promise<void> {
  const { kind, key } = CUSTOM_INDEX
  const stored = await unit.readRecord(kind, key)
  unit.record({
    kind,
    key,
    expect: stored?.version ?? 0,
    value: customIndexValue(customIndexIn(stored?.value)),
    due: unit.now,
  })
}
