/** Resolves the lookups of a search from the value sets, code systems and resources of the clinic. */
import { FhirError } from '../fhir/outcome.ts'
import { spend } from '../isolation/budget.ts'
import { type Lookup, type Questions, resolveLookups } from '../search/lookup.ts'
import type { Condition, SearchPlan } from '../search/plan.ts'
import { codeCondition } from '../search/token-case.ts'
import { any } from '../search/value.ts'
import { codesAbove, codesBelow, codesInValueSet } from '../terminology/search-codes.ts'
import type { Context } from './context.ts'
import { caseSensitiveSystems, clinicTerminology } from './terminology.ts'

/**
 * The result of `parse` for a query, with every lookup resolved in the clinic.
 * @throws FhirError 400 for an unknown value set, 422 for a lookup that finds too much
 */
export const withLookups = <Parsed>(ctx: Context, parse: (questions: Questions) => Parsed): Promise<Parsed> =>
  resolveLookups(parse, {
    condition: (lookup) => namingParameter(lookup, () => resolved(lookup, ctx)),
    caseSensitive: (systems) => caseSensitiveSystems(ctx, systems),
  })

async function resolved(lookup: Lookup, ctx: Context): Promise<Condition> {
  switch (lookup.kind) {
    case 'value-set': {
      const { valueSet } = lookup
      return anyCode(ctx, lookup, codesInValueSet(await clinicTerminology(ctx, { valueSets: [valueSet] }), valueSet))
    }
    case 'code': {
      const { system, code, direction } = lookup
      const terminology = await clinicTerminology(ctx, { codeSystems: [system] })
      return anyCode(ctx, lookup, (direction === 'above' ? codesAbove : codesBelow)(terminology, { system, code }))
    }
    case 'resource':
      return anyReference(lookup, await hierarchy(lookup, ctx))
    case 'media-type':
      return anyCode(ctx, lookup, await mediaTypes(lookup, ctx))
  }
}

async function anyCode(
  ctx: Context,
  { param }: Lookup,
  codes: readonly { readonly system: string; readonly code: string }[],
): Promise<Condition> {
  spend(codes.length, 'the codes that it searches for')
  const different = new Map(codes.map(({ system, code }) => [`${system}|${code}`, { system, code }]))
  const sensitive = await caseSensitiveSystems(ctx, [...new Set(codes.map(({ system }) => system))])
  const conditions = [...different.values()].map((code) =>
    codeCondition(param, code, (system = '') => sensitive.has(system)),
  )
  return any(conditions)
}

type LookupOf<Kind extends Lookup['kind']> = Extract<Lookup, { kind: Kind }>

const anyReference = ({ param, type }: LookupOf<'resource'>, ids: Iterable<string>): Condition =>
  any([...ids].map((id) => ({ kind: 'reference', param, type, id })))

const MAX_RESOURCES = 1000
const MAX_LEVELS = 50

/** The ids of the resource and of all above or below it, level by level; a cycle ends where it began. */
async function hierarchy(lookup: LookupOf<'resource'>, { clinic, unit }: Context): Promise<ReadonlySet<string>> {
  const { type, id } = lookup
  const found = new Set([id])
  let level: readonly string[] = [id]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_LEVELS) throw tooCostly(`more than ${MAX_LEVELS} levels`)
    const plan: SearchPlan = { ...WHOLE, clinic, types: [type], where: [nextTo(lookup, level)] }
    const { matches, next } = await unit.search(plan)
    level = matches.map((match) => match.id).filter((one) => !found.has(one))
    for (const one of level) found.add(one)
    if (found.size > MAX_RESOURCES || next !== undefined) throw tooCostly(`more than ${MAX_RESOURCES} resources`)
  }
  return found
}

const WHOLE = { sort: [], count: MAX_RESOURCES, total: 'none', include: [], includeLimit: 0 } as const

function nextTo({ direction, type, parent: param }: LookupOf<'resource'>, ids: readonly string[]): Condition {
  return direction === 'below'
    ? any(ids.map((id) => ({ kind: 'reference', param, type, id })))
    : { kind: 'has', type, param, where: { kind: 'id', ids } }
}

const MAX_MEDIA_TYPES = 10_000

/** The matching media types in stored resources: `image/png` for `image`, `text/xml; charset=utf-8` for `text/xml`. */
async function mediaTypes({ param, types, mediaType }: LookupOf<'media-type'>, { unit }: Context) {
  const query = { kind: 'token', param, limit: MAX_MEDIA_TYPES } as const
  const values = await Promise.all(types.map((type) => unit.values({ ...query, type })))
  const asked = mediaType.toLowerCase()
  const isOf = ({ code }: { readonly code: string }) =>
    code.toLowerCase() === asked ||
    [';', ' ', ...(asked.includes('/') ? [] : ['/'])].some((end) => code.toLowerCase().startsWith(asked + end))
  return values.flat().filter(isOf)
}

const tooCostly = (what: string): FhirError =>
  new FhirError(422, { code: 'too-costly', diagnostics: `the hierarchy has ${what}, the most for a search` })

/** Turns the 404 of a resource that the search itself named into a 400 with the parameter's name. */
async function namingParameter<T>({ name }: Lookup, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FhirError)) throw error
    const issues = error.issues.map((issue) => ({ ...issue, diagnostics: `${name}: ${issue.diagnostics}` }))
    throw new FhirError(error.status === 404 ? 400 : error.status, issues)
  }
}
