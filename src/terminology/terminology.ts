/**
 * Access to code systems, value sets and concept maps by canonical; those of the clinic take precedence. Also with the code
 * system supplements (https://hl7.org/fhir/R4/codesystem.html#supplements) and with the versions that a request names
 * (system-version and the like, https://hl7.org/fhir/R4/valueset-operation-expand.html).
 */

import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { canonicalOf, canonicalText, newest } from './canonical.ts'
import { Concepts, conceptsOf } from './concepts.ts'
import { unknownCanonical } from './member.ts'
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

const NAMED_BY_VALUE_SET = 'http://hl7.org/fhir/StructureDefinition/valueset-supplement'

/** The supplements that a value set requires. */
export const supplementsOf = ({ extension = [] }: ValueSet): readonly string[] =>
  extension.flatMap(({ url, valueCanonical }) =>
    url === NAMED_BY_VALUE_SET && valueCanonical !== undefined ? [valueCanonical] : [],
  )

/**
 * The terminology with the supplements applied to its code systems.
 * @throws FhirError 404 naming a supplement that is not available
 */
export function withSupplements(terminology: Terminology, canonicals: readonly string[]): Terminology {
  if (canonicals.length === 0) return terminology
  const named = canonicals.map((canonical) => {
    const found = terminology.supplement(canonical)
    if (found === undefined) throw unknownCanonical('supplement', canonical)
    return found
  })
  const supplements = [...new Set(named)]
  const cache = new Map<CodeSystem, Concepts>()
  const codeSystem = (canonical: string): Concepts | undefined => {
    const found = terminology.codeSystem(canonical)
    const applicable = supplements.filter((supplement) => found !== undefined && isFor(supplement, found.system))
    if (found === undefined || applicable.length === 0) return found
    const known = cache.get(found.system) ?? new Concepts(found.system, applicable)
    cache.set(found.system, known)
    return known
  }
  return { ...terminology, codeSystem }
}

function isFor({ supplements = '' }: CodeSystem, { url, version }: CodeSystem): boolean {
  const target = canonicalOf(supplements)
  return target.url === url && (target.version === undefined || target.version === version)
}

export interface SystemVersions {
  /** Versions to use when none is specified (system-version). */
  readonly assumed?: readonly string[]
  /** Versions that are required: another one is an error (check-system-version). */
  readonly checked?: readonly string[]
  /** Versions that override any other (force-system-version). */
  readonly forced?: readonly string[]
}

/**
 * The terminology with these code system versions, canonicals as `url|version`. Looking up a code system of another
 * version than is required throws a FhirError 422.
 */
export function withVersions(terminology: Terminology, versions: SystemVersions): Terminology {
  const [assumed, checked, forced] = [versions.assumed, versions.checked, versions.forced].map(byUrl)
  if (assumed?.size === 0 && checked?.size === 0 && forced?.size === 0) return terminology
  const codeSystem = (canonical: string): Concepts | undefined => {
    const { url, version } = canonicalOf(canonical)
    const chosen = forced?.get(url) ?? version ?? assumed?.get(url)
    const found = terminology.codeSystem(canonicalText({ url, version: chosen }))
    check(url, chosen ?? found?.system.version, checked?.get(url))
    return found
  }
  return { ...terminology, codeSystem }
}

function byUrl(canonicals: readonly string[] = []): ReadonlyMap<string, string> {
  return new Map(
    canonicals.map(canonicalOf).flatMap(({ url, version }) => (version === undefined ? [] : [[url, version]])),
  )
}

function check(url: string, used: string | undefined, expected: string | undefined): void {
  if (expected === undefined || used === expected) return
  throw new FhirError(422, {
    code: 'business-rule',
    diagnostics: `check-system-version requires version ${expected} of ${url}, but the value set uses ${used ?? 'one without a version'}`,
  })
}
