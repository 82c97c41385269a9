/**
 * One atomic change in the making. Reads of resources and records see the staged changes; searches see the stored
 * state. The last stages of a write are here: stage, index, commit (docs/architecture.md, "Life of a write").
 */

import { newId } from '../fhir/new-id.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { checkResource } from '../fhir/validate/validate.ts'
import { currentBudget, inSpan, requireWorkThread, spend } from '../isolation/budget.ts'
import { customIndexIn } from '../search/index/custom-declaration.ts'
import { CustomParameters } from '../search/index/custom-parameters.ts'
import { checkAmounts, extractEntries } from '../search/index/extract.ts'
import type { Condition, IndexEntry, SearchPlan } from '../search/plan.ts'
import type {
  FoundByKeys,
  Guard,
  HistoryPage,
  HistoryQuery,
  IndexVersions,
  KeysQuery,
  NoticedChanges,
  ResourceChange,
  ResourceStore,
  ScannedVersion,
  ScanPage,
  SearchResult,
  StoredResource,
  StoredValue,
  ValuesQuery,
  VersionScan,
} from '../storage/port.ts'
import { spendOnText } from '../storage/response-limit.ts'
import { EntriesOutdated, IndexIncomplete } from '../storage/store-errors.ts'
import { findFed, type Indexed, keepFed, SUBSCRIBED, SUBSCRIBED_KEY, stageEvents } from './event-feed.ts'
import type { UnitScope } from './generation.ts'
import { indexVersionsFor, searchNotReady } from './index-version.ts'
import { RecentCounts, recentReads, type Wanted } from './recent-reads.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS, partitionOf } from './record-kinds.ts'
import { checkReadable, isRestricted, readableBy, readableIn, readableOf } from './restriction.ts'
import type { RecordEncryption } from './unit-records.ts'
import { UnitRecords } from './unit-records.ts'
import { useContents, useContentsOf } from './used-content.ts'
import { stamp, Versioned } from './versioned.ts'

export interface SearchAnswer {
  readonly matches: readonly Versioned[]
  readonly included: readonly Versioned[]
  readonly truncated: boolean
  readonly next?: string
  readonly total?: number
  /** The ids of matches that nobody may see. */
  readonly hidden?: readonly string[]
}

interface Staged {
  readonly base: StoredResource | undefined
  readonly next: Versioned
}

/** Most resources that one search reindexes; the background loop does the rest. */
const MAX_REINDEXED = 100

const COUNT = { sort: [], count: 0, total: 'accurate', include: [], includeLimit: 0 } as const

const recentCounts = new WeakMap<ResourceStore, RecentCounts>()

export interface UnitOptions {
  readonly baseUrl: string
  /** True when words are indexed too. */
  readonly fullText: boolean
  readonly encryption: RecordEncryption
  /** The text that restricted resources have, which are refused and left out of what is found; absent: there are none. */
  readonly restriction: string | undefined
  /** Called after a change that has added to the feed of events. */
  readonly onEvents: () => void
}

export class UnitOfWork {
  readonly clinic: string
  /** The number of the generation of the clinic's data: generation.ts. */
  readonly generation: number
  /** The time by the clinic's clock, the same throughout the change: milliseconds since 1970 UTC. */
  readonly now: number
  /** The time by the machine's clock, for the versions that this change writes. */
  readonly writtenAt: number
  /** The name under which the store keeps that generation. */
  readonly #partition: string
  readonly #store: ResourceStore
  readonly #options: UnitOptions
  /** Created on first use, since most units only read. */
  #records: UnitRecords | undefined
  #valid: WeakSet<AnyResource> | undefined
  /** Index entries that were extracted before the commit. */
  #entries: WeakMap<AnyResource, { custom: CustomParameters | undefined; entries: readonly IndexEntry[] }> | undefined
  #finalChecks: Map<string, () => Promise<void>> | undefined
  readonly #staged = new Map<string, Staged>()
  /**
   * Resources read from the store, by Type/id. A change is based on the version that was read: when another version has
   * come in between, the commit fails with a conflict instead of overwriting it.
   */
  readonly #seen = new Map<string, StoredResource | undefined>()
  readonly #copied: ResourceChange[] = []
  readonly #guards: Guard[] = []
  #noticed: NoticedChanges | undefined

  constructor(store: ResourceStore, { clinic, generation, now, writtenAt }: UnitScope, options: UnitOptions) {
    this.#store = store
    this.clinic = clinic
    this.generation = generation
    this.#partition = partitionOf(clinic, generation)
    this.now = now
    this.writtenAt = writtenAt
    this.#options = options
  }

