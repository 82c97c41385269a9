/**
 * A write, stage by stage, the same for every caller: structure, precondition, contents, profiles, provider's rules,
 * provider. The standard interactions stage the result in the unit of work, which indexes and commits it
 * (docs/architecture.md, "Life of a write").
 */
import { readSettings } from '../clinics/settings.ts'
import { bytesOf, withLongDataApart } from '../content/long-data.ts'
import { FhirError, type Issue, unprocessable } from '../fhir/outcome.ts'
import type { Patch } from '../fhir/patch/patch.ts'
import { type AnyResource, SUBSETTED } from '../fhir/resource.ts'
import type { Versioned } from '../repository/repository.ts'
import type { Context } from './context.ts'
import { checkPrecondition, type Precondition } from './precondition.ts'
import { enforceProfiles } from './profiles.ts'
import { handlerOf, orNotFound, type Providers } from './provider.ts'

/** @throws FhirError 405, 400 or 422 naming each element at fault; what the provider throws */
export async function createResource(ctx: Context, providers: Providers, resource: AnyResource): Promise<Versioned> {
  const { resourceType: type } = resource
  const create = handlerOf(providers, type, 'create')
  ctx.unit.validate(resource, type)
  const kept = await withContentsKept(ctx, resource)
  await enforceProfiles(ctx, kept)
  await enforceRules(ctx, providers, kept, undefined)
  return await create(ctx, kept)
}

/** @throws FhirError 405, 400 or 422 naming each element at fault, 412; what the provider throws */
export async function updateResource(
  ctx: Context,
  providers: Providers,
  resource: AnyResource & { readonly id: string },
  precondition: Precondition,
): Promise<Versioned> {
  const { resourceType: type, id } = resource
  const update = handlerOf(providers, type, 'update')
  ctx.unit.validate(resource, type)
  const current = await ctx.unit.read(type, id)
  checkPrecondition(current, precondition, `${type}/${id}`)
  const kept = await withContentsKept(ctx, resource)
  await enforceProfiles(ctx, kept)
  await enforceRules(ctx, providers, kept, current?.deleted ? undefined : current)
  return await update(ctx, kept)
}

/**
 * Its contents have no limit of their own, since the body that brought them has one. A change receives each once, however
 * often it has it or is repeated: a second receipt would conflict with the use that it has staged.
 */
const withContentsKept = async <R extends AnyResource>({ clinic, contents, received }: Context, resource: R) =>
  (await withLongDataApart(resource, async (data) => {
    const known = received.get(data)
    if (known !== undefined) return known
    const { sha256 } = await contents.receive(clinic, bytesOf(data), Number.POSITIVE_INFINITY)
    received.set(data, sha256)
    return sha256
  })) as R

/** @throws FhirError 422 with all that the rules of the type find, where something is an error */
async function enforceRules(
  ctx: Context,
  providers: Providers,
  resource: AnyResource,
  current: Versioned | undefined,
): Promise<void> {
  const issues = await findingsOf(ctx, providers, resource, current)
  if (issues.some(({ severity = 'error' }) => severity === 'error')) throw new FhirError(422, issues)
  ctx.warnings.push(...issues)
}

export const findingsOf = async (
  ctx: Context,
  providers: Providers,
  resource: AnyResource,
  current: Versioned | undefined,
): Promise<readonly Issue[]> =>
  (await providers.get(resource.resourceType)?.findings?.(ctx, resource, current?.resource)) ?? []

interface Address {
  readonly type: string
  readonly id: string
}

/**
 * The patched resource goes through `updateResource`: the standard patch hands it to Context.update.
 * @throws FhirError 404, 405, 410, 412, 422; what the update throws
 */
export async function patchResource(
  ctx: Context,
  providers: Providers,
  { type, id }: Address,
  patch: Patch,
  precondition: Precondition,
): Promise<Versioned> {
  const handler = handlerOf(providers, type, 'patch')
  const current = orNotFound(await ctx.unit.read(type, id), type, id)
  checkPrecondition(current, precondition, `${type}/${id}`)
  return await handler(ctx, type, id, patch)
}

/** @throws FhirError 405, 412; what the provider throws */
export async function deleteResource(
  ctx: Context,
  providers: Providers,
  { type, id }: Address,
  precondition: Precondition,
): Promise<Versioned | undefined> {
  const handler = handlerOf(providers, type, 'delete')
  checkPrecondition(await ctx.unit.read(type, id), precondition, `${type}/${id}`)
  return await handler(ctx, type, id)
}

/**
 * An answer with a part of the resource (`_summary`, `_elements`) is marked as such: an update with it would delete the
 * other parts (search.html#summary).
 * @throws FhirError 422 unless the clinic lets it pass
 */
export async function checkIsWhole(ctx: Context, { resourceType: type, id, meta }: AnyResource): Promise<void> {
  const at = meta?.tag?.findIndex(({ system, code }) => system === SUBSETTED.system && code === SUBSETTED.code) ?? -1
  if (at === -1) return
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.subsetted === 'accept') return
  throw unprocessable(
    `The ${type} is tagged SUBSETTED: it is a part of the resource, as _summary and _elements give it, and an update with it would delete the rest. Read ${type}/${id} whole and change that, send a PATCH, or take the tag out`,
    { expression: `${type}.meta.tag[${at}]`, reason: 'subsetted' },
  )
}
