/** Which resources an export has: those of its patients, that meet its filters, and the Provenance of these. */
import type { Provenance } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { criteriaPlan } from '../../core/search-request.ts'
import { patientRecord } from '../../fhir/compartments.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { type StoredResource, type UnitOfWork, Versioned } from '../../repository/repository.ts'
import { RESTRICTION } from '../../repository/restriction.ts'
import { matches } from '../../search/matches.ts'
import { type Condition, type IndexEntry, plainPage } from '../../search/plan.ts'
import type { ExportRequest } from './export-state.ts'
import { versionAt } from './last-versions.ts'

export class Selection {
  readonly #ctx: Context
  readonly #asked: ExportRequest
  readonly #at: number
  readonly #patients: ReadonlySet<string> | undefined
  readonly #restricted: ReadonlySet<string>
  readonly #filters: ReadonlyMap<string, Condition>

  private constructor(
    ctx: Context,
    asked: ExportRequest,
    at: number,
    restricted: ReadonlySet<string>,
    filters: ReadonlyMap<string, Condition>,
  ) {
    this.#ctx = ctx
    this.#asked = asked
    this.#at = at
    this.#patients = asked.patients && new Set(asked.patients)
    this.#restricted = restricted
    this.#filters = filters
  }

  /** @param at the time at which the export is consistent */
  static async of(ctx: Context, asked: ExportRequest, at: number): Promise<Selection> {
    const restricted = asked.level === 'patient' ? await restrictedPatients(ctx.unit) : new Set<string>()
    return new Selection(ctx, asked, at, restricted, await filtersOf(ctx, asked.filters))
  }

  /** True where nothing is left out but by time, so that texts need not be looked into. */
  isWhole(type: string): boolean {
    const { level, provenance } = this.#asked
    return level === 'system' && !this.#filters.has(type) && (type !== 'Provenance' || provenance === 'all')
  }

