/**
 * Moves the references to one Patient to another (https://hl7.org/fhir/R4/references.html), a few resources at a time: first
 * those found by the search index, then those in elements without an R4 search parameter, by reading every resource of the
 * clinic.
 */

import type { Context } from '../../core/context.ts'
import type { CompartmentMembers } from '../../fhir/compartments.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { oncePer } from '../../fhir/memoize.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { type AnyResource, isObject } from '../../fhir/resource.ts'
import { Meter, rethrowBudgetError, spend } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { SearchParameter } from '../../search/parameters.ts'
import { plainPage, type SearchPlan } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'

/** Position of the search for references. */
export interface Position {
  readonly among: 'indexed' | 'all'
  /** Cursor from the previous page. */
  readonly after?: string
}

export const BEGINNING: Position = { among: 'indexed' }

/**
 * Types whose references are historical: a Bundle refers to its own content at the time, and an audit event to its
 * subject at the time.
 */
const LEFT_AS_THEY_ARE: ReadonlySet<string> = new Set(['Bundle', 'AuditEvent'])

const MOVABLE = resourceTypes.filter((type) => !LEFT_AS_THEY_ARE.has(type))

/** Cached reference parameters of each type that may point to a Patient, by search capabilities. */
const parametersTo = oncePer((servedSearch: Context['servedSearch']): CompartmentMembers => {
  const all = MOVABLE.map((type) => {
    const parameters = [...servedSearch.parametersOf(type).values()]
    return [type, parameters.filter(pointsToPatients).map(({ code }) => code)] as const
  })
  return new Map(all.filter(([, codes]) => codes.length > 0))
})

const pointsToPatients = ({ type, canonical, target = ['*'] }: SearchParameter): boolean =>
  type === 'reference' && canonical !== true && (target.includes('Patient') || target.includes('*'))

function planOf(ctx: Context, id: string, { among, after }: Position, count: number): SearchPlan {
  const members = parametersTo(ctx.servedSearch)
  return plainPage({
    clinic: ctx.clinic,
    types: among === 'indexed' ? [...members.keys()] : MOVABLE,
    where: among === 'indexed' ? [inCompartment({ type: 'Patient', id }, members)] : [],
    count,
    after,
  })
}

/** The outcome of one page of resources. */
export interface MovedPage {
  /** The resources as read. */
  readonly found: readonly Versioned[]
  readonly changed: readonly Versioned[]
  /** Resources with references to a specific version of the Patient, which stay. */
  readonly naming: readonly Versioned[]
  /** Absent after the last page. */
  readonly next?: Position
}

/** Handles a resource that cannot be written; `refuse` throws. */
export type OnRefusal = (found: Versioned, error: FhirError) => void

/** The change commits only if the index still finds exactly these resources referring to the Patient. */
function guardReferring(ctx: Context, id: string, found: readonly Versioned[]): void {
  const plan = planOf(ctx, id, BEGINNING, found.length + 1)
  const byType = Map.groupBy(found, ({ type }) => type)
  // Resources of several types may have the same id, so each type has its own guard; the types without any share one.
  for (const [type, some] of byType) {
    const ids = some.map((one) => one.id)
    ctx.unit.guard({ ...plan, types: [type] }, ids)
  }
  const others = plan.types.filter((type) => !byType.has(type))
  if (others.length > 0) ctx.unit.guard({ ...plan, types: others }, [])
}

/** Limits of a page. */
export interface PageSize {
  /** Most resources read. */
  readonly count: number
  /** Most characters of changed resources; once reached, the page ends. */
  readonly characters: number
  /** Absent: throws for a resource that cannot be written. */
  readonly onRefusal?: OnRefusal
}

/** Stages the changes of one page. @throws whatever `onRefusal` throws; BudgetError */
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
  // Resources changed by now are skipped when the same page is read again.
  return { found: matches, changed, naming, ...(left <= 0 ? { next: position } : nextOf(position, next)) }
}

/** Characters searched for an id per budget step. */
const LOOKED_AT_IN_A_STEP = 5_000

/** Links between the two Patients are not moved, as the target would point to itself. */
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
 * Bypasses the rules of the providers, which concern changes by clients (the status of an Appointment, its slots) and
 * might refuse what was valid when stored. Structure, index and versions are handled as in every write.
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

/** Limits of one change; the rest is left to the background. */
const MOST = { changed: 1_000, looked: 5_000, characters: 8_000_000 } as const
/** Resources read in one page. */
const PAGE = 250

export interface Moved {
  readonly changed: readonly Versioned[]
  /** Number of resources with references to a specific version of the source. */
  readonly naming: number
  /** The position where the background continues. */
  readonly rest?: Position
}

/**
 * Moves all references, or as many as one change may hold. @throws FhirError 422 naming a resource that cannot be
 * changed
 */
export async function moveAtOnce(ctx: Context, move: Move): Promise<Moved> {
  const changed = new Map<string, Versioned>()
  const naming = new Set<string>()
  const referring: Versioned[] = []
  let [looked, characters] = [0, 0]
  for (let position: Position | undefined = BEGINNING; position !== undefined; ) {
    const page = await movePage(ctx, move, position, { count: PAGE, characters: MOST.characters })
    for (const one of page.changed) changed.set(addressOf(one), one)
    for (const one of page.naming) naming.add(addressOf(one))
    if (position.among === 'indexed') referring.push(...page.found)
    else looked += page.found.length
    characters += page.changed.reduce((sum, { text }) => sum + text.length, 0)
    position = page.next
    const isFull = changed.size >= MOST.changed || looked >= MOST.looked || characters >= MOST.characters
    if (isFull && position !== undefined) return { changed: [...changed.values()], naming: naming.size, rest: position }
  }
  guardReferring(ctx, move.from, referring)
  return { changed: [...changed.values()], naming: naming.size }
}

const addressOf = ({ type, id }: Versioned): string => `${type}/${id}`

/** Ids of Patients. */
export interface Move {
  readonly from: string
  readonly to: string
}

/** Budget steps for searching one object. */
const LOOKED_THROUGH = 0.3

/**
 * The resource with its references to `from`, relative or below `baseUrl`, changed in every element; undefined if it
 * has none. A reference to a specific version stays, as the other Patient has no such version.
 * @throws BudgetError
 */
function withMovedReferences<R extends AnyResource>(resource: R, move: Move, baseUrl: string): R | undefined {
  const meter = new Meter('the references to the patient')
  let isMoved = false
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (!isObject(value)) return value
    meter.pay(LOOKED_THROUGH)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, movedMember(name, member)]))
  }
  const movedMember = (name: string, member: unknown): unknown => {
    if (name !== 'reference' || typeof member !== 'string') return moved(member)
    if (!isReferenceTo(member, move.from, baseUrl)) return member
    isMoved = true
    return member.slice(0, member.length - move.from.length) + move.to
  }
  const result = moved(resource) as R
  return isMoved ? result : undefined
}

/** Whether it is a literal reference to the Patient, without a version. */
export function isReferenceTo(reference: string | undefined, id: string, baseUrl: string): boolean {
  const local = localReference(reference ?? '', baseUrl)
  return local?.type === 'Patient' && local.id === id && local.version === undefined
}

/** Whether a stored text may contain references to the Patient, and whether it names versions of it. */
const mentions = (text: string, id: string): boolean => text.includes(`Patient/${id}"`)
const namesVersion = (text: string, id: string): boolean => text.includes(`Patient/${id}/_history/`)
