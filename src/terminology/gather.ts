/**
 * Loads the terminology that a request needs: the code systems, value sets and concept maps that it names, and those
 * that these refer to, from the clinic's store. Other definitions come from the packages. The rules then need no I/O.
 */
import type { ValueSet } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { valuesIn } from '../fhir/resource.ts'
import { Meter } from '../isolation/budget.ts'
import { canonicalOf } from './canonical.ts'
import { packaged, type Terms, type TermsType } from './packaged.ts'
import { StoredTerms, supplementsOf, type Terminology, terminologyOf } from './terminology.ts'

/** Terminology to load, as `url`, `url|version` or `ValueSet/id`. */
export interface TermRequest {
  readonly codeSystems?: readonly string[]
  readonly valueSets?: readonly string[]
  readonly conceptMaps?: readonly string[]
  /** Resources in the request or read by id; they take precedence over stored ones with the same url. */
  readonly given?: readonly Terms[TermsType][]
}

/** Finds every stored version of each key, which is a url or `Type/id`. */
export type FindTerms = <Type extends TermsType>(type: Type, keys: readonly string[]) => Promise<readonly Terms[Type][]>

/** The maximum number of code systems, value sets and concept maps per request. */
const MAX_LOOKUPS = 1000
/** Steps for a canonical, and for an include or a group that may hold one. */
const REFERENCE = 0.5
const PART = 0.2

/** @throws FhirError 422 when the request refers to too many definitions */
export async function gather(find: FindTerms, requested: TermRequest): Promise<Terminology> {
  const gathering = new Gathering(find, requested.given ?? [])
  for (const resource of requested.given ?? []) gathering.add(resource)
  gathering.request('CodeSystem', requested.codeSystems ?? [])
  gathering.request('ValueSet', requested.valueSets ?? [])
  gathering.request('ConceptMap', requested.conceptMaps ?? [])
  return gathering.run()
}

class Gathering {
  readonly #find: FindTerms
  readonly #terms = new StoredTerms()
  readonly #given: ReadonlySet<string>
  readonly #requested = new Set<string>()
  readonly #meter = new Meter('the definitions that its value sets refer to')
  #pending = new Map<TermsType, Set<string>>()

  constructor(find: FindTerms, given: readonly Terms[TermsType][]) {
    this.#find = find
    this.#given = new Set(given.map(({ resourceType, url }) => `${resourceType} ${url}`))
  }

  async run(): Promise<Terminology> {
    while (this.#pending.size > 0) {
      const pending = this.#pending
      this.#pending = new Map()
      await Promise.all([...pending].map(([type, keys]) => this.#load(type, [...keys])))
    }
    return terminologyOf(this.#terms)
  }

  request(type: TermsType, canonicals: readonly string[]): void {
    for (const canonical of canonicals) {
      this.#meter.pay(REFERENCE)
      const { url } = canonicalOf(canonical)
      const key = `${type} ${url}`
      if (this.#requested.has(key) || url === '') continue
      this.#requested.add(key)
      if (this.#requested.size > MAX_LOOKUPS) throw tooMuch()
      const list = this.#pending.get(type) ?? new Set()
      this.#pending.set(type, list.add(url))
    }
  }

  add(resource: Terms[TermsType], key?: string): void {
    this.#terms.add(resource, key)
    if (resource.resourceType === 'ValueSet') this.#follow(resource)
    if (resource.resourceType === 'ConceptMap')
      this.request(
        'ConceptMap',
        (resource.group ?? []).flatMap(({ unmapped }) => unmapped?.url ?? []),
      )
  }

  async #load(type: TermsType, keys: readonly string[]): Promise<void> {
    const notGiven = keys.filter((key) => !this.#given.has(`${type} ${key}`))
    for (const resource of await this.#find(type, notGiven)) {
      this.add(resource)
      const address = `${type}/${resource.id}`
      if (keys.includes(address)) this.add(resource, address)
    }
    // A value set of a package may refer to code systems of the clinic.
    for (const url of type === 'ValueSet' ? keys : []) {
      const fromPackage = packaged('ValueSet', { url })
      if (fromPackage !== undefined) this.#follow(fromPackage)
    }
  }

  #follow(valueSet: ValueSet): void {
    const { include = [], exclude = [] } = valueSet.compose ?? {}
    for (const { system, valueSet: imported } of [...include, ...exclude]) {
      this.#meter.pay(PART)
      this.request('CodeSystem', system === undefined ? [] : [system])
      this.request('ValueSet', valuesIn(imported))
    }
    this.request('CodeSystem', supplementsOf(valueSet))
  }
}

const tooMuch = (): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The request refers to more than ${MAX_LOOKUPS} code systems, value sets and concept maps`,
  })
