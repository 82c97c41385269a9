/**
 * $everything: a patient or an encounter with all that belongs to it, in pages.
 * https://hl7.org/fhir/R4/patient-operation-everything.html, https://hl7.org/fhir/R4/encounter-operation-everything.html
 */

import type { Context } from '../../core/context.ts'
import type { OperationHandler, OperationRequest } from '../../core/operation.ts'
import { Searchset } from '../../core/searchset.ts'
import { noResourceType } from '../../fhir/closest-name.ts'
import type { Membership } from '../../fhir/compartments.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { badRequest, type Issue } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import type { Condition, Include, SearchPlan } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import { careBetween } from './care-dates.ts'
import { type EverythingCursor, readCursor, writeCursor } from './cursor.ts'
import { supportFor } from './support.ts'

/** What everything is around. */
export interface Surroundings {
  readonly type: 'Patient' | 'Encounter'
  /** What belongs to it, beside itself. */
  readonly members: Membership
}

/** A page looks at so many patients at most: those without any data are many, and each is a search. */
const MOST_CENTERS = 50

/** Who made a resource, and from what, is told by another that points to it. */
const PROVENANCE: readonly Include[] = [{ source: 'Provenance', param: 'target', reverse: true, iterate: false }]

/** What was asked for, checked. */
interface Asked {
  readonly count: number
  readonly mostIncluded: number
  /** What is answered; every type where absent. */
  readonly types: ReadonlySet<string> | undefined
  /** Milliseconds since 1970 UTC. */
  readonly since: number | undefined
  readonly conditions: readonly Condition[]
  readonly cursor: EverythingCursor
  readonly used: readonly (readonly [string, string])[]
}

export function everythingAround(surroundings: Surroundings): OperationHandler {
  return async (request) => {
    const asked = readAsked(request, surroundings)
    const page = new EverythingPage(request.access.reader(), surroundings, asked)
    if (request.id === undefined) await page.addAll()
    else await page.addOne(request.id)
    return page.finish()
  }
}

function readAsked({ input, paging }: OperationRequest, { members }: Surroundings): Asked {
  const { maxCount, mostIncluded, cursor } = paging ?? { maxCount: 1000, mostIncluded: 1000 }
  const [start, end, since, count] = [input.start, input.end, input._since, input._count]
  if (typeof count === 'number' && count < 1)
    throw badRequest(`_count is ${count}; it must be 1 or more`, { expression: '_count' })
  const types = typesFrom(input._type)
  const care = careBetween(textOf(start), textOf(end), [...members.keys()])
  const updated = typeof since === 'string' ? Date.parse(since) : undefined
  return {
    count: typeof count === 'number' ? Math.min(count, maxCount) : maxCount,
    mostIncluded,
    types,
    since: updated,
    conditions: [
      ...(care === undefined ? [] : [care]),
      ...(updated === undefined ? [] : [{ kind: 'lastUpdated' as const, bounds: { lowMin: updated } }]),
    ],
    cursor: readCursor(cursor),
    used: usedOf({ start, end, _since: since, _type: types && [...types].join(), _count: count }),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const usedOf = (values: Readonly<Record<string, unknown>>): Asked['used'] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))

/** Each may be a list with commas. @throws FhirError 400 for what is no resource type */
function typesFrom(value: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(value)) return undefined
  const types = value.flatMap((text) => String(text).split(',')).map((type) => type.trim())
  const wrong = types.find((type) => !isResourceType(type))
  if (wrong === undefined) return new Set(types)
  throw badRequest(`_type: ${noResourceType(wrong)}`, { expression: '_type' })
}

/** One page in the making. */
class EverythingPage {
  readonly #ctx: Context
  readonly #around: Surroundings
  readonly #asked: Asked
  /** By Type/id: what belongs to two patients, an Appointment for instance, stands on a page once. */
  readonly #matches = new Map<string, Versioned>()
  readonly #centers: string[] = []
  /** What tells where the matches come from. */
  readonly #provenance: Versioned[] = []
  #isCut = false
  #next: EverythingCursor | undefined

  constructor(ctx: Context, around: Surroundings, asked: Asked) {
    this.#ctx = ctx
    this.#around = around
    this.#asked = asked
  }

