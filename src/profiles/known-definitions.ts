/**
 * The profiles and value sets that a check has at hand. It asks for those it meets; what is not here yet is noted, to be
 * read before the check is made again, so that of a hundred profiles in a package only those are read that count.
 */
import type { Issue } from '../fhir/outcome.ts'
import { FhirError } from '../fhir/outcome.ts'
import { type BindingAnswer, type BoundCode, isInValueSet } from '../terminology/binding.ts'
import { packagedTerminology, type Terminology } from '../terminology/terminology.ts'
import { coreType } from './item.ts'
import type { Profile } from './profile.ts'

export type Found =
  | { readonly is: 'profile'; readonly profile: Profile }
  /** A type of R4 itself. */
  | { readonly is: 'type'; readonly type: string }
  | { readonly is: 'unknown' }
  /** Not read yet: whatever the check finds now, it is made again. */
  | { readonly is: 'wanted' }

export class Knowledge {
  readonly #profiles = new Map<string, Profile | undefined>()
  readonly #valueSets = new Set<string>()
  #terminology: Terminology = packagedTerminology
  readonly wantedProfiles = new Set<string>()
  readonly wantedValueSets = new Set<string>()
  /** Nothing more is read: what is not here is unknown. */
  isFinal = false

  get isComplete(): boolean {
    return this.wantedProfiles.size === 0 && this.wantedValueSets.size === 0
  }

  get valueSets(): readonly string[] {
    return [...this.#valueSets]
  }

  find(canonical: string): Found {
    const type = coreType(canonical)
    if (type !== undefined) return { is: 'type', type }
    const profile = this.#profiles.get(canonical)
    if (profile !== undefined) return { is: 'profile', profile }
    if (this.isFinal || this.#profiles.has(canonical)) return { is: 'unknown' }
    this.wantedProfiles.add(canonical)
    return { is: 'wanted' }
  }

  /** Undefined while the value set is not read yet. */
  isIn(valueSet: string, code: BoundCode): BindingAnswer | undefined {
    if (!this.isFinal && !this.#valueSets.has(valueSet)) {
      this.wantedValueSets.add(valueSet)
      return undefined
    }
    try {
      return isInValueSet(this.#terminology, valueSet, code)
    } catch (error) {
      if (error instanceof FhirError) return { isIn: 'unknown', why: firstOf(error.issues) }
      throw error
    }
  }

  /** What was read of `wantedProfiles`; undefined: there is none. */
  addProfile(canonical: string, profile: Profile | undefined): void {
    this.wantedProfiles.delete(canonical)
    this.#profiles.set(canonical, profile)
  }

  /** The terminology has all of `valueSets`. */
  setTerminology(terminology: Terminology, valueSets: readonly string[]): void {
    this.#terminology = terminology
    for (const canonical of valueSets) {
      this.wantedValueSets.delete(canonical)
      this.#valueSets.add(canonical)
    }
  }
}

const firstOf = ([issue]: readonly Issue[]): string => issue?.diagnostics ?? 'it cannot be told'
