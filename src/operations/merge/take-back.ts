/** Reverses the changes of a merge in a resource; later changes are kept. */
import { isDeepStrictEqual } from 'node:util'
import type { Provenance } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Versioned } from '../../repository/repository.ts'
import { changedBy, type MergeBegin, provenancesOf } from './merge-provenance.ts'
import { type OnRefusal, type PageSize, putReferences } from './move-references.ts'
import { withoutChange } from './three-way.ts'

/** A version created by a merge. */
type MadeVersion = Pick<Versioned, 'type' | 'id' | 'version'>

/**
 * Returns undefined if there is nothing to reverse: the resource was deleted, or changed in the same place since.
 * @throws FhirError 422 naming the resource; or whatever `onRefusal` throws, if it is given
 */
export async function takeBack(
  ctx: Context,
  { type, id, version }: MadeVersion,
  onRefusal?: OnRefusal,
): Promise<Versioned | undefined> {
  const current = await ctx.unit.read(type, id)
  if (current === undefined || current.deleted) return undefined
  const before = await ctx.unit.readVersion(type, id, version - 1)
  const after = await ctx.unit.readVersion(type, id, version)
  if (before === undefined || after === undefined || before.deleted || after.deleted) return undefined
  const is = unversioned(current.resource)
  const result = withoutChange(unversioned(before.resource), unversioned(after.resource), is)
  return isDeepStrictEqual(result, is) ? undefined : await putReferences(ctx, current, result as AnyResource, onRefusal)
}

/** Position of the reversal of a merge. */
export interface ReturnPosition {
  /** Cursor from the previous page of Provenances; a page has one. */
  readonly after?: string
  /** Number of resources of this Provenance already done. */
  readonly done: number
}

export const FIRST_RETURN: ReturnPosition = { done: 0 }

interface ReturnedPage {
  readonly merges: readonly Versioned<Provenance>[]
  readonly changed: readonly Versioned[]
  readonly looked: number
  /** Absent after the last page. */
  readonly next?: ReturnPosition
}

/** Resources of a merge, without its two Patients; at most `count`. @throws as takeBack */
export async function takeBackPage(
  ctx: Context,
  begin: MergeBegin,
  { after, done }: ReturnPosition,
  { count, characters, onRefusal }: PageSize,
): Promise<ReturnedPage> {
  const { found, next } = await provenancesOf(ctx, begin, after)
  const isPatient = ({ type, id }: MadeVersion): boolean =>
    type === 'Patient' && (id === begin.source.id || id === begin.target.id)
  const all = found.flatMap(({ resource }) => changedBy(resource, ctx.baseUrl)).filter((one) => !isPatient(one))
  const changed: Versioned[] = []
  let looked = 0
  for (let left = characters; looked < count && done + looked < all.length && left > 0; looked++) {
    const one = all[done + looked]
    const returned = one && (await takeBack(ctx, one, onRefusal))
    if (returned === undefined) continue
    changed.push(returned)
    left -= returned.text.length
    await yieldToEventLoop()
  }
  const page = { merges: found, changed, looked }
  if (done + looked < all.length)
    return { ...page, next: { ...(after === undefined ? {} : { after }), done: done + looked } }
  return next === undefined ? page : { ...page, next: { after: next, done: 0 } }
}

/** The resource without elements that are new in every version. */
function unversioned(resource: AnyResource): AnyResource {
  const { versionId: _versionId, lastUpdated: _lastUpdated, ...meta } = resource.meta ?? {}
  const { meta: _meta, ...rest } = resource
  return Object.keys(meta).length === 0 ? rest : { ...rest, meta }
}