  /** Whether a version, which is no deletion, belongs to the export. */
  async has(version: StoredResource): Promise<boolean> {
    const { type } = version
    if (this.isWhole(type)) return true
    if (type === 'Provenance' && this.#asked.provenance !== 'all') return await this.#hasProvenance(version)
    return await this.#isMember(version)
  }

  /** Whether the time of a version is one of those asked for. */
  isInTime({ lastUpdated }: Pick<StoredResource, 'lastUpdated'>): boolean {
    const { since, until } = this.#asked
    return (since === undefined || lastUpdated > since) && (until === undefined || lastUpdated < until)
  }

  async #isMember(version: StoredResource): Promise<boolean> {
    const { type, id, lastUpdated, text } = version
    const { level } = this.#asked
    const filter = this.#filters.get(type)
    if (level === 'patient' && type === 'Patient' && !this.#isPatient(id)) return false
    const needsPatient = level === 'patient' && type !== 'Patient'
    // Most texts show at once that they are about no patient.
    if (needsPatient && type !== 'Provenance' && !text.includes('Patient/')) return false
    if (!needsPatient && filter === undefined) return true
    const entries = await this.#ctx.unit.indexEntries(new Versioned(version).resource)
    if (filter !== undefined && !matches(filter, { type, id, lastUpdated, entries })) return false
    if (!needsPatient || this.#refersToPatient(type, entries)) return true
    return type === 'Provenance' && (await this.#isAboutMember(entries))
  }

  #refersToPatient(type: string, entries: readonly IndexEntry[]): boolean {
    const params = patientRecord.get(type) ?? []
    return entries.some(
      (entry) =>
        entry.kind === 'reference' &&
        entry.type === 'Patient' &&
        params.includes(entry.param) &&
        this.#isPatient(entry.id),
    )
  }

  #isPatient(id: string): boolean {
    return (this.#patients === undefined || this.#patients.has(id)) && !this.#restricted.has(id)
  }

  /** Whether a Provenance has a target in the record of a patient: https://hl7.org/fhir/uv/bulkdata/STU2/export.html#query-parameters */
  async #isAboutMember(entries: readonly IndexEntry[]): Promise<boolean> {
    for (const { type, id } of targetsIn(entries)) {
      if (type === 'Provenance' || !patientRecord.has(type)) continue
      const target = await versionAt(this.#ctx.unit, type, id, this.#at)
      if (target !== undefined && (await this.#isMember(target))) return true
    }
    return false
  }

  /** Whether a Provenance is about a resource that the export has. */
  async #hasProvenance(version: StoredResource): Promise<boolean> {
    const entries = await this.#ctx.unit.indexEntries(new Versioned(version).resource)
    for (const target of targetsIn(entries)) {
      if (!(await this.#isWritten(target))) continue
      if (this.#asked.provenance === 'relevant' || (await this.#isLatest(version, target))) return true
    }
    return false
  }

  async #isWritten({ type, id }: Target): Promise<boolean> {
    if (type === 'Provenance' || !this.#asked.types.includes(type)) return false
    const target = await versionAt(this.#ctx.unit, type, id, this.#at)
    return target !== undefined && this.isInTime(target) && (await this.#isMember(target))
  }

  async #isLatest({ id }: StoredResource, target: Target): Promise<boolean> {
    const where: Condition[] = [{ kind: 'reference', param: 'target', ...target }]
    const plan = plainPage({
      clinic: this.#ctx.clinic,
      types: ['Provenance'],
      where,
      count: MOST_OF_TARGET,
      after: undefined,
    })
    const { matches: found } = await this.#ctx.unit.search(plan)
    const [latest] = found.filter(({ lastUpdated }) => lastUpdated <= this.#at).toSorted(byTime)
    return latest === undefined || latest.id === id
  }
}

/** Provenance of one resource that is compared for the latest. */
const MOST_OF_TARGET = 1_000

interface Target {
  readonly type: string
  readonly id: string
}

const recordedAt = ({ resource }: Versioned): number => Date.parse((resource as Provenance).recorded ?? '') || 0

/** The latest first. */
const byTime = (one: Versioned, other: Versioned): number =>
  recordedAt(other) - recordedAt(one) || other.lastUpdated - one.lastUpdated

const targetsIn = (entries: readonly IndexEntry[]): readonly Target[] =>
  entries.flatMap((entry) =>
    entry.kind === 'reference' && entry.param === 'target' ? [{ type: entry.type, id: entry.id }] : [],
  )

/** The ids of the patients that nobody may see. */
async function restrictedPatients(unit: UnitOfWork): Promise<ReadonlySet<string>> {
  const where: Condition[] = [{ kind: 'token', param: '_security', system: RESTRICTION, code: 'restricted' }]
  const ids = new Set<string>()
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const found = await unit.search(plainPage({ clinic: unit.clinic, types: ['Patient'], where, count: 1_000, after }))
    for (const id of found.hidden ?? []) ids.add(id)
    after = found.next
  }
  return ids
}

/** The conditions of `_typeFilter`, by type. @throws FhirError 400 */
export async function filtersOf(
  ctx: Context,
  filters: ExportRequest['filters'],
): Promise<ReadonlyMap<string, Condition>> {
  const conditions = new Map<string, Condition>()
  for (const [type, all] of Object.entries(filters)) {
    const of: Condition[] = []
    for (const criteria of all) of.push({ kind: 'all', of: (await criteriaPlan(ctx, type, criteria)).where })
    const far = of.find((condition) => !isDecidable(condition))
    if (far !== undefined) throw badRequest(`_typeFilter of ${type}: ${FAR}`, { expression: '_typeFilter' })
    conditions.set(type, { kind: 'any', of })
  }
  return conditions
}

const FAR = 'chained parameters and _has look into other resources; filter by parameters of the type alone'

/** Whether the resource alone decides a condition. */
function isDecidable(condition: Condition): boolean {
  switch (condition.kind) {
    case 'chain':
    case 'has':
      return false
    case 'any':
    case 'all':
      return condition.of.every(isDecidable)
    case 'not':
      return isDecidable(condition.of)
    default:
      return true
  }
}
