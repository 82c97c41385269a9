/** One atomic change in the making. Reads see what it has staged; searches see the stored state. */
import { randomUUID } from 'node:crypto'
import { FhirError } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { CustomParameters } from '../search/index/custom-parameters.ts'
import { customIndexIn } from '../search/index/custom-progress.ts'
import { extractEntries } from '../search/index/extract.ts'
import type { SearchPlan } from '../search/plan.ts'
import {
  CUSTOM_INDEX,
  CUSTOM_PARAMETERS,
  EntriesOutdated,
  type Guard,
  type HistoryPage,
  type HistoryQuery,
  IndexIncomplete,
  type IndexVersions,
  InvalidCursor,
  type RecordChange,
  type ResourceStore,
  type SearchResult,
  type StoredRecord,
  type StoredResource,
  type StoredValue,
  type ValuesQuery,
} from '../storage/port.ts'
import { beingIndexed } from './index-incomplete.ts'
import { indexVersionsFor } from './index-version.ts'
import { checkOnce } from './valid-resource.ts'
import { Versioned } from './versioned.ts'

export interface SearchAnswer {
  readonly matches: readonly Versioned[]
  readonly included: readonly Versioned[]
  readonly truncated: boolean
  readonly next?: string
  readonly total?: number
}

interface Staged {
  readonly base: StoredResource | undefined
  readonly next: Versioned
}

/** Resources that one search reindexes at most; the background does the others. */
const MOST_REINDEXED = 100

export class UnitOfWork {
  readonly clinic: string
  /** Milliseconds since 1970 UTC: the one time of everything this change writes. */
  readonly now: number
  readonly #store: ResourceStore
  readonly #baseUrl: string
  readonly #fullText: boolean
  readonly #staged = new Map<string, Staged>()
  /**
   * What this unit has seen of the store, by Type/id. A change is made on the version its work has looked at: when
   * another one came between, the commit meets it as a conflict instead of overwriting it.
   */
  readonly #seen = new Map<string, StoredResource | undefined>()
  readonly #seenRecords = new Map<string, StoredRecord | undefined>()
  readonly #seenRecent = new Map<string, StoredRecord | undefined>()
  readonly #records = new Map<string, RecordChange>()
  readonly #guards: Guard[] = []

  constructor(store: ResourceStore, clinic: string, now: number, baseUrl: string, fullText = true) {
    this.#fullText = fullText
    this.#store = store
    this.clinic = clinic
    this.now = now
    this.#baseUrl = baseUrl
  }

  /** The current version, deletions included; undefined when there never was one. */
  async read<R extends AnyResource = AnyResource>(type: string, id: string): Promise<Versioned<R> | undefined> {
    const staged = this.#staged.get(`${type}/${id}`)
    if (staged !== undefined) return staged.next as Versioned<R>
    const stored = await this.#stored(type, id)
    return stored && new Versioned<R>(stored)
  }

  async readVersion(type: string, id: string, version: number): Promise<Versioned | undefined> {
    const stored = await this.#store.readVersion(this.clinic, type, id, version)
    return stored && new Versioned(stored)
  }

  async search(plan: SearchPlan): Promise<SearchAnswer> {
    try {
      const result = await this.#found(plan)
      for (const found of [...result.matches, ...result.included]) this.#see(found.type, found.id, found)
      return { ...result, matches: result.matches.map(toVersioned), included: result.included.map(toVersioned) }
    } catch (error) {
      if (error instanceof IndexIncomplete) throw beingIndexed(error)
      throw error instanceof InvalidCursor ? cursorError() : error
    }
  }

