/** StructureDefinition/$snapshot: https://hl7.org/fhir/R4/structuredefinition-operation-snapshot.html. */
import type { StructureDefinition } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { defineOperation } from '../core/operation.ts'
import { uriQuery } from '../core/terminology.ts'
import { badRequest, notFound, unprocessable } from '../fhir/outcome.ts'
import { typeDefinition } from '../fhir/type-definition.ts'
import { coreType } from '../profiles/typed-element.ts'
import { canonicalOf, newest } from '../terminology/canonical.ts'

export const structureDefinitionSnapshot = defineOperation('structure-definition-snapshot', async (request) => {
  const { access, input, id } = request
  const ctx = await access.reader()
  const { definition, url } = input
  if ([id, definition, url].filter((one) => one !== undefined).length > 1)
    throw badRequest('Only one of definition, url and the address of a StructureDefinition can be given')
  if (definition !== undefined) return withSnapshot(definition as StructureDefinition)
  if (id !== undefined) return withSnapshot((await ctx.read('StructureDefinition', id)).resource as StructureDefinition)
  if (typeof url !== 'string')
    throw badRequest('Parameter url is missing; it names a StructureDefinition, and definition is one')
  return definitionAt(ctx, url)
})

/** @throws FhirError 404 where neither the clinic nor R4 has it, 422 where it has no snapshot */
async function definitionAt(ctx: Context, canonical: string): Promise<StructureDefinition> {
  const { url, version } = canonicalOf(canonical)
  const found = await ctx.search<StructureDefinition>('StructureDefinition', uriQuery('url', [url]))
  const stored = found.map(({ resource }) => resource)
  const own = newest(version === undefined ? stored : stored.filter((one) => one.version === version))
  if (own !== undefined) return withSnapshot(own)
  const definition = typeDefinition(coreType(canonical) ?? '')
  if (definition === undefined || (version !== undefined && !definition.version?.startsWith(version)))
    throw notFound(`The structure definition ${canonical} is neither stored in this clinic nor a type of R4`)
  return definition
}

function withSnapshot(definition: StructureDefinition): StructureDefinition {
  if (definition.snapshot !== undefined) return definition
  const which = `The structure definition ${definition.url}`
  throw unprocessable(`${which} has no snapshot; none is made of its differential`, { expression: 'url' })
}
