/**
 * The profiles and value sets loaded for a check. Definitions that the check needs but that are not loaded yet are
 * recorded as pending, to be loaded before the check is repeated: so only definitions that matter for the resource are
 * read.
 */
import { FhirError, type Issue } from '../fhir/outcome.ts'
import type { TermRequest } from '../terminology/gather.ts'
import type { Code, Membership } from '../terminology/member.ts'
import { systemMembership } from '../terminology/system-part.ts'
import { packagedTerminology, type Terminology } from '../terminology/terminology.ts'
import { type BindingAnswer, type BoundCode, isInValueSet } from '../terminology/value-set.ts'
import type { Profile } from './profile.ts'
import { coreType } from './typed-element.ts'

export type Found =
  | { readonly kind: 'profile'; readonly profile: Profile }
  /** A type of R4 itself. */
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'unknown' }
  /** Not loaded yet; the check will be repeated. */
  | { readonly kind: 'pending' }
  /** Never loaded, so that its existence is unknown. */
  | { readonly kind: 'unread' }

/** The reason for an `unread` definition, for a message. */
export const UNREAD = 'which is not checked: too many definitions that name each other lead to it'

/** Most value sets that one check may load, and most code systems. */
const MAX_LOADED = 300

export class KnownDefinitions {
  readonly #profiles = new Map<string, Profile | undefined>()
  readonly #valueSets = new Set<string>()
  readonly #codeSystems = new Set<string>()
  #terminology: Terminology = packagedTerminology
  readonly pendingProfiles = new Set<string>()
  readonly pendingValueSets = new Set<string>()
  readonly pendingCodeSystems = new Set<string>()
  /** No more definitions will be loaded. */
  isFinal = false

  get isComplete(): boolean {
    return this.pendingProfiles.size === 0 && !this.needsTerms
  }

  get needsTerms(): boolean {
    return this.pendingValueSets.size > 0 || this.pendingCodeSystems.size > 0
  }

  /** The value sets and code systems that a terminology for the check must have, as far as they exist. */
  get terms(): Required<Pick<TermRequest, 'valueSets' | 'codeSystems'>> {
    return {
      valueSets: [...this.#valueSets, ...this.pendingValueSets],
      codeSystems: [...this.#codeSystems, ...this.pendingCodeSystems],
    }
  }

  find(canonical: string): Found {
    const type = coreType(canonical)
    if (type !== undefined) return { kind: 'type', type }
    const profile = this.#profiles.get(canonical)
    if (profile !== undefined) return { kind: 'profile', profile }
    if (this.#profiles.has(canonical)) return { kind: 'unknown' }
    if (this.isFinal) return { kind: 'unread' }
    this.pendingProfiles.add(canonical)
    return { kind: 'pending' }
  }

  /** Whether the value set has the code. Undefined while the value set is not loaded yet. */
  isIn(valueSet: string, code: BoundCode): BindingAnswer | undefined {
    if (!this.#valueSets.has(valueSet)) {
      if (this.isFinal || !request(valueSet, this.#valueSets, this.pendingValueSets))
        return { isIn: 'unknown', why: UNREAD_VALUE_SET }
      return undefined
    }
    try {
      return isInValueSet(this.#terminology, valueSet, code)
    } catch (error) {
      if (error instanceof FhirError) return { isIn: 'unknown', why: firstOf(error.issues) }
      throw error
    }
  }

  /** Whether its code system has the code. Undefined while the code system is not loaded yet, or never will be. */
  inSystem(code: Code): Membership | undefined {
    const { system } = code
    if (this.#codeSystems.has(system)) return systemMembership(this.#terminology, { system }, code)
    if (!this.isFinal) request(system, this.#codeSystems, this.pendingCodeSystems)
    return undefined
  }

  /** Adds a pending profile, or undefined when it does not exist. */
  addProfile(canonical: string, profile: Profile | undefined): void {
    this.pendingProfiles.delete(canonical)
    this.#profiles.set(canonical, profile)
  }

  /** Sets a terminology that has all of `terms`. */
  setTerminology(terminology: Terminology): void {
    this.#terminology = terminology
    moveAll(this.pendingValueSets, this.#valueSets)
    moveAll(this.pendingCodeSystems, this.#codeSystems)
  }
}

/** Adds a canonical to those to be loaded, unless that would be too many. */
function request(canonical: string, loaded: ReadonlySet<string>, pending: Set<string>): boolean {
  if (loaded.size + pending.size >= MAX_LOADED) return pending.has(canonical)
  pending.add(canonical)
  return true
}

function moveAll(from: Set<string>, to: Set<string>): void {
  for (const one of from) to.add(one)
  from.clear()
}

const UNREAD_VALUE_SET = `The check needs more definitions than it loads (${MAX_LOADED} value sets at most)`

const firstOf = ([issue]: readonly Issue[]): string => issue?.diagnostics ?? 'its codes cannot be determined'
