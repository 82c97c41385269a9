/**
 * The profiles and value sets loaded for a check. Those that the check looks up but that are not loaded yet are
 * recorded as pending, to be loaded before the check is repeated: so only definitions that matter for the resource are
 * read.
 */
import type { Issue } from '../fhir/outcome.ts'
import { FhirError } from '../fhir/outcome.ts'
import { type BindingAnswer, type BoundCode, isInValueSet } from '../terminology/binding.ts'
import { packagedTerminology, type Terminology } from '../terminology/terminology.ts'
import type { Profile } from './profile.ts'
import { coreType } from './typed-element.ts'

export type Found =
  | { readonly kind: 'profile'; readonly profile: Profile }
  /** A type of R4 itself. */
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'unknown' }
  /** Not loaded yet; the check will be repeated. */
  | { readonly kind: 'pending' }

export class KnownDefinitions {
  readonly #profiles = new Map<string, Profile | undefined>()
  readonly #valueSets = new Set<string>()
  #terminology: Terminology = packagedTerminology
  readonly pendingProfiles = new Set<string>()
  readonly pendingValueSets = new Set<string>()
  /** No more definitions will be loaded: those missing are unknown. */
  isFinal = false

  get isComplete(): boolean {
    return this.pendingProfiles.size === 0 && this.pendingValueSets.size === 0
  }

  get valueSets(): readonly string[] {
    return [...this.#valueSets]
  }

  find(canonical: string): Found {
    const type = coreType(canonical)
    if (type !== undefined) return { kind: 'type', type }
    const profile = this.#profiles.get(canonical)
    if (profile !== undefined) return { kind: 'profile', profile }
    if (this.isFinal || this.#profiles.has(canonical)) return { kind: 'unknown' }
    this.pendingProfiles.add(canonical)
    return { kind: 'pending' }
  }

  /** Whether the value set has the code. Undefined while the value set is not loaded yet. */
  isIn(valueSet: string, code: BoundCode): BindingAnswer | undefined {
    if (!this.isFinal && !this.#valueSets.has(valueSet)) {
      this.pendingValueSets.add(valueSet)
      return undefined
    }
    try {
      return isInValueSet(this.#terminology, valueSet, code)
    } catch (error) {
      if (error instanceof FhirError) return { isIn: 'unknown', why: firstOf(error.issues) }
      throw error
    }
  }

  /** Adds a pending profile, or undefined when it does not exist. */
  addProfile(canonical: string, profile: Profile | undefined): void {
    this.pendingProfiles.delete(canonical)
    this.#profiles.set(canonical, profile)
  }

  /** Sets a terminology that has all of `valueSets`, as far as they exist. */
  setTerminology(terminology: Terminology, valueSets: readonly string[]): void {
    this.#terminology = terminology
    for (const canonical of valueSets) {
      this.pendingValueSets.delete(canonical)
      this.#valueSets.add(canonical)
    }
  }
}

const firstOf = ([issue]: readonly Issue[]): string => issue?.diagnostics ?? 'its codes cannot be determined'
