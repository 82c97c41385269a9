/** What the rules of terminology work on: code systems, value sets and concept maps by canonical, those of the clinic first. */
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { canonicalOf, newest } from './canonical.ts'
import { type Concepts, conceptsOf } from './concepts.ts'
import { packaged, packagedCanonicals, type Terms, type TermsType } from './packaged.ts'

export interface Terminology {
  /** By `url` or `url|version`; a supplement is no code system. Undefined when it is not held in that version. */
  readonly codeSystem: (canonical: string) => Concepts | undefined
  /** By `url`, `url|version` or, for what was read by its address, `ValueSet/id`. */
  readonly valueSet: (canonical: string) => ValueSet | undefined
  readonly conceptMap: (canonical: string) => ConceptMap | undefined
  /** Those that could translate: of the packages and of the clinic, which wins over a package of the same url. */
  readonly conceptMaps: () => readonly ConceptMap[]
  /** Code systems that add to others, by canonical. */
  readonly supplement: (canonical: string) => CodeSystem | undefined
}

type AnyTerms = CodeSystem | ValueSet | ConceptMap

/** Resources of a clinic by type and url: several where it holds several versions. */
export class HeldTerms {
  readonly #held = new Map<string, AnyTerms[]>()

  /** @param key the url, or the `Type/id` it was asked by */
  add(resource: AnyTerms, key: string | undefined = resource.url): void {
    if (key === undefined) return
    const held = this.#listOf(resource.resourceType, key)
    if (!held.includes(resource)) held.push(resource)
  }

  versions<Type extends TermsType>(type: Type, url: string): readonly Terms[Type][] {
    return (this.#held.get(`${type} ${url}`) ?? []) as Terms[Type][]
  }

  all<Type extends TermsType>(type: Type): readonly Terms[Type][] {
    return [...this.#held.values()].flat().filter(({ resourceType }) => resourceType === type) as Terms[Type][]
  }

  #listOf(type: string, url: string): AnyTerms[] {
    const key = `${type} ${url}`
    const held = this.#held.get(key) ?? []
    this.#held.set(key, held)
    return held
  }
}

/** Those of the packages, and before them what the clinic holds. */
export function terminologyOf(held: HeldTerms = new HeldTerms()): Terminology {
  const find = <Type extends TermsType>(
    type: Type,
    canonical: string,
    counts: (resource: Terms[Type]) => boolean = () => true,
  ): Terms[Type] | undefined => {
    const { url, version } = canonicalOf(canonical)
    const own = held.versions(type, url).filter(counts)
    const chosen = newest(version === undefined ? own : own.filter((one) => one.version === version))
    if (chosen !== undefined) return chosen
    const shared = packaged(type, { url, ...(version === undefined ? {} : { version }) })
    return shared !== undefined && counts(shared) ? shared : undefined
  }
  const isSupplement = ({ content }: CodeSystem): boolean => content === 'supplement'
  return {
    codeSystem: (canonical) => {
      const system = find('CodeSystem', canonical, (one) => !isSupplement(one))
      return system && conceptsOf(system)
    },
    valueSet: (canonical) => find('ValueSet', canonical),
    conceptMap: (canonical) => find('ConceptMap', canonical),
    conceptMaps: () => allConceptMaps(held),
    supplement: (canonical) => find('CodeSystem', canonical, isSupplement),
  }
}

function allConceptMaps(held: HeldTerms): readonly ConceptMap[] {
  const own = held.all('ConceptMap')
  const urls = new Set(own.map(({ url }) => url))
  const shared = packagedCanonicals('ConceptMap').filter(({ url }) => !urls.has(url))
  return [...own, ...shared.flatMap((canonical) => packaged('ConceptMap', canonical) ?? [])]
}

/** The packages alone: for what the server checks by itself, without a look into the store. */
export const packagedTerminology: Terminology = terminologyOf()
