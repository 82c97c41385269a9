/** Checks that the contract tries every method of the port, and every kind of condition and sort key, on an engine. */
import { expect, test } from '@jest/globals'
import type { Condition, SearchPlan, SortKey } from '../../../src/search/plan.ts'
import type { ChangeSet, ResourceStore } from '../../../src/storage/port.ts'
import { suitesOf } from '../../suites.ts'
import { testEngine } from '../../support/engine.ts'

/** Optional methods are tested with the engines that have them: sqlite-threads.test.ts, sharing.test.ts. */
type OptionalMethod = 'load' | 'noticeChanges' | 'share'

/** Where each method is tested: in the contract, or by a suite that runs on each engine. A new method needs a row. */
const METHODS: Readonly<
  Record<Exclude<keyof ResourceStore, OptionalMethod>, 'contract' | `test/storage/${string}.test.ts`>
> = {
  read: 'contract',
  readVersion: 'contract',
  write: 'contract',
  search: 'contract',
  reindex: 'test/storage/custom-reindex.test.ts',
  history: 'contract',
  findByKeys: 'contract',
  values: 'contract',
  readRecord: 'contract',
  readRecent: 'test/storage/sharing.test.ts',
  records: 'contract',
  clinics: 'contract',
  scanVersions: 'contract',
  scanRecords: 'contract',
  snapshot: 'contract',
  drop: 'contract',
  isEmpty: 'contract',
  close: 'test/storage/sharing.test.ts',
}

/** A new kind, or a new way to match a string or an address, needs a row, and the row needs a case. */
const CONDITIONS: Readonly<Record<KindOf<Condition>, true>> = {
  any: true,
  all: true,
  not: true,
  'string prefix': true,
  'string contains': true,
  'string suffix': true,
  'string equal': true,
  'string greater': true,
  'string less': true,
  'string exact': true,
  'words equal': true,
  'words prefix': true,
  token: true,
  'token-part prefix': true,
  'token-part suffix': true,
  reference: true,
  'uri exact': true,
  'uri below': true,
  'uri above': true,
  unequal: true,
  date: true,
  number: true,
  quantity: true,
  position: true,
  composite: true,
  missing: true,
  id: true,
  type: true,
  lastUpdated: true,
  chain: true,
  has: true,
}

const SORT_KEYS: Readonly<Record<SortKey['by'], true>> = {
  id: true,
  lastUpdated: true,
  string: true,
  token: true,
  uri: true,
  date: true,
  number: true,
  quantity: true,
  reference: true,
}

type KindOf<C extends Condition> = C extends {
  readonly kind: infer K extends string
  readonly match: infer M extends string
}
  ? `${K} ${M}`
  : C['kind']

export class Coverage {
  readonly #methods = new Set<string>()
  readonly #conditions = new Set<string>()
  readonly #sortKeys = new Set<string>()

  /** The same store, whose calls are noted. */
  of(store: ResourceStore): ResourceStore {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: readonly unknown[]) => {
          this.#note(String(name), args[0])
          return member.apply(target, args)
        }
      },
    })
  }

  #note(method: string, argument: unknown): void {
    this.#methods.add(method)
    if (method === 'search') this.#notePlan(argument as SearchPlan)
    if (method === 'write') for (const { plan } of (argument as ChangeSet).guards) this.#notePlan(plan)
  }

  #notePlan({ where, sort }: SearchPlan): void {
    for (const condition of where.flatMap(withParts)) this.#conditions.add(kindOf(condition))
    for (const { by } of sort) this.#sortKeys.add(by)
  }

  /** Comes last in the contract. */
  describe(): void {
    test('every method of the port and every kind of condition and sort key has a case on this engine', () => {
      const suites = (['short', 'long', 'full'] as const).flatMap((tier) => suitesOf(tier, testEngine()))
      const missing = Object.entries(METHODS).filter(([method, by]) =>
        by === 'contract' ? !this.#methods.has(method) : !suites.includes(by),
      )
      expect(missing).toEqual([])
      expect(Object.keys(CONDITIONS).filter((kind) => !this.#conditions.has(kind))).toEqual([])
      expect(Object.keys(SORT_KEYS).filter((key) => !this.#sortKeys.has(key))).toEqual([])
    })
  }
}

const kindOf = (condition: Condition): string =>
  'match' in condition ? `${condition.kind} ${condition.match}` : condition.kind

/** A condition, and those within it. */
function withParts(condition: Condition): readonly Condition[] {
  switch (condition.kind) {
    case 'any':
    case 'all':
      return [condition, ...condition.of.flatMap(withParts)]
    case 'not':
      return [condition, ...withParts(condition.of)]
    case 'chain':
    case 'has':
      return [condition, ...withParts(condition.where)]
    default:
      return [condition]
  }
}
