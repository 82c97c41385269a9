/**
 * $everything: a patient or an encounter with all related resources, in pages.
 * https://hl7.org/fhir/R4/patient-operation-everything.html,
 * https://hl7.org/fhir/R4/encounter-operation-everything.html
 */

import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationHandler, type OperationRequest, Searchset } from '../../core/operation.ts'
import { checkPageSize } from '../../core/search-request.ts'
import { noResourceType } from '../../fhir/closest-name.ts'
import { compartmentMembers, patientRecord } from '../../fhir/compartments.ts'
import { parseDateRange } from '../../fhir/dates.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { badRequest, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Versioned } from '../../repository/repository.ts'
import { readCursor, writeCursor } from '../../search/cursor.ts'
import { isAdded, searchParametersOf } from '../../search/parameters.ts'
import { type Condition, type Include, plainPage } from '../../search/plan.ts'
import { inCompartment } from '../../search/query/compartment.ts'
import { countIn } from '../parameters.ts'
import { type EverythingScope, supportFor } from './support.ts'

/** The maximum number of patients per page, as each takes a search and many have no data. */
const MAX_CENTERS = 50

/** Provenance refers to the resources whose origin it describes. */
const PROVENANCE: readonly Include[] = [{ source: 'Provenance', param: 'target', reverse: true, iterate: false }]

/** The checked input. */
interface EverythingOptions {
  readonly count: number
  readonly mostIncluded: number
  /** The resource types to return; all when absent. */
  readonly types: ReadonlySet<string> | undefined
  /** Milliseconds since 1970 UTC. */
  readonly since: number | undefined
  readonly conditions: readonly Condition[]
  readonly cursor: EverythingCursor
  readonly used: readonly (readonly [string, string])[]
}

/** The handler of $everything, which throws a FhirError 400, 404 or 410. */
function everythingAround(scope: EverythingScope): OperationHandler {
  return async (request) => {
    const options = readOptions(request, scope)
    const page = new EverythingPage(await request.access.reader(), scope, options)
    if (request.id === undefined) await page.addAll()
    else await page.addOne(request.id)
    return page.finish()
  }
}

/** @throws FhirError 400 for a wrong parameter; OffloadRequired for a large page */
function readOptions({ input, paging }: OperationRequest, { members }: EverythingScope): EverythingOptions {
  const { maxCount, mostIncluded, cursor } = paging ?? { maxCount: 1000, mostIncluded: 1000 }
  const { start, end, _since: since } = input
  const count = countIn(input)
  const most = Math.min(count ?? maxCount, maxCount)
  checkPageSize(most)
  const types = typesFrom(input._type)
  const care = careBetween(textOf(start), textOf(end), [...members.keys()])
  const updated = typeof since === 'string' ? Date.parse(since) : undefined
  return {
    count: most,
    mostIncluded,
    types,
    since: updated,
    conditions: [
      ...(care === undefined ? [] : [care]),
      ...(updated === undefined ? [] : [{ kind: 'lastUpdated' as const, bounds: { lowMin: updated } }]),
    ],
    cursor: readEverythingCursor(cursor),
    used: usedOf({ start, end, _since: since, _type: types && [...types].join(), _count: count }),
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const usedOf = (values: Readonly<Record<string, unknown>>): EverythingOptions['used'] =>
  Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]))

/** Each value may be a comma-separated list. @throws FhirError 400 for an unknown resource type */
function typesFrom(value: unknown): ReadonlySet<string> | undefined {
  if (!Array.isArray(value)) return undefined
  const types = value.flatMap((text) => String(text).split(',')).map((type) => type.trim())
  const wrong = types.find((type) => !isResourceType(type))
  if (wrong === undefined) return new Set(types)
  throw badRequest(`_type: ${noResourceType(wrong)}`, { expression: '_type' })
}

/** Builds one page. */
class EverythingPage {
  readonly #ctx: Context
  readonly #around: EverythingScope
  readonly #options: EverythingOptions
  /** By Type/id, as a resource may belong to two patients, an Appointment for instance. */
  readonly #matches = new Map<string, Versioned>()
  readonly #centers: string[] = []
  /** The Provenance of the matches. */
  readonly #provenance: Versioned[] = []
  #isCut = false
  #next: EverythingCursor | undefined

