/** The resources of one clinic, and which of them fulfil a condition: set algebra over all of them at once. */
import type { Condition, Include, IndexEntry } from '../../../src/search/plan.ts'
import { between, column, type Fact, holders, partly, selected } from './facts.ts'

export interface Member {
  readonly type: string
  readonly id: string
  /** Milliseconds since 1970 UTC. */
  readonly lastUpdated: number
  readonly version: number
  readonly entries: readonly IndexEntry[]
}

/** A reference whose target is in the population. */
interface Link<Of> {
  readonly source: Of
  readonly param: string
  readonly target: Of
  /** The version of the target, where the reference names one. */
  readonly version: string | undefined
}

export class Population<Of extends Member> {
  readonly facts: readonly Fact<Of>[]
  readonly #members: ReadonlySet<Of>
  readonly #links: readonly Link<Of>[]

  constructor(members: readonly Of[]) {
    const all = members.flatMap((member) => [member, ...withinOf(member)])
    this.#members = new Set(all)
    this.facts = all.flatMap((holder) => holder.entries.map((entry) => ({ holder, entry })))
    this.#links = linksOf(all, this.facts)
  }

  get members(): readonly Of[] {
    return [...this.#members]
  }

  ofTypes(types: readonly string[]): ReadonlySet<Of> {
    return new Set(types.flatMap((type) => this.members.filter((one) => one.type === type)))
  }

  /** The members of these types, by themselves or within others. */
  #ofKinds(types: readonly string[]): ReadonlySet<Of> {
    return new Set(this.members.filter((one) => types.includes(kindOf(one.type))))
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
        return new Set(condition.ids.flatMap((id) => this.members.filter((one) => idIn(one) === id)))
      case 'type':
        return this.#ofKinds(condition.types)
      case 'lastUpdated': {
        const { lowMin, lowMax, highMin, highMax } = condition.bounds
        const updated = ({ lastUpdated }: Of) => lastUpdated
        return between(this.members, updated, lowMin, lowMax).intersection(
          between(this.members, updated, highMin, highMax),
        )
      }
      case 'chain': {
        if (condition.canonical) {
          const definitions = this.fulfilling(condition.where).intersection(this.ofTypes(condition.types))
          return this.#sharing(definitions, CALLED, `canonical:${condition.param}`)
        }
        const targets = this.fulfilling(condition.where).intersection(this.#ofKinds(condition.types))
        const links = this.#links.filter(({ param, target }) => param === condition.param && targets.has(target))
        return new Set(links.map(({ source }) => source))
      }
      case 'has': {
        const sources = this.fulfilling(condition.where).intersection(this.#ofKinds([condition.type]))
        if (condition.canonical) return this.#sharing(sources, `canonical:${condition.param}`, CALLED)
        const links = this.#links.filter(({ param, source }) => param === condition.param && sources.has(source))
        return new Set(links.map(({ target }) => target))
      }
      case 'token-part':
        return holders(partly(this.facts, condition))
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

  /** The members whose `other` has the same target as `param` of one of `members`. */
  #sharing(members: ReadonlySet<Of>, param: string, other: string): ReadonlySet<Of> {
    const addresses = column(this.facts, 'reference', param).filter(({ holder }) => members.has(holder))
    const shared = new Set(addresses.map(({ entry }) => entry.id))
    return holders(column(this.facts, 'reference', other).filter(({ entry }) => shared.has(entry.id)))
  }

  fulfillingAll(conditions: readonly Condition[]): ReadonlySet<Of> {
    return conditions.reduce((left, one) => left.intersection(this.fulfilling(one)), this.#members)
  }

  /** The members that the include reaches from any of `members`. */
  reached(
    members: ReadonlySet<Of>,
    { source: sourceType, param, target: targetType, canonical, reverse }: Include,
  ): ReadonlySet<Of> {
    if (canonical !== undefined) {
      const [naming, own] = [`canonical:${param}`, this.ofTypes(canonical)]
      if (reverse)
        return this.#sharing(members.intersection(own), CALLED, naming).intersection(this.ofTypes([sourceType]))
      return this.#sharing(members.intersection(this.#ofKinds([sourceType])), naming, CALLED).intersection(own)
    }
    const links = this.#links.filter(
      (link) =>
        (reverse || link.version === undefined || link.version === String(link.target.version)) &&
        [reverse ? link.source.type : kindOf(link.source.type), '*'].includes(sourceType) &&
        [link.param, '*'].includes(param) &&
        [kindOf(link.target.type), undefined].includes(targetType),
    )
    const steps = reverse
      ? links.map(({ source, target }) => [target, source] as const)
      : links.map(({ source, target }) => [source, target] as const)
    return new Set(steps.filter(([from]) => members.has(from)).map(([, to]) => to))
  }

  /** The references with a version by which the include leads away from `members`. */
  versionsNamed(
    members: ReadonlySet<Of>,
    { source, param, target, canonical, reverse }: Include,
  ): readonly ReferenceEntry[] {
    // A canonical names a definition by its url, not by a version of the resource.
    if (canonical !== undefined) return []
    return this.facts.flatMap(({ holder, entry }) => {
      const isNamed =
        !reverse &&
        entry.kind === 'reference' &&
        entry.version !== undefined &&
        members.has(holder) &&
        [kindOf(holder.type), '*'].includes(source) &&
        [entry.param, '*'].includes(param) &&
        [kindOf(entry.type), undefined].includes(target)
      return isNamed ? [entry] : []
    })
  }
}

/** The parameter of a definition's own canonical. */
const CALLED = '_canonical'

export type ReferenceEntry = Extract<IndexEntry, { kind: 'reference' }>

const kindOf = (type: string): string => type.split('#').at(-1) ?? type

/** One within another has the id that it has there among its addresses. */
function idIn({ type, id, entries }: Member): string | undefined {
  if (kindOf(type) === type) return id
  const own = entries.find(({ kind, param }) => kind === 'uri' && param === '_id')
  return own?.kind === 'uri' ? own.value : undefined
}

/** The members within a member, which share all its other properties. */
function withinOf<Of extends Member>(member: Of): readonly Of[] {
  return member.entries.flatMap((entry) =>
    entry.kind === 'inner' ? [{ ...member, type: entry.type, id: entry.id, entries: entry.entries }] : [],
  )
}

function linksOf<Of extends Member>(members: readonly Of[], facts: readonly Fact<Of>[]): readonly Link<Of>[] {
  const byAddress = new Map(members.map((member) => [`${member.type}/${member.id}`, member]))
  return facts.flatMap(({ holder, entry }) => {
    const target = entry.kind === 'reference' ? byAddress.get(`${entry.type}/${entry.id}`) : undefined
    const version = entry.kind === 'reference' ? entry.version : undefined
    return target === undefined ? [] : [{ source: holder, param: entry.param, target, version }]
  })
}