  /** The server's own records of this clinic and of the service. */
  get records(): UnitRecords {
    this.#records ??= new UnitRecords(
      this.#store,
      { clinic: this.clinic, partition: this.#partition },
      this.#options.encryption,
    )
    return this.#records
  }

  /** The current version, deletions included; undefined when there never was one. */
  async read<R extends AnyResource = AnyResource>(type: string, id: string): Promise<Versioned<R> | undefined> {
    const staged = this.#staged.get(`${type}/${id}`)
    if (staged !== undefined) return staged.next as Versioned<R>
    const stored = await this.#stored(type, id)
    return stored && new Versioned<R>(stored)
  }

  /**
   * The resource as it was a moment ago at most; undefined where there is none. For display, not for decisions: no
   * change is based on it, and the returned object must not be changed.
   */
  async readRecent<R extends AnyResource>(type: R['resourceType'], id: string): Promise<Versioned<R> | undefined> {
    const staged = this.#staged.get(`${type}/${id}`)
    if (staged !== undefined) return staged.next.deleted ? undefined : (staged.next as Versioned<R>)
    const { resources } = recentReads(this.#store)
    const address = `${type}/${id}`
    const make = async () => {
      const stored = await this.#store.read(this.#partition, type, id)
      if (stored === undefined || stored.method === 'DELETE') return undefined
      if (this.#mayBeRestricted(stored) && isRestricted(stored)) return undefined
      if (stored.text.length > MOST_KEPT) resources.forget(this.#partition, address)
      return new Versioned<R>(stored)
    }
    return await resources.read(this.#changes(), { clinic: this.#partition, name: address, types: [type], make })
  }

  /**
   * A value that `make` derives from stored resources, as it was a moment ago at most. For display, not for decisions:
   * see `readRecent`.
   * @param name of the view, one for each `make`
   * @param types of the resources that it is made of
   */
  async recentView<View>(name: string, types: readonly string[], make: () => Promise<View>): Promise<View> {
    return await recentReads(this.#store).views.read(this.#changes(), { clinic: this.#partition, name, types, make })
  }

  /** Like `recentView`, for views of a few ids or numbers, of which more are kept. */
  async recentAnswer<Answer>(name: string, types: readonly string[], make: () => Promise<Answer>): Promise<Answer> {
    return await recentReads(this.#store).answers.read(this.#changes(), { clinic: this.#partition, name, types, make })
  }

  /**
   * A value made of the stored state, without the changes staged in this unit. It is cached where the store notices all
   * changes.
   * @param nameOf names the value, one for each `make`; called only where values are cached
   */
  async unchanged<Value>(nameOf: () => string, wanted: Omit<Wanted<Value>, 'clinic' | 'name'>): Promise<Value> {
    const recent = recentReads(this.#store)
    if (recent.told === undefined) return await wanted.make()
    return await recent.told.read(recent.changes(), { clinic: this.#partition, name: nameOf(), ...wanted })
  }

  /** The changes noticed when this unit first needed them, or later. */
  #changes(): NoticedChanges {
    this.#noticed ??= recentReads(this.#store).changes()
    return this.#noticed
  }

  async readVersion(type: string, id: string, version: number): Promise<Versioned | undefined> {
    const stored = await this.#store.readVersion(this.#partition, type, id, version)
    if (stored !== undefined) spendOnText(stored)
    if (stored !== undefined && this.#mayBeRestricted(stored)) checkReadable(stored)
    return stored && new Versioned(stored)
  }

  async search(plan: SearchPlan): Promise<SearchAnswer> {
    try {
      const found = await this.#found(plan)
      const all = [...found.matches, ...found.included]
      const result = all.some((one) => this.#mayBeRestricted(one)) ? readableIn(found) : found
      spend(stepsOf(all), 'its searches')
      // Included resources may be older versions, named by versioned references; no change is based on them.
      for (const found of result.matches) this.#see(found)
      return { ...result, matches: result.matches.map(Versioned.found), included: result.included.map(Versioned.found) }
    } catch (error) {
      throw error instanceof IndexIncomplete ? searchNotReady(error) : error
    }
  }

  /** The clinic's own search parameters, including those staged in this unit; undefined where it has none. */
  async customParameters(): Promise<CustomParameters | undefined> {
    return CustomParameters.of((await this.records.readRecent(CUSTOM_DECLARATION, CUSTOM_KEY))?.value)
  }

  /** Searches; first reindexes resources written by a server that did not know the newest parameters. */
  async #found(asked: SearchPlan): Promise<SearchResult> {
    const plan = this.#inPartition(asked)
    const indexVersions = await this.#indexVersions(plan)
    if (indexVersions === undefined) return await this.#store.search(plan)
    try {
      return await this.#store.search(plan, indexVersions)
    } catch (error) {
      if (!(error instanceof EntriesOutdated)) throw error
      requireWorkThread('the resources that must be indexed before the search')
      for (const [type, version] of Object.entries(indexVersions)) {
        await this.#store.reindex({ clinic: this.#partition, type, indexVersion: version, limit: MAX_REINDEXED })
      }
      return await this.#store.search(plan, indexVersions)
    }
  }

  #inPartition(plan: SearchPlan): SearchPlan {
    return plan.clinic === this.#partition ? plan : { ...plan, clinic: this.#partition }
  }

  async #indexVersions(plan: SearchPlan): Promise<IndexVersions | undefined> {
    const custom = await this.customParameters()
    if (custom === undefined) return undefined
    const readIndex = async () => customIndexIn((await this.records.readRecent(CUSTOM_PROGRESS, CUSTOM_KEY))?.value)
    return indexVersionsFor(plan, custom, readIndex)
  }

  /** The values of a token or uri parameter that occur in the clinic. */
  values(query: Omit<ValuesQuery, 'clinic'>): Promise<readonly StoredValue[]> {
    return this.#store.values({ ...query, clinic: this.#partition })
  }

  /** The number of resources of a type, or of those that match, as it was some minutes ago at most. */
  async recentCount(type: string, condition?: Condition): Promise<number> {
    const counts = recentCounts.get(this.#store) ?? new RecentCounts()
    recentCounts.set(this.#store, counts)
    const countNow = (where: readonly Condition[]) => async (): Promise<number> => {
      const { total = 0 } = await this.search({ ...COUNT, clinic: this.#partition, types: [type], where })
      return total
    }
    const all = await counts.read(JSON.stringify([this.#partition, type]), countNow([]))
    if (condition === undefined) return all
    return await counts.read(JSON.stringify([this.#partition, type, condition]), countNow([condition]), all)
  }

  /**
   * Finds resources in the stored state, without the changes staged in this unit. @throws FhirError 503 while they are
   * being indexed
   */
  async findByKeys(query: Omit<KeysQuery, 'clinic'>): Promise<FoundByKeys> {
    try {
      const found = await this.#store.findByKeys({ ...query, clinic: this.#partition })
      return found.resources.some((one) => this.#mayBeRestricted(one)) ? readableBy(found) : found
    } catch (error) {
      throw error instanceof IndexIncomplete ? searchNotReady(error) : error
    }
  }

  async history(query: Omit<HistoryQuery, 'clinic'>): Promise<HistoryPage> {
    const page = await this.#store.history({ ...query, clinic: this.#partition })
    return page.versions.some((one) => this.#mayBeRestricted(one)) ? readableOf(page) : page
  }

  /** Versions, oldest first, without those that nobody may see: for exports. */
  async scanVersions(scan: Omit<VersionScan, 'clinic'>): Promise<ScanPage<ScannedVersion>> {
    const page = await this.#store.scanVersions({ ...scan, clinic: this.#partition })
    if (!page.items.some((one) => this.#mayBeRestricted(one))) return page
    return { ...page, items: page.items.filter((one) => !isRestricted(one)) }
  }

  /**
   * `body` as a valid resource of `type`, with `id` where one is given. Resources that were validated in this unit are
   * not validated again when they are staged.
   * @throws FhirError 400 or 422 naming each element at fault
   */
  validate<R extends AnyResource = AnyResource>(body: unknown, type: string, id?: string): R {
    this.#valid ??= new WeakSet()
    if (!this.#valid.has(body as AnyResource)) checkResource(body, type)
    const resource = (id === undefined ? body : { ...(body as R), id }) as R
    this.#valid.add(resource)
    return resource
  }

  /**
   * Stages the next version of `resource`; `id` and the version elements of `meta` are set here. Without an id it gets
   * a new one; POST means that there is no resource of this id yet. A resource that a provider has changed since its
   * validation is validated again. Contents to which it has markers are marked as used.
   * @throws FhirError 400 or 422 naming each element at fault; 422 for a marker of a content that the clinic does not
   * have
   */
  async put<R extends AnyResource>(resource: R, method: 'POST' | 'PUT'): Promise<Versioned<R>> {
    const type = resource.resourceType
    const id = resource.id ?? newId()
    this.validate(resource, type)
    const staged = this.#staged.get(`${type}/${id}`)
    const base = method === 'POST' ? staged?.base : await this.#base(type, id)
    const version = (base?.version ?? 0) + 1
    const lastUpdated = Math.max(this.writtenAt, base?.lastUpdated ?? 0)
    const stamped = stamp(resource, id, version, lastUpdated)
    const created = base === undefined || base.method === 'DELETE'
    // A resource that is created and then changed within one change counts as created by POST.
    const asMethod = staged?.next.method === 'POST' ? 'POST' : method
    const text = JSON.stringify(stamped)
    await useContents(this, stamped, text)
    const next = new Versioned<R>({ type, id, version, lastUpdated, method: asMethod, text }, stamped, created)
    this.#staged.set(`${type}/${id}`, { base, next })
    return next
  }

  /** Marks an update staged here as a patch, for history. */
  asPatched<R extends AnyResource>(updated: Versioned<R>): Versioned<R> {
    const key = `${updated.type}/${updated.id}`
    const staged = this.#staged.get(key)
    if (staged?.next !== updated || updated.method !== 'PUT') return updated
    const next = new Versioned<R>({ ...updated, method: 'PATCH' }, updated.resource, updated.created)
    this.#staged.set(key, { ...staged, next })
    return next
  }

  /** Stages the deletion of a resource; does nothing when it is already deleted or never existed. */
  async delete(type: string, id: string): Promise<Versioned | undefined> {
    const base = await this.#base(type, id)
    if (base === undefined || base.method === 'DELETE') return undefined
    const lastUpdated = Math.max(this.writtenAt, base.lastUpdated)
    const next = new Versioned({ type, id, version: base.version + 1, lastUpdated, method: 'DELETE', text: '' })
    this.#staged.set(`${type}/${id}`, { base, next })
    return next
  }

  /**
   * Stages a version as it is in another generation, its number included. Versions of one resource come in their order, and
   * nothing else of it may be staged. Contents that it refers to are marked as used, and must be there.
   */
  async copy(version: ScannedVersion): Promise<void> {
    await useContentsOf(this, version.text)
    const entries = version.isCurrent ? this.#entriesIn(version, await this.customParameters()) : []
    this.#copied.push(changeOf(version, version.version - 1, entries))
  }

  /**
   * The changes staged so far, of one type or of all, deletions included; a resource changed several times is there once,
   * in its latest state.
   */
  staged<R extends AnyResource = AnyResource>(type?: string): readonly Versioned<R>[] {
    spend(this.#staged.size / STAGED_IN_A_STEP, 'its entries')
    const found: Versioned<R>[] = []
    for (const { next } of this.#staged.values()) {
      if (type === undefined || next.type === type) found.push(next as Versioned<R>)
    }
    return found
  }

  /**
   * Registers a check of the change as a whole, such as a transaction, whose entries may be in any order: `check` runs
   * when everything is staged, and an error that it throws refuses the change.
   * @param subject the subject of the check, such as Type/id; only the first check of a subject is kept
   */
  checkBeforeCommit(subject: string, check: () => Promise<void>): void {
    this.#finalChecks ??= new Map()
    if (!this.#finalChecks.has(subject)) this.#finalChecks.set(subject, check)
  }

  /** Runs the checks before the commit. @throws the error of a failed check */
  async checkStaged(): Promise<void> {
    for (const check of this.#finalChecks?.values() ?? []) await check()
  }

  /** Makes the commit conditional on `plan` still finding exactly `ids`; otherwise the work is repeated. */
  guard(plan: SearchPlan, ids: readonly string[]): void {
    this.#guards.push({ plan: this.#inPartition(plan), ids })
  }

  /**
   * Writes the staged changes. Unless `isRepeatable`, the request can no longer restart in a worker, as it must not be
   * carried out twice.
   * @param isRepeatable writing it twice has the same result as writing it once
   * @throws the error of a failed check before the commit, and errors of the store
   */
  async commit(isRepeatable = false): Promise<void> {
    await this.checkStaged()
    const told = this.#staged.size > 0 ? await this.#feedEvents() : []
    const records = this.records.changes
    const staged = this.#staged.size + this.#copied.length
    if (staged === 0 && records.length === 0) return
    const declaration = staged === 0 ? undefined : await this.records.readRecent(CUSTOM_DECLARATION, CUSTOM_KEY)
    const custom = CustomParameters.of(declaration?.value)
    const resources = [
      ...this.#copied,
      ...Array.from(this.#staged.values(), ({ base, next }) =>
        changeOf(next, base?.version ?? 0, next.deleted ? [] : this.#entriesOf(next.resource, custom)),
      ),
    ]
    const guards =
      custom === undefined ? this.#guards : await Promise.all(this.#guards.map((guard) => this.#exact(guard)))
    if (!isRepeatable) currentBudget()?.pinToThread()
    const indexVersion = resources.length === 0 ? {} : { indexVersion: declaration?.version ?? 0 }
    const changes = { clinic: this.#partition, resources, ...indexVersion, records, guards }
    await inSpan('commit', () => this.#store.write(changes))
    if (resources.length > 0)
      recentReads(this.#store).wrote(this.#partition, new Set(resources.map(({ type }) => type)))
    if (told.length > 0) this.#tellEvents(told, custom)
  }

  /** Stages the events of the change. @returns the staged versions whose types somebody listens to */
  async #feedEvents(): Promise<readonly Versioned[]> {
    const subscribed = await this.records.readRecent(SUBSCRIBED, SUBSCRIBED_KEY)
    if (subscribed === undefined || subscribed.value.running === 0) return []
    const told = stageEvents(this, subscribed.value, this.staged())
    // Indexed once, for the commit and for the dispatcher.
    for (const version of told) if (!version.deleted) await this.indexEntries(version.resource)
    return told
  }

  #tellEvents(told: readonly Versioned[], custom: CustomParameters | undefined): void {
    for (const version of told) {
      if (custom !== undefined || version.deleted || this.#mayBeRestricted(version)) continue
      keepFed(this.#store, this.#partition, { version, entries: this.#entriesOf(version.resource, custom) })
    }
    this.#options.onEvents()
  }

  /** A version that this process has written a moment ago, perhaps, with its index entries. @param key of its event */
  recentlyFed(key: string): Indexed | undefined {
    return findFed(this.#store, this.#partition, key)
  }

  /** The index entries of a resource that this change writes. @throws FhirError 422 when there are too many */
  async indexEntries(resource: AnyResource): Promise<readonly IndexEntry[]> {
    const custom = await this.customParameters()
    const entries = this.#entriesOf(resource, custom)
    this.#entries ??= new WeakMap()
    this.#entries.set(resource, { custom, entries })
    return entries
  }

  /** @throws FhirError 422 when there are too many */
  #entriesOf(resource: AnyResource, custom: CustomParameters | undefined): readonly IndexEntry[] {
    const known = this.#entries?.get(resource)
    if (known !== undefined && known.custom === custom) return known.entries
    const type = resource.resourceType
    const entries = extractEntries(resource, this.#options.baseUrl, custom?.extractorsOf(type), this.#options.fullText)
    checkAmounts(type, entries)
    return entries
  }

  #entriesIn(version: StoredResource, custom: CustomParameters | undefined): readonly IndexEntry[] {
    return version.method === 'DELETE' ? [] : this.#entriesOf(new Versioned(version).resource, custom)
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
    const seen = this.#seen.get(key)
    const stored = seen ?? (this.#seen.has(key) ? undefined : await this.#store.read(this.#partition, type, id))
    if (seen === undefined) this.#seen.set(key, stored)
    if (stored !== undefined) spendOnText(stored)
    if (stored !== undefined && this.#mayBeRestricted(stored)) checkReadable(stored)
    return stored
  }

  /** Most texts show at once that they are not. */
  #mayBeRestricted({ text }: StoredResource): boolean {
    return this.#options.restriction !== undefined && text.includes(this.#options.restriction)
  }

  #see(found: StoredResource): void {
    const key = `${found.type}/${found.id}`
    if (!this.#seen.has(key)) this.#seen.set(key, found)
  }
}

const changeOf = (
  { type, id, version, lastUpdated, method, text }: StoredResource,
  expect: number,
  entries: readonly IndexEntry[],
): ResourceChange => ({ type, id, version, lastUpdated, method, text, expect, entries })

/** Most characters of a resource that readRecent keeps. */
const MOST_KEPT = 20_000

/** Budget steps of a search, besides the engine's; steps per resource found; characters copied in one step. */
const SEARCHED = 20
const FOUND = 1
const COPIED_IN_A_STEP = 2_000
/** Staged resources examined in one step. */
const STAGED_IN_A_STEP = 100

const stepsOf = (found: readonly StoredResource[]): number =>
  found.reduce((sum, { text }) => sum + FOUND + text.length / COPIED_IN_A_STEP, SEARCHED)
