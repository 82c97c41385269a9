/** Counts the exchanges of a run, and gathers what its client was seen to use. */
import type { ExchangeSummary } from '../../record/journal/exchange.ts'
import type { SeenByRun } from './exchange-matching.ts'
import type { Observed, ObservedType, Traffic } from './run.ts'

/** Names of one kind that are kept; a client that makes them up does not fill the memory. */
const MOST_NAMES = 300
/** Characters of a name that is kept. */
const LONGEST_NAME = 100

export class TrafficWatch {
  #exchanges = 0
  #tools = 0
  readonly #byStatus = new Map<string, number>()
  /** Exchanges by their duration in milliseconds. */
  readonly #byDuration = new Map<number, number>()
  readonly #types = new Map<string, Names<keyof ObservedType>>()
  readonly #system = new Names<'interactions' | 'operations' | 'tools'>()

  see({ summary, query }: SeenByRun): void {
    this.#exchanges += 1
    this.#tools += summary.tools?.length ?? 0
    increment(this.#byStatus, summary.status === 0 ? 'none' : `${Math.floor(summary.status / 100)}xx`)
    increment(this.#byDuration, Math.round(summary.duration))
    for (const { tool } of summary.tools ?? []) this.#system.add('tools', tool)
    this.#observe(summary, query)
  }

  #observe({ type, interaction, operation, tools }: ExchangeSummary, query: URLSearchParams): void {
    if (tools !== undefined || interaction === undefined) return
    const names = type === undefined || type === '' ? undefined : this.#namesOf(type)
    if (operation?.startsWith('$')) (names ?? this.#system).add('operations', operation.slice(1))
    else (names ?? this.#system).add('interactions', interaction)
    if (!interaction.startsWith('search')) return
    for (const name of query.keys()) if (isSearchParameter(name)) names?.add('searchParameters', withoutModifier(name))
  }

  #namesOf(type: string): Names<keyof ObservedType> | undefined {
    const known = this.#types.get(type)
    if (known !== undefined || this.#types.size >= MOST_NAMES) return known
    const names = new Names<keyof ObservedType>()
    this.#types.set(type, names)
    return names
  }

  get traffic(): Traffic {
    return {
      exchanges: this.#exchanges,
      tools: this.#tools,
      byStatus: Object.fromEntries([...this.#byStatus].toSorted(([one], [other]) => (one < other ? -1 : 1))),
      latency: { median: this.#percentile(0.5), p95: this.#percentile(0.95) },
    }
  }

  /** Milliseconds within which that share of the exchanges ended. */
  #percentile(share: number): number {
    let left = Math.ceil(this.#exchanges * share)
    for (const [duration, count] of [...this.#byDuration].toSorted(([one], [other]) => one - other)) {
      left -= count
      if (left <= 0) return duration
    }
    return 0
  }

  get observed(): Observed {
    const types = [...this.#types]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([type, names]) => [type, observedType(names)])
    const { interactions, operations, tools } = this.#system.sorted(['interactions', 'operations', 'tools'])
    return { types: Object.fromEntries(types), interactions, operations, tools }
  }
}

const observedType = (names: Names<keyof ObservedType>): ObservedType =>
  names.sorted(['interactions', 'searchParameters', 'operations'])

const increment = <Key>(counts: Map<Key, number>, key: Key): void => void counts.set(key, (counts.get(key) ?? 0) + 1)

/** Parameters of the result, such as _count, are no search parameters. https://hl7.org/fhir/R4/search.html#modifyingresults */
const isSearchParameter = (name: string): boolean =>
  !name.startsWith('_') || /^_(id|lastUpdated|tag|profile|security|text|content|list|has|query|filter)\b/.test(name)

const withoutModifier = (name: string): string => name.split(/[:.]/, 1)[0] ?? name

/** Sets of names. */
class Names<Kind extends string> {
  readonly #sets = new Map<Kind, Set<string>>()

  add(kind: Kind, name: string): void {
    const names = this.#sets.get(kind) ?? new Set()
    if (names.size < MOST_NAMES && name.length <= LONGEST_NAME) names.add(name)
    this.#sets.set(kind, names)
  }

  sorted<K extends Kind>(kinds: readonly K[]): Readonly<Record<K, readonly string[]>> {
    return Object.fromEntries(
      kinds.map((kind) => [kind, [...(this.#sets.get(kind) ?? [])].toSorted()]),
    ) as unknown as Record<K, readonly string[]>
  }
}
