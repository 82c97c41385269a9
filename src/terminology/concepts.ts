/** The concepts of a code system and their hierarchy: https://hl7.org/fhir/R4/codesystem.html. */

import type { CodeSystem, CodeSystemConcept, CodeSystemConceptProperty, CodeSystemProperty } from 'fhir/r4'
import { oncePer } from '../fhir/memoize.ts'
import { Meter } from '../isolation/budget.ts'

export interface Concept {
  readonly code: string
  readonly definition: CodeSystemConcept
  /** The parent in the tree first, then those given by properties. */
  readonly parents: readonly string[]
  readonly children: readonly string[]
  /** Groups other concepts and must not be recorded. */
  readonly isAbstract: boolean
  /** No longer in use. */
  readonly isInactive: boolean
}

const PROPERTIES = 'http://hl7.org/fhir/concept-properties#'

interface Node {
  readonly definition: CodeSystemConcept
  readonly parents: Set<string>
  readonly children: Set<string>
  /** Created on first use. */
  concept?: Concept
}

const newNode = (definition: CodeSystemConcept): Node => ({ definition, parents: new Set(), children: new Set() })

/** Steps to index a concept, to index a property of it, and to follow it in the hierarchy. */
const INDEXED = 1.5
const INDEXED_PROPERTY = 0.2
const FOLLOWED = 0.5
/** Designations and properties that are copied for each supplement. */
const COPIED_IN_A_STEP = 100

/** An index over the concepts of a code system, created once per code system (see `conceptsOf`). */
export class Concepts {
  readonly system: CodeSystem
  /** The concept properties declared by the code system and its supplements. */
  readonly declared: readonly CodeSystemProperty[]
  readonly #nodes = new Map<string, Node>()
  /** Lower-case code -> code, for code systems that are not case-sensitive. */
  readonly #folded: ReadonlyMap<string, string> | undefined
  readonly #names: ReadonlyMap<string, string>
  readonly #meter = new Meter('the concepts of its code systems')

