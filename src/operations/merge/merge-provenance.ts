/**
 * The Provenance of merges: the resource versions that a merge has created, and the versions of the two Patients with
 * which it began. A merge is reversed with their help. A merge of many resources has several, which all name the same
 * version of the source.
 */
import type { Provenance, Reference } from 'fhir/r4'
import { type Context, userReference } from '../../core/context.ts'
import { localReference } from '../../fhir/reference.ts'
import type { Versioned } from '../../repository/repository.ts'
import { type Condition, plainPage, type SearchPlan } from '../../search/plan.ts'
import type { Staff } from './merge-input.ts'

const LIFECYCLE = 'http://terminology.hl7.org/CodeSystem/iso-21089-lifecycle'
const ENTERER = {
  system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type',
  code: 'enterer',
} as const

export const ACTIVITIES = {
  merge: { system: LIFECYCLE, code: 'merge', display: 'Merge Record Lifecycle Event' },
  unmerge: { system: LIFECYCLE, code: 'unmerge', display: 'Unmerge Record Lifecycle Event' },
} as const

/** A merge, identified by the versions of the Patients with which it began. */
export interface MergeBegin {
  readonly source: { readonly id: string; readonly version: number }
  readonly target: { readonly id: string; readonly version: number }
}

type Address = Pick<Versioned, 'type' | 'id' | 'version'>

const versionReference = ({ type, id, version }: Address): Reference => ({
  reference: `${type}/${id}/_history/${version}`,
})

export const sourceBefore = ({ source }: MergeBegin): Reference => versionReference({ type: 'Patient', ...source })

/** @param changed current versions, at least one */
export const stageMergeProvenance = (
  ctx: Context,
  by: Pick<Staff, 'id' | 'name'>,
  begin: MergeBegin,
  changed: readonly Address[],
): Promise<Versioned<Provenance>> =>
  stage(ctx, by, 'merge', changed, [
    { role: 'removal', what: sourceBefore(begin) },
    { role: 'revision', what: versionReference({ type: 'Patient', ...begin.target }) },
  ])

/** @param merges the Provenances whose changes were reversed */
export const stageUnmergeProvenance = (
  ctx: Context,
  by: Pick<Staff, 'id' | 'name'>,
  merges: readonly Address[],
  changed: readonly Address[],
): Promise<Versioned<Provenance>> =>
  stage(
    ctx,
    by,
    'unmerge',
    changed,
    merges.map((merge) => ({ role: 'source', what: versionReference(merge) })),
  )

const stage = (
  ctx: Context,
  by: Pick<Staff, 'id' | 'name'>,
  activity: keyof typeof ACTIVITIES,
  changed: readonly Address[],
  entity: NonNullable<Provenance['entity']>,
): Promise<Versioned<Provenance>> =>
  ctx.unit.put<Provenance>(
    {
      resourceType: 'Provenance',
      target: changed.map(versionReference),
      recorded: new Date(ctx.now).toISOString(),
      activity: { coding: [ACTIVITIES[activity]] },
      agent: [{ type: { coding: [ENTERER] }, who: userReference(by) }],
      entity,
    },
    'POST',
  )

/** The merge of a Patient that began last; undefined if there was none. */
export async function lastMergeOf(ctx: Context, sourceId: string): Promise<MergeBegin | undefined> {
  const about: Condition = { kind: 'reference', param: 'entity', type: 'Patient', id: sourceId }
  let after: string | undefined
  do {
    const plan = planFor(ctx, about, after)
    const page = await ctx.unit.search({ ...plan, sort: [{ by: 'lastUpdated', descending: true }] })
    for (const found of page.matches as readonly Versioned<Provenance>[]) {
      const begin = beginIn(found.resource, ctx.baseUrl)
      if (begin?.source.id === sourceId) return begin
    }
    after = page.next
  } while (after !== undefined)
  return undefined
}

/** A page of the Provenances of one merge, oldest first. */
export async function provenancesOf(
  ctx: Context,
  { source }: MergeBegin,
  after: string | undefined,
): Promise<{ readonly found: readonly Versioned<Provenance>[]; readonly next?: string }> {
  const about: Condition = {
    ...{ kind: 'reference', param: 'entity', type: 'Patient' },
    ...{ id: source.id, version: String(source.version) },
  }
  const { matches, next } = await ctx.unit.search(planFor(ctx, about, after, 1))
  const all = matches as readonly Versioned<Provenance>[]
  const found = all.filter(({ resource }) => beginIn(resource, ctx.baseUrl)?.source.id === source.id)
  return { found, ...(next === undefined ? {} : { next }) }
}

const planFor = ({ clinic }: Context, about: Condition, after: string | undefined, count = 20): SearchPlan =>
  plainPage({ clinic, types: ['Provenance'], where: [about], count, after })

/** Returns undefined for a Provenance of anything but a merge. */
function beginIn({ activity, entity = [] }: Provenance, baseUrl: string): MergeBegin | undefined {
  if (!activity?.coding?.some(({ system, code }) => system === LIFECYCLE && code === ACTIVITIES.merge.code))
    return undefined
  const versionWith = (role: string) => {
    const what = entity.find((one) => one.role === role)?.what
    const local = what && versionOf(what, baseUrl)
    return local?.type === 'Patient' ? local : undefined
  }
  const [source, target] = [versionWith('removal'), versionWith('revision')]
  return source && target && { source: numbered(source), target: numbered(target) }
}

const numbered = ({ id, version }: Address) => ({ id, version })

/** The resource versions created by a merge. */
export const changedBy = ({ target }: Provenance, baseUrl: string): readonly Address[] =>
  target.flatMap((one) => versionOf(one, baseUrl) ?? [])

function versionOf({ reference = '' }: Reference, baseUrl: string): Address | undefined {
  const local = localReference(reference, baseUrl)
  const version = Number(local?.version)
  return local === undefined || !Number.isInteger(version) ? undefined : { type: local.type, id: local.id, version }
}
