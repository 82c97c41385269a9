/** Access to code systems, value sets and concept maps by canonical; those of the clinic take precedence. */
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { canonicalOf, newest } from './canonical.ts'
import { type Concepts, conceptsOf } from './concepts.ts'
import { packaged, packagedCanonicals, type Terms, type TermsType } from './packaged.ts'

export interface Terminology {
  /** By `url` or `url|version`; supplements are excluded. Undefined when it is not available in that version. */
  readonly codeSystem: (canonical: string) => Concepts | undefined
  /** By `url`, `url|version`, or `ValueSet/id` for one that was requested so. */
  readonly valueSet: (canonical: string) => ValueSet | undefined
  readonly conceptMap: (canonical: string) => ConceptMap | undefined
  /** All concept maps; one of the clinic hides those of the packages with the same url. */
  readonly conceptMaps: () => readonly ConceptMap[]
  /** Code system supplements, by `url` or `url|version`. */
  readonly supplement: (canonical: string) => CodeSystem | undefined
}

type AnyTerms = CodeSystem | ValueSet | ConceptMap

/** The terminology resources of a clinic by type and url, with all versions. */
export class StoredTerms {
  readonly #byKey = new Map<string, AnyTerms[]>()

  /** @param key the url, or the `Type/id` by which it was requested */
  add(resource: AnyTerms, key: string | undefined = resource.url): void {
    if (key === undefined) return
    const list = this.#listOf(resource.resourceType, key)
    if (!list.includes(resource)) list.push(resource)
  }

  versions<Type extends TermsType>(type: Type, url: string): readonly Terms[Type][] {
    return (this.#byKey.get(`${type} ${url}`) ?? []) as Terms[Type][]
  }

  all<Type extends TermsType>(type: Type): readonly Terms[Type][] {
    return [...this.#byKey.values()].flat().filter(({ resourceType }) => resourceType === type) as Terms[Type][]
  }

  #listOf(type: string, url: string): AnyTerms[] {
    const key = `${type} ${url}`
    const list = this.#byKey.get(key) ?? []
    this.#byKey.set(key, list)
    return list
  }
}

const isSupplement = (resource: AnyTerms): boolean => 'content' in resource && resource.content === 'supplement'

/** The terminology of a clinic: its stored resources, then those of the packages. */
export function terminologyOf(stored: StoredTerms = new StoredTerms()): Terminology {
  // A code system is looked up with every code, and a clinic may have stored very many versions of it.
  const chosen = new Map<string, AnyTerms | undefined>()
  const findStored = (type: TermsType, canonical: string, supplement: boolean): AnyTerms | undefined => {
    const { url, version } = canonicalOf(canonical)
    const versions = stored.versions(type, url)
    if (versions.length === 0) return undefined
    const key = `${type} ${supplement} ${canonical}`
    if (chosen.has(key)) return chosen.get(key)
    const own = versions.filter((one) => isSupplement(one) === supplement)
    const found = newest(version === undefined ? own : own.filter((one) => one.version === version))
    chosen.set(key, found)
    return found
  }
  const find = <Type extends TermsType>(type: Type, canonical: string, supplement = false): Terms[Type] | undefined => {
    const found = findStored(type, canonical, supplement)
    if (found !== undefined) return found as Terms[Type]
    const fromPackage = packaged(type, canonicalOf(canonical))
    return fromPackage !== undefined && isSupplement(fromPackage) === supplement ? fromPackage : undefined
  }
  return {
    codeSystem: (canonical) => {
      const system = find('CodeSystem', canonical)
      return system && conceptsOf(system)
    },
    valueSet: (canonical) => find('ValueSet', canonical),
    conceptMap: (canonical) => find('ConceptMap', canonical),
    conceptMaps: () => allConceptMaps(stored),
    supplement: (canonical) => find('CodeSystem', canonical, true),
  }
}

function allConceptMaps(stored: StoredTerms): readonly ConceptMap[] {
  const own = stored.all('ConceptMap')
  const urls = new Set(own.map(({ url }) => url))
  const others = packagedCanonicals('ConceptMap').filter(({ url }) => !urls.has(url))
  return [...own, ...others.flatMap((canonical) => packaged('ConceptMap', canonical) ?? [])]
}

/** The packages only, for checks that need no access to the store. */
export const packagedTerminology: Terminology = terminologyOf()
