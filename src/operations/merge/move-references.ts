/**
 * Moves the references to one Patient to another one, a few resources at a time: first those that the search index finds, then
 * those in elements that R4 has no search parameter for, by a look at every resource of the clinic.
 */

import type { Context } from '../../core/context.ts'
import type { CompartmentMembers } from '../../fhir/compartments.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { AnyResource } from '../../fhir/resource.ts'
import { rethrowBudgetError, spend } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { SearchParameter } from '../../search/parameters.ts'
import type { SearchPlan } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import { type Move, mentions, namesVersion, withMovedReferences } from './moved-references.ts'

/** Where the search for references goes on. */
export interface Position {
  readonly among: 'indexed' | 'all'
  /** Cursor of the page before. */
  readonly after?: string
}

export const BEGINNING: Position = { among: 'indexed' }

/** What a Bundle holds refers to what is in it, as it was when it was made; and an audit event says what it was about then. */
const LEFT_AS_THEY_ARE: ReadonlySet<string> = new Set(['Bundle', 'AuditEvent'])

const MOVABLE = resourceTypes.filter((type) => !LEFT_AS_THEY_ARE.has(type))

/** The reference parameters of each type that may point to a Patient, by what a server offers. */
const known = new WeakMap<Context['servedSearch'], CompartmentMembers>()

function parametersTo({ servedSearch }: Context): CompartmentMembers {
  const before = known.get(servedSearch)
  if (before !== undefined) return before
  const all = MOVABLE.map((type) => {
    const parameters = [...servedSearch.parametersOf(type).values()]
    return [type, parameters.filter(pointsToPatients).map(({ code }) => code)] as const
  })
  const members = new Map(all.filter(([, codes]) => codes.length > 0))
  known.set(servedSearch, members)
  return members
}

const pointsToPatients = ({ type, canonical, target = ['*'] }: SearchParameter): boolean =>
  type === 'reference' && canonical !== true && (target.includes('Patient') || target.includes('*'))

function planOf(ctx: Context, id: string, { among, after }: Position, count: number): SearchPlan {
  const members = parametersTo(ctx)
  return {
    clinic: ctx.clinic,
    types: among === 'indexed' ? [...members.keys()] : MOVABLE,
    where: among === 'indexed' ? [inCompartment({ type: 'Patient', id }, members)] : [],
    sort: [],
    count,
    ...(after === undefined ? {} : { after }),
    total: 'none',
    include: [],
    includeLimit: 0,
  }
}

/** What a page of resources has come to. */
export interface MovedPage {
  /** As they were found. */
  readonly found: readonly Versioned[]
  readonly changed: readonly Versioned[]
  /** Resources with references that name a version of the Patient, which stay. */
  readonly naming: readonly Versioned[]
  /** Absent: there is no more. */
  readonly next?: Position
}

/** What is done with a resource that cannot be written: `refuse` throws. */
export type OnRefusal = (found: Versioned, error: FhirError) => void

/** The change is only written while the index still finds these, and no others, that refer to the Patient. */
export function guardReferring(ctx: Context, id: string, found: readonly Versioned[]): void {
  const plan = planOf(ctx, id, BEGINNING, found.length + 1)
  const byType = Map.groupBy(found, ({ type }) => type)
  // Resources of several types may have one id, so each type has a guard; those of which there are none have one together.
  for (const [type, some] of byType) {
    const ids = some.map((one) => one.id)
    ctx.unit.guard({ ...plan, types: [type] }, ids)
  }
  const others = plan.types.filter((type) => !byType.has(type))
  if (others.length > 0) ctx.unit.guard({ ...plan, types: others }, [])
}

/** How much a page is. */
export interface PageSize {
  /** Resources that are searched for. */
  readonly count: number
  /** Of those that are changed: when they have as many, the page ends before the next one. */
  readonly characters: number
  /** Absent: a resource that cannot be written is thrown. */
  readonly onRefusal?: OnRefusal
}

/** Stages the changes of one page. @throws what `onRefusal` throws; BudgetError */
export async function movePage(
  ctx: Context,
  move: Move,
  position: Position,
  { count, characters, onRefusal = refuse }: PageSize,
): Promise<MovedPage> {
  const { matches, next } = await ctx.unit.search(planOf(ctx, move.from, position, count))
  const changed: Versioned[] = []
  let left = characters
  for (const found of matches) {
    spend(found.text.length / LOOKED_AT_IN_A_STEP, 'the resources that may refer to the patient')
    const moved = isEither(found, move) ? undefined : await moveIn(ctx, found, move, onRefusal)
    if (moved === undefined) continue
    changed.push(moved)
    left -= moved.text.length
    if (left <= 0) break
    await yieldToEventLoop()
  }
  const naming = matches.filter((one) => !isEither(one, move) && namesVersion(one.text, move.from))
  // What is changed by now is passed over when the same page is looked at again.
  return { found: matches, changed, naming, ...(left <= 0 ? { next: position } : nextOf(position, next)) }
}

/** Characters that are searched for an id in one step. */
const LOOKED_AT_IN_A_STEP = 5_000

/** The links between the two Patients are not moved: the target would point at itself. */
const isEither = ({ type, id }: Versioned, { from, to }: Move): boolean =>
  type === 'Patient' && (id === from || id === to)

function nextOf(position: Position, after: string | undefined): { readonly next?: Position } {
  if (after !== undefined) return { next: { ...position, after } }
  return position.among === 'indexed' ? { next: { among: 'all' } } : {}
}

async function moveIn(
  ctx: Context,
  found: Versioned,
  move: Move,
  onRefusal: OnRefusal,
): Promise<Versioned | undefined> {
  if (!mentions(found.text, move.from)) return undefined
  const current = await ctx.unit.read(found.type, found.id)
  const moved = current && withMovedReferences(current.resource, move, ctx.baseUrl)
  return moved && (await putReferences(ctx, found, moved, onRefusal))
}

/**
 * Past the rules of the providers, which are about what a client changes (the status of an Appointment, its slots) and may
 * refuse what was right when it was stored. Structure, index and versions are as with every write.
 */
export async function putReferences(
  ctx: Context,
  found: Versioned,
  resource: AnyResource,
  onRefusal: OnRefusal = refuse,
): Promise<Versioned | undefined> {
  try {
    return await ctx.unit.put(resource, 'PUT')
  } catch (error) {
    rethrowBudgetError(error)
    if (!(error instanceof FhirError)) throw error
    onRefusal(found, error)
    return undefined
  }
}

/** @throws FhirError 422 */
function refuse({ type, id }: Versioned, error: FhirError): void {
  throw new FhirError(
    422,
    error.issues.map((issue) => ({
      ...issue,
      diagnostics: `${type}/${id} refers to the patient and cannot be changed, correct it first: ${issue.diagnostics}`,
    })),
  )
}
