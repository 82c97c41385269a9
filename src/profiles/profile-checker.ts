/** Traverses a resource along a profile and reports what violates it: https://hl7.org/fhir/R4/profiling.html. */

import { elementsByName } from '../fhir/definitions.ts'
import { countWork } from '../fhir/fhirpath/limits.ts'
import { isObject } from '../fhir/resource.ts'
import { type Finding, Findings, quoted } from './findings.ts'
import type { Invariant, InvariantScope } from './invariant.ts'
import { type KnownDefinitions, UNREAD } from './known-definitions.ts'
import type { Profile } from './profile.ts'
import type { BindingRule, Discriminator, Shape, TypeRule } from './shape.ts'
import { type CheckContext, describeDiscriminators, discriminatorsOf, isInSlice, misplacedItems } from './slices.ts'
import { childElements, hasTypeCode, isA, type TypedElement, targetOf } from './typed-element.ts'
import { checkBinding, extensibleMessage, fits, formatCodes, hasOnlyExtensions, isEqual, order } from './values.ts'

/** The cost of visiting an element, in items of an expression. */
const STEP_COST = 10
/** Nesting of elements and of the profiles they are checked against. */
const MAX_DEPTH = 100

/** The check has exceeded its limit of work. */
export class WorkLimitExceeded extends Error {}

export class ProfileChecker implements CheckContext {
  readonly definitions: KnownDefinitions
  readonly #scope: InvariantScope
  #findings: Findings
  #profile: Profile | undefined
  #depth = 0

  constructor(definitions: KnownDefinitions, findings: Findings, scope: InvariantScope) {
    this.definitions = definitions
    this.#findings = findings
    this.#scope = scope
  }

  get isOver(): boolean {
    return this.#findings.full
  }

  /** Counts the work of visiting an element. @throws WorkLimitExceeded, BudgetError */
  step(): void {
    countWork(this.#scope.limits, STEP_COST)
    if (this.#scope.limits.left < 0) throw new WorkLimitExceeded()
  }

  /** Reports how the item violates the profile. @throws WorkLimitExceeded */
  check(item: TypedElement, profile: Profile): void {
    const outer = this.#profile
    this.#profile = profile
    if (isA(item.type, profile.type)) this.#item(profile.root, item)
    else this.#add('structure', item.path, `is a ${item.type}, but the profile is one of ${profile.type}`)
    this.#profile = outer
  }

  /**
   * Whether the item conforms to any of the profiles; reports no issues, and unknown profiles count as met.
   * @throws WorkLimitExceeded
   */
  conforms(item: TypedElement, profiles: readonly string[]): boolean {
    return profiles.some((canonical) => {
      const found = this.definitions.find(canonical)
      if (found.kind === 'type') return isA(item.type, found.type)
      return found.kind !== 'profile' || this.#conformsTo(item, found.profile)
    })
  }

  #conformsTo(item: TypedElement, profile: Profile): boolean {
    const outer = this.#findings
    const trial = Findings.firstErrorOnly()
    this.#findings = trial
    this.check(item, profile)
    this.#findings = outer
    return !trial.hasErrors
  }

  /** `message` continues a sentence that begins with the path. */
  #add(code: Finding['code'], path: string, message: string, severity: Finding['severity'] = 'error'): void {
    const by = this.#profile === undefined ? '' : ` (${this.#profile.canonical})`
    this.#findings.add({ code, path, message: `${message}${by}`, severity })
  }

