/**
 * The Patients of a Group: those that it lists, and those that its filters find.
 * https://hl7.org/fhir/R4/group.html, https://hl7.org/fhir/uv/bulkdata/STU3/group.html
 */
import type { Extension, Group, GroupMember } from 'fhir/r4'
import { compartmentMembers } from '../fhir/compartments.ts'
import { parseDateRange } from '../fhir/dates.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { type Condition, plainPage } from '../search/plan.ts'
import { inCompartment } from '../search/query/compartment.ts'
import type { Context } from './context.ts'
import { criteriaPlan } from './search-request.ts'

/** https://hl7.org/fhir/uv/bulkdata/STU3/StructureDefinition-member-filter.html */
const MEMBER_FILTER = 'http://hl7.org/fhir/uv/bulkdata/StructureDefinition/member-filter'
const FHIR_QUERY = 'application/x-fhir-query'
const MOST_FILTERS = 20

/** Groups of Groups that are looked into. */
const MOST_LEVELS = 5

/** Patients of a page. */
const PAGE = 100

interface Filter {
  /** The type of the resources, one of which must be found for each Patient. */
  readonly type: string
  readonly where: readonly Condition[]
}

/**
 * The ids of the Patients of a Group that are in the clinic now, each once, in pages of at most 100.
 * @throws FhirError 422 for a filter that cannot be carried out, or a Group without members and filters
 */
export async function* membersOf(ctx: Context, group: Group): AsyncGenerator<readonly string[]> {
  const filters = await filtersOf(ctx, group)
  const listed = group.member === undefined ? undefined : await listedIn(ctx, group)
  if (listed === undefined && filters.length === 0 && !group.actual) throw withoutCriteria(group)
  const wheres = listed === undefined ? (filters.length === 0 ? [] : [[]]) : chunksOf([...listed])
  const patients = filters.filter(({ type }) => type === 'Patient').flatMap(({ where }) => where)
  const others = filters.filter(({ type }) => type !== 'Patient')
  for (const where of wheres) yield* found(ctx, [...where, ...patients], others)
}

const withoutCriteria = ({ id }: Group): FhirError =>
  unprocessable(
    `Group/${id} is not actual and has no member-filter, so its Patients cannot be found; give it a modifierExtension ${MEMBER_FILTER}`,
    { expression: 'Group.modifierExtension' },
  )

function chunksOf(ids: readonly string[]): Condition[][] {
  const count = Math.ceil(ids.length / PAGE)
  return Array.from({ length: count }, (_, n) => [{ kind: 'id', ids: ids.slice(n * PAGE, (n + 1) * PAGE) }])
}

async function* found(
  ctx: Context,
  where: readonly Condition[],
  others: readonly Filter[],
): AsyncGenerator<readonly string[]> {
  let after: string | undefined
  do {
    const page = await search(ctx, 'Patient', where, { count: PAGE, after })
    const ids: string[] = []
    for (const { id } of page.matches) if (await meetsAll(ctx, id, others)) ids.push(id)
    if (ids.length > 0) yield ids
    after = page.next
  } while (after !== undefined)
}

const search = (
  { clinic, unit }: Context,
  type: string,
  where: readonly Condition[],
  { count, after }: { readonly count: number; readonly after?: string | undefined },
) => unit.search(plainPage({ clinic, types: [type], where, count, after }))

/** Whether each filter finds a resource in the compartment of the Patient. */
async function meetsAll(ctx: Context, patient: string, filters: readonly Filter[]): Promise<boolean> {
  for (const { type, where } of filters) {
    const params = compartmentMembers('Patient')?.get(type) ?? []
    const inside = inCompartment({ type: 'Patient', id: patient }, new Map([[type, params]]))
    const { matches } = await search(ctx, type, [inside, ...where], { count: 1 })
    if (matches.length === 0) return false
  }
  return true
}

/** The members of the Groups that are looked into, by level and id: each is looked into once at a level, however many name it. */
type Known = Map<string, readonly string[]>

