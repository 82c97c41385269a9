/** The types of conformance resources that have operations, or rules of their own. */

import type { SearchParameter } from 'fhir/r4'
import type { Operation } from '../core/operation.ts'
import { defineProvider, type Interactions, type Provider, standard } from '../core/provider.ts'
import { structureDefinitionSnapshot } from '../operations/structure-definition-snapshot.ts'
import { codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode } from '../operations/terminology/code-system.ts'
import { valueSetExpand, valueSetValidateCode } from '../operations/terminology/value-set.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from '../repository/record-kinds.ts'
import type { UnitOfWork, Versioned } from '../repository/repository.ts'
import { type CustomDeclaration, customIndexIn, declarationIn, declared } from '../search/index/custom-declaration.ts'
import { customParameter } from '../search/index/custom-definition.ts'

const OPERATIONS: Readonly<Record<string, readonly Operation[]>> = {
  CodeSystem: [codeSystemLookup, codeSystemSubsumes, codeSystemValidateCode],
  StructureDefinition: [structureDefinitionSnapshot],
  ValueSet: [valueSetExpand, valueSetValidateCode],
}

/**
 * An active SearchParameter is used in searches of its clinic once the resources are indexed by it.
 * https://hl7.org/fhir/R4/searchparameter.html, docs/operations/reindex-status.md
 */
const searchParameter: Interactions = {
  ...standard,
  create: async (ctx, resource) => declaring(ctx.unit, await standard.create(ctx, resource)),
  update: async (ctx, resource) => declaring(ctx.unit, await standard.update(ctx, resource)),
  delete: async (ctx, type, id) => {
    const deletion = await standard.delete(ctx, type, id)
    await declare(ctx.unit, id, () => undefined)
    return deletion
  },
}

const INTERACTIONS: Readonly<Record<string, Interactions>> = { SearchParameter: searchParameter }

export const builtInProviders: readonly Provider[] = Object.keys({ ...OPERATIONS, ...INTERACTIONS }).map((type) =>
  defineProvider(type, { operations: OPERATIONS[type] ?? [], interactions: INTERACTIONS[type] ?? standard }),
)

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