  /** @param supplements code systems that add designations and properties */
  constructor(system: CodeSystem, supplements: readonly CodeSystem[] = []) {
    this.system = system
    this.declared = [system, ...supplements].flatMap(({ property = [] }) => property)
    this.#names = new Map(
      this.declared.flatMap(({ code, uri = '' }) =>
        code !== undefined && uri.startsWith(PROPERTIES) ? [[code, uri.slice(PROPERTIES.length)]] : [],
      ),
    )
    this.#addTree(system.concept ?? [])
    for (const supplement of supplements) this.#supplement(conceptsOf(supplement))
    this.#linkByProperties()
    this.#folded =
      system.caseSensitive === false
        ? new Map([...this.#nodes.keys()].map((code) => [code.toLowerCase(), code]))
        : undefined
  }

  /** Whether all codes are here, so that any other code is invalid; false for fragments and the like. */
  get isComplete(): boolean {
    return this.system.content === 'complete'
  }

  get size(): number {
    return this.#nodes.size
  }

  find(code: string): Concept | undefined {
    const written = this.#folded?.get(code.toLowerCase()) ?? code
    const node = this.#nodes.get(written)
    return node === undefined ? undefined : this.#conceptOf(written, node)
  }

  /** In order of definition. */
  *all(): Generator<Concept> {
    for (const [code, node] of this.#nodes) yield this.#conceptOf(code, node)
  }

  /** The standard name of a property in R4, whatever its code in this system: `status`, `notSelectable`. */
  nameOf(property: string | undefined): string {
    return property === undefined ? '' : (this.#names.get(property) ?? property)
  }

  propertiesOf({ definition }: Concept, name: string): readonly CodeSystemConceptProperty[] {
    return (definition.property ?? []).filter(({ code }) => code === name || this.nameOf(code) === name)
  }

  /** Excluding the concept itself; empty for an unknown code. */
  ancestorsOf(code: string): ReadonlySet<string> {
    return this.#reachedFrom(code, ({ parents }) => parents)
  }

  /** Excluding the concept itself; empty for an unknown code. */
  descendantsOf(code: string): ReadonlySet<string> {
    return this.#reachedFrom(code, ({ children }) => children)
  }

  #reachedFrom(code: string, next: (concept: Concept) => readonly string[]): ReadonlySet<string> {
    const reached = new Set<string>()
    const start = this.find(code)
    const waiting = start === undefined ? [] : [...next(start)].reverse()
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      this.#meter.pay(FOLLOWED)
      const concept = reached.has(at) || at === start?.code ? undefined : this.find(at)
      if (concept === undefined) continue
      reached.add(at)
      waiting.push(...[...next(concept)].reverse())
    }
    return reached
  }

  /**
   * Iterative, as an uploaded code system may be nested arbitrarily deep. A concept without a code is left out; those below
   * it are below the one above it.
   */
  #addTree(roots: readonly CodeSystemConcept[]): void {
    const waiting = [...roots].reverse().map((definition) => ({ definition, parent: undefined as string | undefined }))
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const { definition, parent } = at
      this.#meter.pay(INDEXED + INDEXED_PROPERTY * (definition.property?.length ?? 0))
      const { code } = definition
      if (code !== undefined) this.#nodes.set(code, this.#nodes.get(code) ?? newNode(definition))
      if (code !== undefined && parent !== undefined) this.#link(parent, code)
      for (const child of [...(definition.concept ?? [])].reverse())
        waiting.push({ definition: child, parent: code ?? parent })
    }
  }

  #supplement(others: Concepts): void {
    for (const { code, definition: added } of others.all()) {
      this.#meter.pay(INDEXED)
      const node = this.#nodes.get(code)
      if (node === undefined) continue
      const { definition } = node
      const designation = [...(definition.designation ?? []), ...(added.designation ?? [])]
      const property = [...(definition.property ?? []), ...(added.property ?? [])]
      this.#meter.pay((designation.length + property.length) / COPIED_IN_A_STEP)
      this.#nodes.set(code, { ...node, definition: { ...definition, designation, property } })
    }
  }

  #linkByProperties(): void {
    for (const [code, { definition }] of this.#nodes) {
      for (const property of definition.property ?? []) {
        const name = this.nameOf(property.code)
        const other = propertyText(property)
        if (name === 'parent') this.#link(other, code)
        if (name === 'child') this.#link(code, other)
      }
    }
  }

  #link(parent: string, child: string): void {
    const above = this.#nodes.get(parent)
    const below = this.#nodes.get(child)
    if (above === undefined || below === undefined) return
    above.children.add(child)
    below.parents.add(parent)
  }

  #conceptOf(code: string, node: Node): Concept {
    node.concept ??= this.#makeConcept(code, node)
    return node.concept
  }

  #makeConcept(code: string, { definition, parents, children }: Node): Concept {
    const has = (name: string, ...values: readonly string[]): boolean =>
      (definition.property ?? []).some(
        (property) => this.nameOf(property.code) === name && values.includes(propertyText(property)),
      )
    return {
      code,
      definition,
      parents: [...parents],
      children: [...children],
      isAbstract: has('notSelectable', 'true'),
      isInactive: has('inactive', 'true') || has('status', 'retired', 'inactive'),
    }
  }
}

/** The value of a property as text, for comparison. */
export function propertyText(property: CodeSystemConceptProperty): string {
  const { valueCode, valueString, valueInteger, valueBoolean, valueDateTime, valueDecimal, valueCoding } = property
  const value =
    valueCode ?? valueString ?? valueInteger ?? valueBoolean ?? valueDateTime ?? valueDecimal ?? valueCoding?.code
  return value === undefined ? '' : String(value)
}

/** The concepts of a code system, with a cache. */
export const conceptsOf: (system: CodeSystem) => Concepts = oncePer((system: CodeSystem) => new Concepts(system))
