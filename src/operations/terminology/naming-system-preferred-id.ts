/** NamingSystem/$preferred-id: https://hl7.org/fhir/R4/namingsystem-operation-preferred-id.html. */
import type { CodeSystem, NamingSystem, ValueSet } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { defineOperation } from '../../core/operation.ts'
import { uriQuery } from '../../core/terminology.ts'
import { badRequest, FhirError, notFound } from '../../fhir/outcome.ts'
import {
  hasId,
  IDENTIFIER_TYPES,
  type IdentifierType,
  idsOfType,
  type NamedSystem,
  ofNamingSystem,
  ofTerms,
  publishedSystem,
  spellingsOf,
} from '../../terminology/naming-systems.ts'

export const namingSystemPreferredId = defineOperation('naming-system-preferred-id', async ({ access, input }) => {
  const [id, type] = [String(input.id), identifierType(input.type)]
  const ctx = await access.reader()
  let known = false
  for (const find of [storedNamingSystems, storedTerms, published]) {
    const system = onlyOne(await find(ctx, id), id)
    if (system === undefined) continue
    known = true
    const result = onlyId(system, type)
    if (result !== undefined) return { result }
  }
  throw notFound(
    known ? `${id} is known here, but not its ${type}` : `There is no system with the identifier ${id} here`,
  )
})

/** @throws FhirError 400 */
function identifierType(given: unknown): IdentifierType {
  const type = IDENTIFIER_TYPES.find((one) => one === given)
  if (type !== undefined) return type
  throw badRequest(`Parameter type is '${String(given).slice(0, 64)}'; it may be ${IDENTIFIER_TYPES.join(', ')}`, {
    expression: 'type',
  })
}

/** NamingSystems of the clinic. Retired ones count only if there is no other. */
async function storedNamingSystems(ctx: Context, id: string): Promise<readonly NamedSystem[]> {
  const found = await ctx.search<NamingSystem>('NamingSystem', uriQuery('value:exact', spellingsOf(id)))
  const all = found.map(({ resource }) => resource)
  const current = all.filter(({ status }) => status !== 'retired')
  return (current.length > 0 ? current : all)
    .map((resource) => ofNamingSystem(resource, ctx.now))
    .filter((system) => hasId(system, id))
}

/** "If the server wishes, it can also look through all code systems and value sets it knows about". */
async function storedTerms(ctx: Context, id: string): Promise<readonly NamedSystem[]> {
  const spellings = spellingsOf(id)
  const queries = [uriQuery('url', spellings), uriQuery('identifier', spellings)]
  const found = await Promise.all(
    queries.flatMap((query) => [ctx.search<CodeSystem>('CodeSystem', query), ctx.search<ValueSet>('ValueSet', query)]),
  )
  const systems = found.flat().map(({ resource }) => ofTerms(resource))
  // All versions of a resource have the same url.
  return [...new Map(systems.filter((system) => hasId(system, id)).map((system) => [system.name, system])).values()]
}

const published = async (_ctx: Context, id: string): Promise<readonly NamedSystem[]> => {
  const system = publishedSystem(id)
  return system === undefined ? [] : [system]
}

/** @throws FhirError 422: "It is an error if more than one system matches the provided identifier" */
function onlyOne(systems: readonly NamedSystem[], id: string): NamedSystem | undefined {
  const [system] = systems
  if (systems.length > 1)
    throw ambiguous(`${id} identifies ${systems.length} systems: ${systems.map(({ name }) => name).join(', ')}`)
  return system
}

/**
 * @throws FhirError 422: "If there are multiple possible identifiers of the specified type (e.g. multiple OIDs) the server
 * returns an error"
 */
function onlyId(system: NamedSystem, type: IdentifierType): string | undefined {
  const ids = idsOfType(system, type)
  const [id] = ids
  if (ids.length > 1)
    throw ambiguous(
      `${system.name} has ${ids.length} identifiers of the type ${type}, and not one that is preferred: ${ids.join(', ')}`,
    )
  return id
}

const ambiguous = (diagnostics: string): FhirError => new FhirError(422, { code: 'multiple-matches', diagnostics })