/** The ids of the Patients that a Group names, itself and by other Groups; they may not exist. */
async function listedIn(ctx: Context, group: Group, level = 0, known: Known = new Map()): Promise<ReadonlySet<string>> {
  const { member: members = [] } = group
  spend(members.length, 'the members of its Groups')
  const ids = new Set<string>()
  for (const member of members) {
    const named = isMember(ctx, member) ? localReference(member.entity.reference ?? '', ctx.baseUrl) : undefined
    if (named?.type === 'Patient') ids.add(named.id)
    if (named?.type !== 'Group' || named.id === group.id || level >= MOST_LEVELS) continue
    for (const id of await membersOfInner(ctx, named.id, level + 1, known)) ids.add(id)
  }
  return ids
}

async function membersOfInner(ctx: Context, id: string, level: number, known: Known): Promise<readonly string[]> {
  const key = `${level}/${id}`
  const found = known.get(key)
  if (found !== undefined) return found
  const group = (await ctx.find<Group>('Group', id))?.resource
  const members = group === undefined ? [] : await membersWithin(ctx, group, level, known)
  known.set(key, members)
  return members
}

async function membersWithin(ctx: Context, group: Group, level: number, known: Known): Promise<readonly string[]> {
  const filters = await filtersOf(ctx, group)
  if (filters.length === 0) return [...(await listedIn(ctx, group, level, known))]
  const { member, ...rest } = group
  const listed = member === undefined ? {} : { member: [...(await listedIn(ctx, group, level, known))].map(asMember) }
  return (await Array.fromAsync(membersOf(ctx, { ...rest, ...listed }))).flat()
}

const asMember = (id: string): GroupMember => ({ entity: { reference: `Patient/${id}` } })

/** Whether it is a member now. */
function isMember({ now }: Context, { inactive, period }: GroupMember): boolean {
  if (inactive === true) return false
  const begins = parseDateRange(period?.start ?? '')?.low ?? 0
  const ends = parseDateRange(period?.end ?? '')?.high ?? Number.POSITIVE_INFINITY
  return begins <= now && now <= ends
}

/**
 * The filters of a Group, all of which its members meet.
 * @throws FhirError 422 for one that cannot be carried out
 */
export async function filtersOf(ctx: Context, { type, modifierExtension = [] }: Group): Promise<readonly Filter[]> {
  const extensions = modifierExtension.filter(({ url }) => url === MEMBER_FILTER)
  if (extensions.length === 0) return []
  if (type !== 'person')
    throw unusable(`The members of a Group of the type '${type}' are not found by filters; only those of 'person' are`)
  if (extensions.length > MOST_FILTERS) throw unusable(`The Group has more than ${MOST_FILTERS} filters`)
  const filters: Filter[] = []
  for (const extension of extensions) filters.push(await filterOf(ctx, extension))
  return filters
}

async function filterOf(ctx: Context, { valueExpression: value }: Extension): Promise<Filter> {
  const { language, expression = '' } = value ?? {}
  if (language !== FHIR_QUERY) throw unusable(`A filter has the language '${language}'; it must be ${FHIR_QUERY}`)
  const [, type = '', criteria = ''] = /^([A-Za-z]+)\?(.+)$/s.exec(expression) ?? []
  if (type !== 'Patient' && !compartmentMembers('Patient')?.has(type)) {
    throw unusable(
      `A filter is '${expression.slice(0, 200)}'; it must be a search of Patient, or of a type in its compartment, such as Condition?code=44054006`,
    )
  }
  try {
    return { type, where: (await criteriaPlan(ctx, type, criteria)).where }
  } catch (error) {
    if (error instanceof FhirError && error.status < 500)
      throw unusable(`A filter cannot be carried out: ${error.message}`)
    throw error
  }
}

const unusable = (diagnostics: string): FhirError =>
  unprocessable(diagnostics, { expression: 'Group.modifierExtension' })
