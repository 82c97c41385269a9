/**
 * Brings together what a question needs: what the clinic has stored of the code systems, value sets and concept maps
 * that it names, and of those that these draw on; the packages stand behind. The rules then work on it at once.
 */
import type { ValueSet } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { canonicalOf } from './canonical.ts'
import { packaged, type Terms, type TermsType } from './packaged.ts'
import { supplementsOf } from './supplements.ts'
import { HeldTerms, type Terminology, terminologyOf } from './terminology.ts'

/** What a question names, as `url`, `url|version` or, for a resource by its address, `ValueSet/id`. */
export interface Asked {
  readonly codeSystems?: readonly string[]
  readonly valueSets?: readonly string[]
  readonly conceptMaps?: readonly string[]
  /** What came with the request, or was read by its id: it goes before what is stored under the same url. */
  readonly given?: readonly Terms[TermsType][]
}

/** Every version that the clinic has of each; by url, or by `Type/id`. */
export type FindTerms = <Type extends TermsType>(type: Type, keys: readonly string[]) => Promise<readonly Terms[Type][]>

/** Code systems, value sets and maps looked for, for one question. */
const MAX_LOOKUPS = 1000

/** @throws FhirError 422 when the question leads to more than it may */
export async function gather(find: FindTerms, asked: Asked): Promise<Terminology> {
  const gathering = new Gathering(find, asked.given ?? [])
  for (const resource of asked.given ?? []) gathering.add(resource)
  gathering.want('CodeSystem', asked.codeSystems ?? [])
  gathering.want('ValueSet', asked.valueSets ?? [])
  gathering.want('ConceptMap', asked.conceptMaps ?? [])
  return gathering.run()
}

class Gathering {
  readonly #find: FindTerms
  readonly #held = new HeldTerms()
  readonly #given: ReadonlySet<string>
  readonly #looked = new Set<string>()
  #wanted = new Map<TermsType, Set<string>>()

  constructor(find: FindTerms, given: readonly Terms[TermsType][]) {
    this.#find = find
    this.#given = new Set(given.map(({ resourceType, url }) => `${resourceType} ${url}`))
  }

  async run(): Promise<Terminology> {
    while (this.#wanted.size > 0) {
      const wanted = this.#wanted
      this.#wanted = new Map()
      await Promise.all([...wanted].map(([type, keys]) => this.#look(type, [...keys])))
    }
    return terminologyOf(this.#held)
  }

  want(type: TermsType, canonicals: readonly string[]): void {
    for (const canonical of canonicals) {
      const { url } = canonicalOf(canonical)
      const key = `${type} ${url}`
      if (this.#looked.has(key) || url === '') continue
      this.#looked.add(key)
      if (this.#looked.size > MAX_LOOKUPS) throw tooMuch()
      const list = this.#wanted.get(type) ?? new Set()
      this.#wanted.set(type, list.add(url))
    }
  }

  add(resource: Terms[TermsType], key?: string): void {
    this.#held.add(resource, key)
    if (resource.resourceType === 'ValueSet') this.#follow(resource)
    if (resource.resourceType === 'ConceptMap')
      this.want(
        'ConceptMap',
        (resource.group ?? []).flatMap(({ unmapped }) => unmapped?.url ?? []),
      )
  }

  async #look(type: TermsType, keys: readonly string[]): Promise<void> {
    const sought = keys.filter((key) => !this.#given.has(`${type} ${key}`))
    for (const resource of await this.#find(type, sought)) {
      this.add(resource)
      const address = `${type}/${resource.id}`
      if (keys.includes(address)) this.add(resource, address)
    }
    // A package's value set may draw on code systems of the clinic.
    for (const url of type === 'ValueSet' ? keys : []) {
      const shared = packaged('ValueSet', { url })
      if (shared !== undefined) this.#follow(shared)
    }
  }

  #follow(valueSet: ValueSet): void {
    const { include = [], exclude = [] } = valueSet.compose ?? {}
    for (const { system, valueSet: imported = [] } of [...include, ...exclude]) {
      this.want('CodeSystem', system === undefined ? [] : [system])
      this.want('ValueSet', imported)
    }
    this.want('CodeSystem', supplementsOf(valueSet))
  }
}

const tooMuch = (): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The question leads to more than ${MAX_LOOKUPS} code systems, value sets and concept maps`,
  })
