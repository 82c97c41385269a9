/** Goes through a resource along a profile and notes what the profile does not allow: https://hl7.org/fhir/R4/profiling.html. */
import type { EvaluationLimits } from '../fhir/fhirpath/scope.ts'
import { isObject } from '../fhir/resource.ts'
import { besideExtensible, codesSaid, hasReasonForNone, membershipOf } from './codes.ts'
import { type Finding, Findings, quoted } from './findings.ts'
import type { Invariant } from './invariant.ts'
import { childrenOf, elementsOf, type Item, isA, isTyped } from './item.ts'
import type { Knowledge } from './known-definitions.ts'
import type { Profile } from './profile.ts'
import type { BindingRule, Discriminator, Shape, TypeRule } from './shape.ts'
import { misplaced } from './slice-order.ts'
import { discriminatorsOf, isInSlice, signOf, type Teller } from './slices.ts'
import { targetOf } from './targets.ts'
import { fits, isEqual, order } from './values.ts'

/** An element is looked at in the time that an expression takes for so many items. */
const WORK_OF_STEP = 10
/** Elements within elements, and profiles that these are checked against. */
const MAX_DEPTH = 100

/** The check has taken all the work that it may. */
export class OutOfWork extends Error {}

export class Walk implements Teller {
  readonly knowledge: Knowledge
  readonly #limits: EvaluationLimits
  #findings: Findings
  #profile: Profile | undefined
  #depth = 0

  constructor(knowledge: Knowledge, findings: Findings, limits: EvaluationLimits) {
    this.knowledge = knowledge
    this.#findings = findings
    this.#limits = limits
  }

  get isOver(): boolean {
    return this.#findings.full
  }

  step(): void {
    this.#limits.left -= WORK_OF_STEP
    if (this.#limits.left < 0) throw new OutOfWork()
  }

  /** Notes what of the item the profile does not allow. */
  check(item: Item, profile: Profile): void {
    const outer = this.#profile
    this.#profile = profile
    if (isA(item.type, profile.type)) this.#item(profile.root, item)
    else this.#add('structure', item.path, `is a ${item.type}, but the profile is one of ${profile.type}`)
    this.#profile = outer
  }

  /** Without a note. A profile that is not known is none to break. */
  conforms(item: Item, profiles: readonly string[]): boolean {
    return profiles.some((canonical) => {
      const found = this.knowledge.find(canonical)
      if (found.is === 'type') return isA(item.type, found.type)
      return found.is !== 'profile' || this.#isKept(item, found.profile)
    })
  }

  #isKept(item: Item, profile: Profile): boolean {
    const outer = this.#findings
    const trial = Findings.ofTrial()
    this.#findings = trial
    this.check(item, profile)
    this.#findings = outer
    return !trial.hasErrors
  }

