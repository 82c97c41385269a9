/** Short helpers to fill a clinic and to search it. */
import { fold } from '../../src/fhir/text-folding.ts'
import type { CombinedIndex, Condition, IndexEntry, PartEntry, SearchPlan } from '../../src/search/plan.ts'
import type {
  ChangeMethod,
  ChangeSet,
  HistoryQuery,
  RecordChange,
  ResourceChange,
  ResourceStore,
  StoredResource,
} from '../../src/storage/port.ts'

/** The combined indexes of the stores under test. */
export const COMBINED: readonly CombinedIndex[] = [
  { type: 'Slot', equal: ['schedule', 'status'], range: 'start' },
  { type: 'Appointment', equal: ['patient'], range: 'date' },
]

export const string = (param: string, exact: string): PartEntry => ({
  kind: 'string',
  param,
  exact,
  folded: fold(exact),
})
export const words = (param: string, text: string): IndexEntry => ({ kind: 'words', param, words: text })
export const token = (param: string, code: string, system = ''): PartEntry => ({ kind: 'token', param, system, code })
export const key = (param: string, text: string): IndexEntry => ({ kind: 'key', param, key: text })
export const uri = (param: string, value: string): PartEntry => ({ kind: 'uri', param, value })
export const date = (param: string, low: number, high = low): PartEntry => ({ kind: 'date', param, low, high })
export const number = (param: string, low: number, high = low): PartEntry => ({ kind: 'number', param, low, high })
export const quantity = (param: string, low: number, high: number, code: string, system = ''): PartEntry => ({
  kind: 'quantity',
  param,
  low,
  high,
  system,
  code,
})
export const composite = (param: string, ...parts: readonly PartEntry[]): IndexEntry => ({
  kind: 'composite',
  param,
  parts,
})
export const position = (param: string, latitude: number, longitude: number): IndexEntry => ({
  kind: 'position',
  param,
  latitude,
  longitude,
})
/** A resource within another one, and the reference that leads to it. */
export const inner = (
  param: string,
  type: string,
  id: string,
  entries: readonly IndexEntry[],
): readonly IndexEntry[] => [
  { kind: 'reference', param, type, id },
  { kind: 'inner', param, type, id, entries },
]
/** `target` is Type/id, Type/id/_history/version or an absolute address outside. */
export function reference(param: string, target: string): PartEntry {
  if (target.includes(':')) return { kind: 'reference', param, type: '', id: target }
  const [type = '', id = '', , version] = target.split('/')
  return { kind: 'reference', param, type, id, ...(version === undefined ? {} : { version }) }
}

const PLAN: Omit<SearchPlan, 'clinic' | 'types'> = {
  where: [],
  sort: [],
  count: 100,
  total: 'none',
  include: [],
  includeLimit: 1000,
}

const EMPTY: Omit<ChangeSet, 'clinic'> = { resources: [], records: [], guards: [] }

interface ChangeOptions {
  readonly expect?: number
  readonly lastUpdated?: number
  readonly method?: ChangeMethod
  readonly text?: string
}

/** Resources of one change set of many. */
const AT_ONCE = 500

export class Clinic {
  readonly store: ResourceStore
  readonly name: string
  #time = 1000

  constructor(store: ResourceStore, name: string) {
    this.store = store
    this.name = name
  }

  /** Version `expect` + 1 of a resource, one millisecond after the one before. */
  change(address: string, entries: readonly IndexEntry[] = [], options: ChangeOptions = {}): ResourceChange {
    const [type = '', id = ''] = address.split('/')
    this.#time += 1
    const { expect = 0, lastUpdated = this.#time, method = expect === 0 ? 'POST' : 'PUT' } = options
    const text =
      options.text ?? (method === 'DELETE' ? '' : JSON.stringify({ resourceType: type, id, version: expect + 1 }))
    return { type, id, version: expect + 1, lastUpdated, method, text, expect, entries }
  }

  async write(...resources: readonly ResourceChange[]): Promise<void> {
    await this.writeSet({ resources })
  }

  /** Writes changes number 0 to `count`, some at a time. */
  async fill(count: number, changeOf: (n: number) => ResourceChange): Promise<void> {
    for (let start = 0; start < count; start += AT_ONCE) {
      const length = Math.min(AT_ONCE, count - start)
      await this.write(...Array.from({ length }, (_, index) => changeOf(start + index)))
    }
  }

  async writeSet(changes: Partial<ChangeSet>): Promise<void> {
    await this.store.write({ clinic: this.name, ...EMPTY, ...changes })
  }

  /** Writes the next version of a resource, whichever that is. */
  async put(address: string, entries: readonly IndexEntry[] = [], options: ChangeOptions = {}): Promise<void> {
    await this.write(this.change(address, entries, { ...options, expect: (await this.read(address))?.version ?? 0 }))
  }

  async delete(address: string): Promise<void> {
    await this.put(address, [], { method: 'DELETE' })
  }

  async record(kind: string, key: string, value: unknown, change: Partial<RecordChange> = {}): Promise<void> {
    await this.writeSet({ records: [{ clinic: this.name, kind, key, expect: 'any', value, ...change }] })
  }

  async read(address: string): Promise<StoredResource | undefined> {
    const [type = '', id = ''] = address.split('/')
    return this.store.read(this.name, type, id)
  }

  plan(types: string | readonly string[], plan: Partial<SearchPlan> = {}): SearchPlan {
    return { ...PLAN, clinic: this.name, types: typeof types === 'string' ? [types] : types, ...plan }
  }

  search(types: string | readonly string[], plan: Partial<SearchPlan> = {}) {
    return this.store.search(this.plan(types, plan))
  }

  /** Addresses of all matches, by id where no sort is given. */
  async find(types: string | readonly string[], where: readonly Condition[]): Promise<readonly string[]> {
    const { matches } = await this.search(types, { where })
    return addresses(matches).toSorted()
  }

  history(query: Partial<HistoryQuery> = {}) {
    return this.store.history({ clinic: this.name, count: 100, ...query })
  }

  /** Ids over all pages, with a call of `between` after each. */
  async pages(type: string, plan: Partial<SearchPlan>, between: (page: number) => Promise<void> = async () => {}) {
    const found: string[][] = []
    for (let after: string | undefined, number = 0; number === 0 || after !== undefined; number += 1) {
      const page = await this.search(type, { ...plan, ...(after === undefined ? {} : { after }) })
      found.push(page.matches.map(({ id }) => id))
      after = page.next
      await between(number)
    }
    return found
  }
}

export const addresses = (resources: readonly StoredResource[]): readonly string[] =>
  resources.map(({ type, id }) => `${type}/${id}`)

export const ids = (resources: readonly StoredResource[]): readonly string[] => resources.map(({ id }) => id)