  constructor(ctx: Context, around: EverythingScope, options: EverythingOptions) {
    this.#ctx = ctx
    this.#around = around
    this.#options = options
  }

  /** Adds a patient or encounter with its resources. @throws FhirError 404 or 410 */
  async addOne(id: string): Promise<void> {
    const center = await this.#ctx.read(this.#around.type, id)
    const { id: current, members } = this.#options.cursor
    if (current === undefined) this.#addCenter(center)
    this.#next = await this.#addMembers(id, members)
  }

  /** Adds all patients with their resources, in order of creation, until the page is full. */
  async addAll(): Promise<void> {
    let { id, members, list } = this.#options.cursor
    while (this.#centers.length < MAX_CENTERS) {
      if (id === undefined) {
        const found = await this.#nextCenter(list)
        if (found === undefined) return
        list = found.next
        id = found.center.id
        this.#addCenter(found.center)
      }
      const rest = await this.#addMembers(id, members)
      const next = { ...rest, ...(list === undefined ? {} : { list }) }
      this.#next = Object.keys(next).length === 0 ? undefined : next
      if (rest !== undefined || list === undefined || this.#room === 0) return
      id = undefined
      members = undefined
    }
  }

  async finish(): Promise<Searchset> {
    const { types, cursor, used, mostIncluded } = this.#options
    const isRequested = ({ type }: Versioned): boolean => types === undefined || types.has(type)
    const support = await supportFor(this.#ctx, {
      around: this.#around,
      centers: this.#centers,
      matches: this.#matches,
      provenance: this.#provenance,
      max: mostIncluded,
    })
    const isWhole = this.#next === undefined && Object.keys(cursor).length === 0
    const matches = [...this.#matches.values()].filter(isRequested)
    return new Searchset({
      matches,
      included: support.included.filter(isRequested),
      total: isWhole ? matches.length : undefined,
      used,
      next: this.#next && writeEverythingCursor(this.#next),
      warnings: support.isCut || this.#isCut ? [tooManyReferences(mostIncluded)] : [],
    })
  }

  get #room(): number {
    return Math.max(0, this.#options.count - this.#matches.size)
  }

  #addCenter(center: Versioned): void {
    const { since } = this.#options
    if (since === undefined || center.lastUpdated >= since) this.#add(center)
  }

  #add(found: Versioned): void {
    this.#matches.set(`${found.type}/${found.id}`, found)
  }

  async #nextCenter(after: string | undefined) {
    const { clinic, unit } = this.#ctx
    const { matches, next } = await unit.search(
      plainPage({ clinic, types: [this.#around.type], where: [], count: 1, after }),
    )
    return matches[0] && { center: matches[0], next }
  }

  /** Adds resources until the page is full; returns the cursor to continue at, if there are more. */
  async #addMembers(id: string, after: string | undefined): Promise<EverythingCursor | undefined> {
    this.#centers.push(id)
    const { type, members } = this.#around
    const where = [inCompartment({ type, id }, members), ...this.#options.conditions]
    // A full page only needs to know whether there are more.
    const room = this.#room
    const plan = plainPage({
      clinic: this.#ctx.clinic,
      types: this.#searched(),
      where,
      count: Math.max(1, room),
      after,
    })
    const { matches, included, truncated, next } = await this.#ctx.unit.search(
      room === 0 ? plan : { ...plan, include: PROVENANCE, includeLimit: this.#options.mostIncluded },
    )
    if (room === 0) return matches.length === 0 ? undefined : { id, ...(after === undefined ? {} : { members: after }) }
    for (const match of matches) this.#add(match)
    this.#provenance.push(...included)
    this.#isCut ||= truncated
    return next === undefined ? undefined : { id, members: next }
  }

  /** Types to search: all when `_type` has types that are only referred to, such as `_type=Practitioner`. */
  #searched(): readonly string[] {
    const { type, members } = this.#around
    const { types } = this.#options
    const all = [...members.keys()]
    const needsReferences =
      types?.values().some((one) => one === 'Provenance' || (one !== type && !members.has(one))) === true
    return types === undefined || needsReferences ? all : all.filter((one) => types.has(one))
  }
}