  #item(shape: Shape, item: TypedElement): void {
    this.step()
    if (this.isOver) return
    if (this.#depth >= MAX_DEPTH) {
      this.#add('too-costly', item.path, `is nested too deeply: only ${MAX_DEPTH} levels are checked`)
      return
    }
    this.#depth++
    this.#types(shape, item)
    this.#value(shape, item)
    for (const binding of shape.bindings) this.#binding(binding, item)
    for (const invariant of shape.invariants) this.#invariant(invariant, item)
    this.#children(shape, item)
    this.#depth--
  }

  #children(shape: Shape, item: TypedElement): void {
    if (shape.children.size === 0) return
    for (const child of shape.children.values()) this.#element(child, item)
    // Recursive elements, such as the items of a Questionnaire (contentReference): the rules apply at every level.
    if (!item.type.includes('.')) return
    for (const { name, properties } of elementsByName(item.type).values()) {
      if (properties.get(name) !== item.type || shape.children.has(name)) continue
      for (const inner of childElements(item, name)) this.#item(shape, inner)
    }
  }

  #element(shape: Shape, holder: TypedElement): void {
    this.step()
    if (this.isOver) return
    const items = childElements(holder, shape.name)
    const path = `${holder.path}.${shape.name}`
    this.#count(shape, items.length, path, '')
    if (shape.slices.size > 0 || shape.slicing?.rules === 'closed') this.#slices(shape, items, path)
    for (const item of items) this.#item(shape, item)
  }

  #count({ min, max }: Shape, count: number, path: string, what: string): void {
    if (count < min) {
      const message =
        count === 0 ? `is missing${what}; there must be` : `is given ${count} times${what}, but there must be`
      this.#add('required', path, `${message} at least ${min}`)
    }
    if (count <= max) return
    const message =
      max === 0 ? `must not be present${what}` : `is given ${count} times${what}, but there may be ${max} at most`
    this.#add('structure', path, message)
  }

  #slices(shape: Shape, items: readonly TypedElement[], path: string): void {
    const by = discriminatorsOf(shape)
    const undecided = new Set<Shape>()
    const slices = items.map((item) => this.#sliceOf(shape, by, item, undecided))
    const itemsOf = Map.groupBy(items, (_item, index) => slices[index])
    for (const slice of shape.slices.values()) {
      const own = itemsOf.get(slice) ?? []
      if (undecided.has(slice)) this.#undecided(slice, path)
      else this.#count(slice, own.length, path, ` in the slice ${slice.sliceName}${describeDiscriminators(slice, by)}`)
      for (const item of own) this.#item(slice, item)
    }
    // Without known slices there is no order to check.
    if (undecided.size > 0) return
    for (const { item, message } of misplacedItems(shape, items, slices)) this.#add('structure', item.path, message)
  }

  #sliceOf(shape: Shape, by: readonly Discriminator[], item: TypedElement, undecided: Set<Shape>): Shape | undefined {
    for (const slice of shape.slices.values()) {
      if (slice.sliceName === '@default') continue
      const isIn = isInSlice(slice, by, item, this)
      if (isIn === true) return slice
      if (isIn === undefined) undecided.add(slice)
    }
    return shape.slices.get('@default')
  }

  #undecided({ sliceName }: Shape, path: string): void {
    const message = `has the slice ${sliceName}, which its discriminators do not tell from others; it is not checked`
    this.#add('incomplete', path, message, 'information')
  }

  #types({ types, id }: Shape, item: TypedElement): void {
    if (types === undefined || !id.includes('.')) return
    const rules = types.filter(({ code }) => hasTypeCode(item.type, code))
    if (rules.length === 0) {
      const allowed = [...new Set(types.map(({ code }) => code))].join(' or ')
      this.#add('structure', item.path, `is a ${item.type}, but must be ${allowed}`)
      return
    }
    const profiles = rules.flatMap((rule) => rule.profiles)
    if (profiles.length > 0 && rules.every((rule) => rule.profiles.length > 0)) this.#profiles(item, profiles)
    if (item.type === 'Reference') this.#targets(item, rules)
  }

  #profiles(item: TypedElement, profiles: readonly string[]): void {
    const [only = ''] = profiles
    const found = profiles.length === 1 ? this.definitions.find(only) : undefined
    if (found?.kind === 'unknown' && item.type !== 'Extension') this.#unknown(item, only)
    else if (found?.kind === 'unread')
      this.#add('too-costly', item.path, `must conform to ${only}, ${UNREAD}`, 'warning')
    else if (found?.kind === 'profile') this.check(item, found.profile)
    else if (!this.conforms(item, profiles))
      this.#add('structure', item.path, `conforms to none of the profiles ${profiles.join(', ')}`)
  }

  #unknown({ path }: TypedElement, canonical: string): void {
    const message = `must conform to the profile ${canonical}, which is neither stored in this clinic nor part of R4; this is not checked`
    this.#add('not-found', path, message, 'warning')
  }

  #targets(item: TypedElement, rules: readonly TypeRule[]): void {
    const allowed = rules.flatMap(({ targets }) => targets)
    const target = targetOf(item)
    if (allowed.length === 0 || target?.type === undefined) return
    const { type, item: resource } = target
    if (resource === undefined ? allowed.some((one) => this.#mayBe(type, one)) : this.conforms(resource, allowed))
      return
    const what = resource === undefined ? `a ${type}` : `a ${type} that does not conform to the profile`
    this.#add('structure', item.path, `refers to ${what}, but must refer to ${allowed.join(' or ')}`)
  }

  /** Only the type is checked when the resource is not available. */
  #mayBe(type: string, canonical: string): boolean {
    const found = this.definitions.find(canonical)
    if (found.kind === 'type') return isA(type, found.type)
    return found.kind !== 'profile' || isA(type, found.profile.type)
  }

  #value({ fixed, pattern, maxLength, minValue, maxValue }: Shape, { value, path }: TypedElement): void {
    if (fixed !== undefined && !isEqual(value, fixed)) this.#add('value', path, `must be exactly ${quoted(fixed)}`)
    if (pattern !== undefined && !fits(value, pattern)) this.#add('value', path, `must contain ${quoted(pattern)}`)
    if (maxLength !== undefined && typeof value === 'string' && value.length > maxLength)
      this.#add('too-long', path, `has ${value.length} characters; the maximum is ${maxLength}`)
    if (minValue !== undefined && Number(order(value, minValue)) < 0)
      this.#add('value', path, `must not be less than ${quoted(minValue)}`)
    if (maxValue !== undefined && Number(order(value, maxValue)) > 0)
      this.#add('value', path, `must not be more than ${quoted(maxValue)}`)
  }

  #binding({ strength, valueSet }: BindingRule, item: TypedElement): void {
    if (hasOnlyExtensions(item) || (!isObject(item.value) && typeof item.value !== 'string')) return
    const found = checkBinding(item, valueSet, this.definitions)
    if (found === undefined || found.kind === 'in') return
    if (found.kind === 'unknown') {
      const severity = strength === 'required' ? 'warning' : 'information'
      this.#add('not-found', item.path, `cannot be compared with the value set ${valueSet}: ${found.why}`, severity)
      return
    }
    if (strength === 'required')
      this.#add('code-invalid', item.path, `has ${formatCodes(item)}, but must have a code of ${valueSet}`)
    else this.#add('code-invalid', item.path, extensibleMessage(item, valueSet), 'warning')
  }

  #invariant(invariant: Invariant, item: TypedElement): void {
    const { key, human, expression, severity } = invariant
    const found = invariant.evaluate(item, this.#scope)
    if (this.#scope.limits.left < 0) throw new WorkLimitExceeded()
    if (found.kind === 'violated')
      this.#add('invariant', item.path, `breaks ${key}: ${human} (FHIRPath: ${expression})`, severity)
    if (found.kind === 'unknown')
      this.#add('processing', item.path, `cannot be compared with the rule ${key}: ${found.why}`, 'warning')
  }
}
