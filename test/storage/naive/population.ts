/** The resources of one clinic, and which of them fulfil a condition: set algebra over all of them at once. */
import type { Condition, Include, IndexEntry } from '../../../src/search/plan.ts'
import { between, column, type Fact, holders, selected } from './facts.ts'

export interface Member {
  readonly type: string
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number
  readonly entries: readonly IndexEntry[]
}

/** A reference whose target is in the population. */
interface Link<Of> {
  readonly source: Of
  readonly param: string
  readonly target: Of
}

export class Population<Of extends Member> {
  readonly facts: readonly Fact<Of>[]
  readonly #members: ReadonlySet<Of>
  readonly #links: readonly Link<Of>[]

  constructor(members: readonly Of[]) {
    this.#members = new Set(members)
    this.facts = members.flatMap((holder) => holder.entries.map((entry) => ({ holder, entry })))
    this.#links = linksOf(members, this.facts)
  }

  get members(): readonly Of[] {
    return [...this.#members]
  }

  ofTypes(types: readonly string[]): ReadonlySet<Of> {
    return new Set(types.flatMap((type) => this.members.filter((one) => one.type === type)))
  }

  fulfilling(condition: Condition): ReadonlySet<Of> {
    switch (condition.kind) {
      case 'any':
        return condition.of.reduce((all, one) => all.union(this.fulfilling(one)), new Set<Of>())
      case 'all':
        return this.fulfillingAll(condition.of)
      case 'not':
        return this.#members.difference(this.fulfilling(condition.of))
      case 'unequal': {
        const rows = new Set<Fact<Of>>(column(this.facts, condition.of.kind, condition.of.param))
        return holders(rows.difference(selected(this.facts, condition.of)))
      }
      case 'missing': {
        const present = holders(this.facts.filter(({ entry }) => entry.param === condition.param))
        return condition.missing ? this.#members.difference(present) : present
      }
      case 'id':
        return new Set(condition.ids.flatMap((id) => this.members.filter((one) => one.id === id)))
      case 'type':
        return this.ofTypes(condition.types)
      case 'lastUpdated': {
        const { lowMin, lowMax, highMin, highMax } = condition.bounds
        const updated = ({ lastUpdated }: Of) => lastUpdated
        return between(this.members, updated, lowMin, lowMax).intersection(
          between(this.members, updated, highMin, highMax),
        )
      }
      case 'chain': {
        const targets = this.fulfilling(condition.where).intersection(this.ofTypes(condition.types))
        const links = this.#links.filter(({ param, target }) => param === condition.param && targets.has(target))
        return new Set(links.map(({ source }) => source))
      }
      case 'has': {
        const sources = this.fulfilling(condition.where).intersection(this.ofTypes([condition.type]))
        const links = this.#links.filter(({ param, source }) => param === condition.param && sources.has(source))
        return new Set(links.map(({ target }) => target))
      }
      case 'string':
      case 'words':
      case 'token':
      case 'reference':
      case 'uri':
      case 'date':
      case 'number':
      case 'quantity':
      case 'position':
      case 'composite':
        return holders(selected(this.facts, condition))
    }
  }

  fulfillingAll(conditions: readonly Condition[]): ReadonlySet<Of> {
    return conditions.reduce((left, one) => left.intersection(this.fulfilling(one)), this.#members)
  }

  /** What the include leads to from any of `members`. */
  reached(
    members: ReadonlySet<Of>,
    { source: sourceType, param, target: targetType, reverse }: Include,
  ): ReadonlySet<Of> {
    const links = this.#links.filter(
      (link) =>
        [link.source.type, '*'].includes(sourceType) &&
        [link.param, '*'].includes(param) &&
        [link.target.type, undefined].includes(targetType),
    )
    const steps = reverse
      ? links.map(({ source, target }) => [target, source] as const)
      : links.map(({ source, target }) => [source, target] as const)
    return new Set(steps.filter(([from]) => members.has(from)).map(([, to]) => to))
  }
}

function linksOf<Of extends Member>(members: readonly Of[], facts: readonly Fact<Of>[]): readonly Link<Of>[] {
  const byAddress = new Map(members.map((member) => [`${member.type}/${member.id}`, member]))
  return facts.flatMap(({ holder, entry }) => {
    const target = entry.kind === 'reference' ? byAddress.get(`${entry.type}/${entry.id}`) : undefined
    return target === undefined ? [] : [{ source: holder, param: entry.param, target }]
  })
}