const tooManyReferences = (max: number): Issue => ({
  severity: 'warning',
  code: 'incomplete',
  diagnostics: `More than ${max} resources are referred to; the rest was left out. Ask for smaller pages with _count.`,
})

export const patientEverything = defineOperation(
  'patient-everything',
  everythingAround({ type: 'Patient', members: patientRecord }),
)

/** The compartment, and types that refer to an encounter but are missing from the compartment in R4. */
const ofEncounter = new Map([
  ...(compartmentMembers('Encounter') ?? []),
  ...Object.entries({
    Encounter: ['part-of'],
    Flag: ['encounter'],
    ImagingStudy: ['encounter'],
    List: ['encounter'],
    MedicationDispense: ['context'],
    MedicationStatement: ['context'],
    RiskAssessment: ['encounter'],
    Task: ['encounter'],
  }),
])

export const encounterEverything = defineOperation(
  'encounter-everything',
  everythingAround({ type: 'Encounter', members: ofEncounter }),
)

/** Date parameters that are not dates of care. */
const OTHER_DATES: ReadonlySet<string> = new Set([
  '_lastUpdated',
  'birthdate',
  'death-date',
  'modified',
  'payment-date',
  'target-date',
  'value-date',
])

const careDatesOf = (type: string): readonly string[] =>
  [...searchParametersOf(type).values()]
    // A parameter added by an extension may be any date.
    .filter((parameter) => parameter.type === 'date' && !OTHER_DATES.has(parameter.code) && !isAdded(parameter))
    .map(({ code }) => code)

/**
 * A condition for resources with a date of care between the beginning of `start` and the end of `end`, or without any
 * date of care. Undefined if both are absent.
 * @throws FhirError 400 if the range ends before it starts
 */
function careBetween(
  start: string | undefined,
  end: string | undefined,
  types: readonly string[],
): Condition | undefined {
  if (start === undefined && end === undefined) return undefined
  const highMin = start === undefined ? undefined : parseDateRange(start)?.low
  const lowMax = end === undefined ? undefined : parseDateRange(end)?.high
  if (highMin !== undefined && lowMax !== undefined && lowMax < highMin)
    throw badRequest(`end (${end}) is before start (${start})`, { expression: 'end' })
  const bounds = { ...(highMin === undefined ? {} : { highMin }), ...(lowMax === undefined ? {} : { lowMax }) }
  const groups = [...Map.groupBy(types, (type) => careDatesOf(type).join()).values()]
  const of = groups.map((group): Condition => {
    const dates = careDatesOf(group[0] ?? '')
    const within = dates.map((param): Condition => ({ kind: 'date', param, bounds }))
    const undated = dates.map((param): Condition => ({ kind: 'missing', param, missing: true }))
    const matches: Condition = { kind: 'any', of: [...within, { kind: 'all', of: undated }] }
    return { kind: 'all', of: [{ kind: 'type', types: group }, matches] }
  })
  return { kind: 'any', of }
}

/** Empty on the first page. */
export interface EverythingCursor {
  /** The current patient or encounter, which was itself returned on an earlier page. */
  readonly id?: string
  /** The store's cursor within its compartment; absent at its beginning. */
  readonly members?: string
  /** The store's cursor for the next patient; absent after the last one. */
  readonly list?: string
}

const LIST = '$everything'

const writeEverythingCursor = (cursor: EverythingCursor): string => writeCursor(LIST, [cursor])

/** @throws InvalidCursor */
const readEverythingCursor = (text: string | undefined): EverythingCursor =>
  text === undefined ? {} : readCursor(text, LIST, isShape)[0]

const isShape = (keys: readonly unknown[]): keys is readonly [EverythingCursor] => {
  const [cursor] = keys
  return (
    isObject(cursor) &&
    [cursor['id'], cursor['members'], cursor['list']].every((part) => part === undefined || typeof part === 'string') &&
    (cursor['id'] !== undefined || cursor['list'] !== undefined)
  )
}