  /** The search parameters that the clinic has added, with what this unit adds; undefined where it has none. */
  async customParameters(): Promise<CustomParameters | undefined> {
    return CustomParameters.of((await this.#declaration())?.value)
  }

  /** Their record, as it will be when this unit is written. */
  async #declaration(): Promise<Pick<StoredRecord, 'value' | 'version'> | undefined> {
    const { kind, key } = CUSTOM_PARAMETERS
    const staged = this.stagedRecord(kind, key)
    if (staged === undefined) return await this.readRecent(kind, key)
    return { value: staged.value, version: Number(staged.expect) + 1 }
  }

  /** What a server has written that did not know the newest parameters is reindexed before it is searched. */
  async #found(plan: SearchPlan): Promise<SearchResult> {
    const indexVersions = await this.#indexVersions(plan)
    if (indexVersions === undefined) return await this.#store.search(plan)
    try {
      return await this.#store.search(plan, indexVersions)
    } catch (error) {
      if (!(error instanceof EntriesOutdated)) throw error
      for (const [type, version] of Object.entries(indexVersions)) {
        await this.#store.reindex({ clinic: this.clinic, type, indexVersion: version, limit: MOST_REINDEXED })
      }
      return await this.#store.search(plan, indexVersions)
    }
  }

  async #indexVersions(plan: SearchPlan): Promise<IndexVersions | undefined> {
    const custom = await this.customParameters()
    if (custom === undefined) return undefined
    const { kind, key } = CUSTOM_INDEX
    return indexVersionsFor(plan, custom, async () => customIndexIn((await this.readRecent(kind, key))?.value))
  }

  /** Which values of a token or uri parameter occur in the clinic. */
  values(query: Omit<ValuesQuery, 'clinic'>): Promise<readonly StoredValue[]> {
    return this.#store.values({ ...query, clinic: this.clinic })
  }

  async history(query: Omit<HistoryQuery, 'clinic'>): Promise<HistoryPage> {
    try {
      return await this.#store.history({ ...query, clinic: this.clinic })
    } catch (error) {
      throw error instanceof InvalidCursor ? cursorError() : error
    }
  }

  /**
   * Stages the next version of `resource`, checked against its StructureDefinition; `id` and the version parts of
   * `meta` are set here. Without an id it gets a new one; POST says that there is none of this id yet.
   * @throws FhirError 400 or 422 naming each element at fault.
   */
  async put<R extends AnyResource>(resource: R, method: 'POST' | 'PUT'): Promise<Versioned<R>> {
    const type = resource.resourceType
    const id = resource.id ?? randomUUID()
    checkOnce(resource)
    const staged = this.#staged.get(`${type}/${id}`)
    const base = method === 'POST' ? staged?.base : await this.#base(type, id)
    const version = (base?.version ?? 0) + 1
    const lastUpdated = Math.max(this.now, base?.lastUpdated ?? 0)
    const stamped = stamp(resource, id, version, lastUpdated)
    const created = base === undefined || base.method === 'DELETE'
    // What is created and then changed within one change was created by it.
    const asMethod = staged?.next.method === 'POST' ? 'POST' : method
    const text = JSON.stringify(stamped)
    const next = new Versioned<R>({ type, id, version, lastUpdated, method: asMethod, text }, stamped, created)
    this.#staged.set(`${type}/${id}`, { base, next })
    return next
  }

  /** Says of an update that was staged here that a patch made it, for history to tell. */
  asPatched<R extends AnyResource>(updated: Versioned<R>): Versioned<R> {
    const key = `${updated.type}/${updated.id}`
    const staged = this.#staged.get(key)
    if (staged?.next !== updated || updated.method !== 'PUT') return updated
    const next = new Versioned<R>({ ...updated, method: 'PATCH' }, updated.resource, updated.created)
    this.#staged.set(key, { ...staged, next })
    return next
  }

  /** Stages the deletion of a resource; does nothing when it is deleted or never was. */
  async delete(type: string, id: string): Promise<Versioned | undefined> {
    const base = await this.#base(type, id)
    if (base === undefined || base.method === 'DELETE') return undefined
    const lastUpdated = Math.max(this.now, base.lastUpdated)
    const next = new Versioned({ type, id, version: base.version + 1, lastUpdated, method: 'DELETE', text: '' })
    this.#staged.set(`${type}/${id}`, { base, next })
    return next
  }

  /** As this unit saw it first, so that two looks in one piece of work agree; a later change is met at the commit. */
  async readRecord(kind: string, key: string, clinic = this.clinic): Promise<StoredRecord | undefined> {
    const name = JSON.stringify([clinic, kind, key])
    if (!this.#seenRecords.has(name)) this.#seenRecords.set(name, await this.#store.readRecord(clinic, kind, key))
    return this.#seenRecords.get(name)
  }

  /** For what the work goes by, but does not change: as another process left it a moment ago, perhaps. */
  async readRecent(kind: string, key: string, clinic = this.clinic): Promise<StoredRecord | undefined> {
    const name = JSON.stringify([clinic, kind, key])
    if (this.#seenRecords.has(name)) return this.#seenRecords.get(name)
    if (!this.#seenRecent.has(name)) this.#seenRecent.set(name, await this.#store.readRecent(clinic, kind, key))
    return this.#seenRecent.get(name)
  }

  /** The change of a record that this unit has staged. */
  stagedRecord(kind: string, key: string): RecordChange | undefined {
    return this.#records.get(JSON.stringify([this.clinic, kind, key]))
  }

  /** Stages a record of the server's own; see RecordChange. */
  record(change: Omit<RecordChange, 'clinic'> & { readonly clinic?: string }): void {
    const clinic = change.clinic ?? this.clinic
    this.#records.set(JSON.stringify([clinic, change.kind, change.key]), { ...change, clinic })
  }

  /** The change is only written while `plan` still finds exactly `ids`; else the work runs again. */
  guard(plan: SearchPlan, ids: readonly string[]): void {
    this.#guards.push({ plan, ids })
  }

  async commit(): Promise<void> {
    if (this.#staged.size === 0 && this.#records.size === 0) return
    const declaration = this.#staged.size === 0 ? undefined : await this.#declaration()
    const custom = CustomParameters.of(declaration?.value)
    const resources = Array.from(this.#staged.values(), ({ base, next }) => ({
      type: next.type,
      id: next.id,
      version: next.version,
      lastUpdated: next.lastUpdated,
      method: next.method,
      text: next.text,
      expect: base?.version ?? 0,
      entries: next.deleted
        ? []
        : extractEntries(next.resource, this.#baseUrl, custom?.extractorsOf(next.type), this.#fullText),
    }))
    await this.#store.write({
      clinic: this.clinic,
      resources,
      ...(resources.length === 0 ? {} : { indexVersion: declaration?.version ?? 0 }),
      records: [...this.#records.values()],
      guards: custom === undefined ? this.#guards : await Promise.all(this.#guards.map((guard) => this.#exact(guard))),
    })
  }

  async #exact(guard: Guard): Promise<Guard> {
    const indexVersions = await this.#indexVersions(guard.plan)
    return indexVersions === undefined ? guard : { ...guard, indexVersions }
  }

  /** The stored version that the staged one follows; several changes of one resource become one version. */
  async #base(type: string, id: string): Promise<StoredResource | undefined> {
    const staged = this.#staged.get(`${type}/${id}`)
    return staged === undefined ? await this.#stored(type, id) : staged.base
  }

  async #stored(type: string, id: string): Promise<StoredResource | undefined> {
    const key = `${type}/${id}`
    if (!this.#seen.has(key)) this.#see(type, id, await this.#store.read(this.clinic, type, id))
    return this.#seen.get(key)
  }

  #see(type: string, id: string, stored: StoredResource | undefined): void {
    const key = `${type}/${id}`
    if (!this.#seen.has(key)) this.#seen.set(key, stored)
  }
}

const toVersioned = (stored: StoredResource): Versioned => new Versioned(stored)

const cursorError = (): FhirError =>
  new FhirError(400, {
    code: 'invalid',
    diagnostics: 'The page cursor does not belong to this search; follow the next link as given, or search anew',
  })

/** `resource` as it is stored: resourceType, id and meta first, version and time ours, the rest as given. */
function stamp<R extends AnyResource>(resource: R, id: string, version: number, lastUpdated: number): R {
  const meta = { ...resource.meta, versionId: String(version), lastUpdated: new Date(lastUpdated).toISOString() }
  const { resourceType, id: _id, meta: _meta, ...rest } = resource
  return { resourceType, id, meta, ...rest } as unknown as R
}