  /** `said` goes on from the path. */
  #add(code: Finding['code'], path: string, said: string, severity: Finding['severity'] = 'error'): void {
    const by = this.#profile === undefined ? '' : ` (${this.#profile.canonical})`
    this.#findings.add({ code, path, said: `${said}${by}`, severity })
  }

  #item(shape: Shape, item: Item): void {
    this.step()
    if (this.isOver) return
    if (this.#depth >= MAX_DEPTH) {
      this.#add('too-costly', item.path, `is nested too deeply: ${MAX_DEPTH} levels are checked`)
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

  #children(shape: Shape, item: Item): void {
    if (shape.children.size === 0) return
    for (const child of shape.children.values()) this.#element(child, item)
    // An item of a Questionnaire has items: what is asked of the outer ones is asked of the inner ones (contentReference).
    if (!item.type.includes('.')) return
    for (const { name, properties } of elementsOf(item.type).values()) {
      if (properties.get(name) !== item.type || shape.children.has(name)) continue
      for (const inner of childrenOf(item, name)) this.#item(shape, inner)
    }
  }

  #element(shape: Shape, holder: Item): void {
    this.step()
    if (this.isOver) return
    const items = childrenOf(holder, shape.name)
    const path = `${holder.path}.${shape.name}`
    this.#count(shape, items.length, path, '')
    if (shape.slices.size > 0 || shape.slicing?.rules === 'closed') this.#slices(shape, items, path)
    for (const item of items) this.#item(shape, item)
  }

  #count({ min, max }: Shape, count: number, path: string, what: string): void {
    if (count < min) {
      const said =
        count === 0 ? `is missing${what}; there must be` : `is given ${count} times${what}, but there must be`
      this.#add('required', path, `${said} at least ${min}`)
    }
    if (count <= max) return
    const said =
      max === 0 ? `must not be present${what}` : `is given ${count} times${what}, but there may be ${max} at most`
    this.#add('structure', path, said)
  }

  #slices(shape: Shape, items: readonly Item[], path: string): void {
    const by = discriminatorsOf(shape)
    const untold = new Set<Shape>()
    const told = items.map((item) => this.#sliceOf(shape, by, item, untold))
    const itemsOf = Map.groupBy(items, (_item, index) => told[index])
    for (const slice of shape.slices.values()) {
      const own = itemsOf.get(slice) ?? []
      if (untold.has(slice)) this.#untold(slice, path)
      else this.#count(slice, own.length, path, ` in the slice ${slice.sliceName}${signOf(slice, by)}`)
      for (const item of own) this.#item(slice, item)
    }
    // What cannot be told apart is in no wrong place.
    if (untold.size > 0) return
    for (const { item, said } of misplaced(shape, items, told)) this.#add('structure', item.path, said)
  }

  #sliceOf(shape: Shape, by: readonly Discriminator[], item: Item, untold: Set<Shape>): Shape | undefined {
    for (const slice of shape.slices.values()) {
      if (slice.sliceName === '@default') continue
      const isIn = isInSlice(slice, by, item, this)
      if (isIn === true) return slice
      if (isIn === undefined) untold.add(slice)
    }
    return shape.slices.get('@default')
  }

  #untold({ sliceName }: Shape, path: string): void {
    const said = `has the slice ${sliceName}, which its discriminators do not tell from others; it is not checked`
    this.#add('incomplete', path, said, 'information')
  }

  #types({ types, id }: Shape, item: Item): void {
    if (types === undefined || !id.includes('.')) return
    const rules = types.filter(({ code }) => isTyped(item.type, code))
    if (rules.length === 0) {
      const allowed = [...new Set(types.map(({ code }) => code))].join(' or ')
      this.#add('structure', item.path, `is a ${item.type}, but must be ${allowed}`)
      return
    }
    const profiles = rules.flatMap((rule) => rule.profiles)
    if (profiles.length > 0 && rules.every((rule) => rule.profiles.length > 0)) this.#profiles(item, profiles)
    if (item.type === 'Reference') this.#targets(item, rules)
  }

  #profiles(item: Item, profiles: readonly string[]): void {
    const [only = ''] = profiles
    const found = profiles.length === 1 ? this.knowledge.find(only) : undefined
    if (found?.is === 'unknown' && item.type !== 'Extension') this.#unknown(item, only)
    else if (found?.is === 'profile') this.check(item, found.profile)
    else if (!this.conforms(item, profiles))
      this.#add('structure', item.path, `keeps to none of the profiles ${profiles.join(', ')}`)
  }

  #unknown({ path }: Item, canonical: string): void {
    const said = `must keep to the profile ${canonical}, which is neither stored in this clinic nor part of R4; this is not checked`
    this.#add('not-found', path, said, 'warning')
  }

  #targets(item: Item, rules: readonly TypeRule[]): void {
    const wanted = rules.flatMap(({ targets }) => targets)
    const target = targetOf(item)
    if (wanted.length === 0 || target?.type === undefined) return
    const { type, item: resource } = target
    if (resource === undefined ? wanted.some((one) => this.#mayBe(type, one)) : this.conforms(resource, wanted)) return
    const what = resource === undefined ? `a ${type}` : `a ${type} that does not keep to the profile`
    this.#add('structure', item.path, `refers to ${what}, but must refer to ${wanted.join(' or ')}`)
  }

  /** Of a resource that is elsewhere only the type is known. */
  #mayBe(type: string, canonical: string): boolean {
    const found = this.knowledge.find(canonical)
    if (found.is === 'type') return isA(type, found.type)
    return found.is !== 'profile' || isA(type, found.profile.type)
  }

  #value({ fixed, pattern, maxLength, minValue, maxValue }: Shape, { value, path }: Item): void {
    if (fixed !== undefined && !isEqual(value, fixed)) this.#add('value', path, `must be exactly ${quoted(fixed)}`)
    if (pattern !== undefined && !fits(value, pattern))
      this.#add('value', path, `must have what ${quoted(pattern)} has`)
    if (maxLength !== undefined && typeof value === 'string' && value.length > maxLength)
      this.#add('too-long', path, `has ${value.length} characters; ${maxLength} are the most`)
    if (minValue !== undefined && Number(order(value, minValue)) < 0)
      this.#add('value', path, `must not be less than ${quoted(minValue)}`)
    if (maxValue !== undefined && Number(order(value, maxValue)) > 0)
      this.#add('value', path, `must not be more than ${quoted(maxValue)}`)
  }

  #binding({ strength, valueSet }: BindingRule, item: Item): void {
    if (hasReasonForNone(item) || (!isObject(item.value) && typeof item.value !== 'string')) return
    const found = membershipOf(item, valueSet, this.knowledge)
    if (found === undefined || found.is === 'in') return
    if (found.is === 'unknown') {
      const severity = strength === 'required' ? 'warning' : 'information'
      this.#add('not-found', item.path, `cannot be compared with the value set ${valueSet}: ${found.why}`, severity)
      return
    }
    if (strength === 'required')
      this.#add('code-invalid', item.path, `has ${codesSaid(item)}, but must have a code of ${valueSet}`)
    else this.#add('code-invalid', item.path, besideExtensible(item, valueSet), 'warning')
  }

  #invariant(invariant: Invariant, item: Item): void {
    const { key, human, expression, severity } = invariant
    const found = invariant.verdict(item, this.#limits)
    if (this.#limits.left < 0) throw new OutOfWork()
    if (found.is === 'broken')
      this.#add('invariant', item.path, `breaks ${key}: ${human} (FHIRPath: ${expression})`, severity)
    if (found.is === 'unknown')
      this.#add('processing', item.path, `cannot be compared with the rule ${key}: ${found.why}`, 'warning')
  }
}