  /** @throws FhirError 404 or 410 */
  async addOne(id: string): Promise<void> {
    const center = await this.#ctx.read(this.#around.type, id)
    const { id: begun, members } = this.#asked.cursor
    if (begun === undefined) this.#addCenter(center)
    this.#next = await this.#addMembers(id, members)
  }

  /** One after the other, in the order in which they were created. */
  async addAll(): Promise<void> {
    let { id, members, list } = this.#asked.cursor
    while (this.#centers.length < MOST_CENTERS) {
      if (id === undefined) {
        const found = await this.#nextCenter(list)
        if (found === undefined) return
        list = found.next
        id = found.center.id
        this.#addCenter(found.center)
      }
      const rest = await this.#addMembers(id, members)
      const goesOn = { ...rest, ...(list === undefined ? {} : { list }) }
      this.#next = Object.keys(goesOn).length === 0 ? undefined : goesOn
      if (rest !== undefined || list === undefined || this.#room === 0) return
      id = undefined
      members = undefined
    }
  }

  async finish(): Promise<Searchset> {
    const { types, cursor, used, mostIncluded } = this.#asked
    const isWanted = ({ type }: Versioned): boolean => types === undefined || types.has(type)
    const support = await supportFor(this.#ctx, {
      around: this.#around,
      centers: this.#centers,
      matches: this.#matches,
      provenance: this.#provenance,
      most: mostIncluded,
    })
    const isWhole = this.#next === undefined && Object.keys(cursor).length === 0
    const matches = [...this.#matches.values()].filter(isWanted)
    return new Searchset({
      matches,
      included: support.included.filter(isWanted),
      total: isWhole ? matches.length : undefined,
      used,
      next: this.#next && writeCursor(this.#next),
      warnings: support.isCut || this.#isCut ? [tooMuchSupport(mostIncluded)] : [],
    })
  }

  get #room(): number {
    return Math.max(0, this.#asked.count - this.#matches.size)
  }

  #addCenter(center: Versioned): void {
    const { since } = this.#asked
    if (since === undefined || center.lastUpdated >= since) this.#add(center)
  }

  #add(found: Versioned): void {
    this.#matches.set(`${found.type}/${found.id}`, found)
  }

  async #nextCenter(after: string | undefined) {
    const plan = this.#plan([this.#around.type], [], 1, after)
    const { matches, next } = await this.#ctx.unit.search(plan)
    return matches[0] && { center: matches[0], next }
  }

  /** Fills the page. Where the rest goes on, if there is one. */
  async #addMembers(id: string, after: string | undefined): Promise<EverythingCursor | undefined> {
    this.#centers.push(id)
    const { type, members } = this.#around
    const where = [inCompartment({ type, id }, members), ...this.#asked.conditions]
    // A page that is full wants to know whether there is more, and no more.
    const room = this.#room
    const plan = this.#plan(this.#searched(), where, Math.max(1, room), after)
    const { matches, included, truncated, next } = await this.#ctx.unit.search(
      room === 0 ? plan : { ...plan, include: PROVENANCE, includeLimit: this.#asked.mostIncluded },
    )
    if (room === 0) return matches.length === 0 ? undefined : { id, ...(after === undefined ? {} : { members: after }) }
    for (const match of matches) this.#add(match)
    this.#provenance.push(...included)
    this.#isCut ||= truncated
    return next === undefined ? undefined : { id, members: next }
  }

  /** What is not answered itself is looked at for what it refers to: `_type=Practitioner`. */
  #searched(): readonly string[] {
    const { type, members } = this.#around
    const { types } = this.#asked
    const all = [...members.keys()]
    const isForSupport =
      types?.values().some((one) => one === 'Provenance' || (one !== type && !members.has(one))) === true
    return types === undefined || isForSupport ? all : all.filter((one) => types.has(one))
  }

  #plan(types: readonly string[], where: readonly Condition[], count: number, after: string | undefined): SearchPlan {
    return {
      clinic: this.#ctx.clinic,
      types,
      where,
      sort: [],
      count,
      ...(after === undefined ? {} : { after }),
      total: 'none',
      include: [],
      includeLimit: 0,
    }
  }
}

const tooMuchSupport = (most: number): Issue => ({
  severity: 'warning',
  code: 'incomplete',
  diagnostics: `More than ${most} resources are referred to; the rest was left out. Ask for smaller pages with _count.`,
})
