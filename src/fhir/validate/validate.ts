/**
 * Validates a resource against its R4 StructureDefinition: https://hl7.org/fhir/R4/validation.html. Checks elements,
 * cardinality, primitive formats, required bindings and invariants, but neither profiles nor terminology.
 */

import { Meter } from '../../isolation/budget.ts'
import { isResourceType } from '../definitions.ts'
import { once } from '../memoize.ts'
import { badRequest, FhirError, type Issue } from '../outcome.ts'
import { type AnyResource, isObject, itemsOf } from '../resource.ts'
import { checkCode, checkCoded } from './bindings.ts'
import { type ElementContent, type Plan, type Property, suggestionFor, validationPlanOf } from './plan.ts'
import type { Primitive } from './primitives.ts'
import { expectedArray, expectedObject, kindOf, Report, shortened, wrongResourceType } from './report.ts'
import type { ResourceScope, Rule } from './rules.ts'

export interface ValidationOptions {
  /** Also check constraints of severity warning, such as dom-6 (a resource should have narrative). */
  readonly warnings?: boolean
}

/**
 * The problems found, at most 50 errors and 50 warnings, each with its FHIRPath in `expression`; none when the resource
 * is valid.
 */
export function validate(resource: unknown, { warnings = false }: ValidationOptions = {}): readonly Issue[] {
  const type = isObject(resource) ? resource['resourceType'] : undefined
  if (!isObject(resource) || !isResourceType(type)) return [notAResource(resource)]
  const report = new Report(type)
  new ResourceValidator(report, resource, warnings).run(type)
  return report.issues
}

/**
 * @throws FhirError 400 when it is not a FHIR resource, or not of `expectedType`, the type named by the URL
 * @throws FhirError 422 with all issues when it violates its type's definition
 */
export function checkResource(resource: unknown, expectedType?: string): asserts resource is AnyResource {
  const type = isObject(resource) ? resource['resourceType'] : undefined
  if (!isResourceType(type)) throw new FhirError(400, notAResource(resource))
  if (expectedType !== undefined && type !== expectedType) throw wrongType(type, expectedType)
  const issues = validate(resource)
  if (issues.length > 0) throw new FhirError(422, issues)
}

function notAResource(value: unknown): Issue {
  if (!isObject(value)) {
    const diagnostics = `A FHIR resource is a JSON object with a resourceType, e.g. {"resourceType":"Patient"}; got ${kindOf(value)}`
    return { severity: 'error', code: 'structure', diagnostics }
  }
  const diagnostics = `The resource ${wrongResourceType(value['resourceType'])}`
  return { severity: 'error', code: 'structure', diagnostics, expression: 'resourceType' }
}

const wrongType = (type: string, expected: string): FhirError =>
  badRequest(`The body is of type ${type}, but the URL is for ${expected}; send ${expected} or change the URL`, {
    expression: 'resourceType',
  })

/** Nesting of objects: far more than any resource needs, and not enough to overflow the stack. */
const MAX_DEPTH = 100

type Elements = Record<string, unknown>
type Of<Kind extends ElementContent['kind']> = Extract<ElementContent, { kind: Kind }>

/** Steps for an object, its own rules included, and for a property or an item. */
const STEPS_PER_OBJECT = 0.5
const STEPS_PER_VALUE = 0.1

const EMPTY = 'is empty: an element must have a value or children besides its id (ele-1); leave it out instead'
const NULL = 'must not be null; leave the element out instead'

/** Traverses a resource once and reports every element that violates the definition of its type. */
class ResourceValidator {
  readonly #report: Report
  readonly #warnings: boolean
  #scope: ResourceScope
  #depth = 0
  #tooDeep = false
  readonly #meter = new Meter('the validation of its elements')

  constructor(report: Report, resource: Elements, warnings: boolean) {
    this.#report = report
    this.#warnings = warnings
    this.#scope = rootScope(resource)
  }

  /** Validates the resource as this concrete type. @throws BudgetError */
  run(type: string): void {
    this.#object(validationPlanOf(type), this.#scope.resource)
  }

  #object(plan: Plan, value: Elements): void {
    if (this.#depth >= MAX_DEPTH) {
      this.#tooDeep = true
      this.#report.add('structure', `is nested too deeply: at most ${MAX_DEPTH} levels of elements are accepted`)
    } else {
      this.#depth++
      this.#content(plan, value)
      this.#depth--
    }
  }

  #content(plan: Plan, value: Elements): void {
    this.#meter.pay(STEPS_PER_OBJECT)
    const hasContent = this.#properties(plan, value)
    if (!hasContent && !plan.isResource) this.#report.add('invariant', EMPTY)
    else if (!this.#tooDeep) {
      this.#mandatory(plan, value)
      this.#rules(plan.rules, value)
    }
  }

  /** Validates the properties; true when there is any besides an id. */
  #properties(plan: Plan, value: Elements): boolean {
    let content = false
    let chosen: Property | undefined
    for (const key in value) {
      const item = value[key]
      if (item === undefined) continue
      if (this.#report.full) return true
      this.#meter.pay(STEPS_PER_VALUE)
      if (key !== 'id') content = true
      const property = plan.properties.get(key)
      if (property === undefined) {
        this.#unknown(plan, key)
        continue
      }
      if (property.choice !== undefined) {
        if (chosen === undefined) chosen = property
        else this.#onlyChoice(property, value)
      }
      this.#report.enter(property.name)
      this.#property(property, item, value)
      this.#report.leave()
    }
    return content
  }

  #unknown(plan: Plan, key: string): void {
    if (plan.isResource && key === 'resourceType') return
    this.#report.add('structure', `is not an element of ${plan.type}; ${suggestionFor(plan, key)}`, key)
  }

  #onlyChoice({ choice = [], key, name }: Property, value: Elements): void {
    const own = key.replace(/^_/, '')
    const other = choice.find((one) => one !== own && (value[one] !== undefined || value[`_${one}`] !== undefined))
    if (other !== undefined) {
      this.#report.add('structure', `is given twice, as ${other} and as ${own}; only one type is allowed`, name)
    }
  }

  #mandatory(plan: Plan, value: Elements): void {
    for (const { name, keys, hint } of plan.mandatory) {
      if (!keys.some((key) => value[key] !== undefined)) {
        this.#report.add('required', `is missing; ${plan.type} needs it${hint}`, name)
      }
    }
  }

  #rules(rules: readonly Rule[], focus: unknown): void {
    for (const rule of rules) {
      if (rule.severity === 'warning' && !this.#warnings) continue
      if (!rule.isSatisfied(focus, this.#scope)) {
        this.#report.add(
          'invariant',
          `breaks ${rule.key}: ${rule.human} (FHIRPath: ${rule.expression})`,
          undefined,
          rule.severity,
        )
      }
    }
  }

  #property(property: Property, value: unknown, holder: Elements): void {
    if (value === null) this.#report.add('structure', NULL)
    else if (property.max > 1) this.#list(property, value, holder)
    else if (Array.isArray(value)) this.#report.add('structure', `must be a single ${property.type}, not an array`)
    else this.#item(property, value, holder, undefined)
  }

  #list(property: Property, value: unknown, holder: Elements): void {
    if (!Array.isArray(value)) {
      this.#report.add('structure', `must be ${expectedArray(property.type)}; got ${kindOf(value)}`)
    } else if (value.length === 0) {
      this.#report.add('structure', 'is an empty array; leave the element out instead')
    } else {
      this.#items(property, value, holder)
    }
  }

  #items(property: Property, values: readonly unknown[], holder: Elements): void {
    for (let index = 0; index < values.length && !this.#report.full; index++) {
      this.#meter.pay(STEPS_PER_VALUE)
      this.#report.enter(index)
      this.#item(property, values[index], holder, index)
      this.#report.leave()
    }
  }

  #item(property: Property, value: unknown, holder: Elements, index: number | undefined): void {
    const { content } = property
    switch (content.kind) {
      case 'primitive':
        this.#primitive(property, content, value, holder, index)
        break
      case 'sibling':
        this.#sibling(content, value, holder, index)
        break
      case 'object':
        this.#complex(property, content, value)
        break
      case 'resource':
        this.#nested(property, value)
        break
    }
  }

  #primitive(
    property: Property,
    content: Of<'primitive'>,
    value: unknown,
    holder: Elements,
    index: number | undefined,
  ): void {
    const { primitive, binding, sibling } = content
    if (primitive.accepts(value)) {
      if (binding !== undefined) checkCode(this.#report, binding, value)
      if (property.rules.length > 0) this.#rules(property.rules, value)
    } else if (value !== null || index === undefined || !isObject(at(holder[sibling], index))) {
      this.#wrongPrimitive(property.type, primitive, value)
    }
  }

  #wrongPrimitive(type: string, { expected, json, faultOf }: Primitive, value: unknown): void {
    const kind = kindOf(value)
    const fault = kind === `a ${json}` ? faultOf?.(String(value)) : `got ${kind}`
    if (value === null) this.#report.add('structure', NULL)
    else this.#report.add('value', `must be ${expected} (${type})${fault === undefined ? '' : `; ${fault}`}`)
  }

  /** `_birthDate`, or an entry of `_given`, which is null for a value without id and extensions. */
  #sibling({ of }: Of<'sibling'>, value: unknown, holder: Elements, index: number | undefined): void {
    const partner = index === undefined ? holder[of] : at(holder[of], index)
    const hasValue = partner !== undefined && partner !== null
    if (isObject(value)) {
      // With a value, an id alone is sufficient content.
      if (hasValue && value['id'] !== undefined) this.#properties(validationPlanOf('Element'), value)
      else this.#object(validationPlanOf('Element'), value)
    } else if (value !== null || index === undefined || !hasValue) {
      this.#report.add('structure', `must be an object with id or extension under _${of}; got ${kindOf(value)}`)
    }
  }

  #complex(property: Property, { plan, binding, targets }: Of<'object'>, value: unknown): void {
    if (isObject(value)) {
      this.#object(plan(), value)
      if (binding !== undefined) checkCoded(this.#report, binding, property.type, value)
      if (targets.size > 0) this.#target(targets, value['reference'])
      if (property.rules.length > 0) this.#rules(property.rules, value)
    } else {
      this.#report.add('structure', `must be ${expectedObject(property.type)}; got ${kindOf(value)}`)
    }
  }

  /** Checks the type named by a relative reference; an absolute one may not name any. */
  #target(targets: ReadonlySet<string>, reference: unknown): void {
    const type = typeof reference === 'string' ? /^([A-Z]\w+)[/?]/.exec(reference)?.[1] : undefined
    if (type === undefined || targets.has(type)) return
    const allowed = [...targets].join(' or ')
    this.#report.add('value', `refers to ${shortened(type)}, but must refer to ${allowed}`, 'reference')
  }

  #nested({ name }: Property, value: unknown): void {
    const type = isObject(value) ? value['resourceType'] : undefined
    if (!isObject(value)) {
      this.#report.add('structure', `must be ${expectedObject('Resource')}; got ${kindOf(value)}`)
    } else if (!isResourceType(type)) {
      this.#report.add('structure', wrongResourceType(type))
    } else if (name === 'contained') {
      this.#within({ ...this.#scope, resource: value }, type)
      checkContained(this.#report, value, this.#scope.localReferences())
    } else {
      this.#within(rootScope(value), type)
    }
  }

  #within(scope: ResourceScope, type: string): void {
    const outer = this.#scope
    this.#scope = scope
    this.#object(validationPlanOf(type), scope.resource)
    this.#scope = outer
  }
}

const at = (list: unknown, index: number): unknown => (Array.isArray(list) ? list[index] : undefined)

/** Constraints that only apply to contained resources (dom-2 to dom-5): https://hl7.org/fhir/R4/references.html#contained. */
function checkContained(report: Report, inner: Record<string, unknown>, localReferences: ReadonlySet<string>): void {
  const { id, meta } = inner
  if (inner['contained'] !== undefined) {
    report.add(
      'invariant',
      'is nested: a contained resource SHALL NOT contain others; put them beside it (dom-2)',
      'contained',
    )
  }
  if (!localReferences.has(`#${String(id)}`) && !refersToContainer(inner)) {
    report.add(
      'invariant',
      `is not referred to: it needs an id and a reference "#id" elsewhere in the resource, or must refer to its container by "#" (dom-3)`,
    )
  }
  if (!isObject(meta)) return
  report.enter('meta')
  for (const [name, key] of FORBIDDEN_META) {
    if (meta[name] !== undefined) report.add('invariant', `must not be present in a contained resource (${key})`, name)
  }
  report.leave()
}

const FORBIDDEN_META = [
  ['versionId', 'dom-4'],
  ['lastUpdated', 'dom-4'],
  ['security', 'dom-5'],
] as const

const refersToContainer = (inner: unknown): boolean => localReferencesIn(inner).has('#')

/** The scope of a resource that is not contained in another one. */
const rootScope = (resource: Record<string, unknown>): ResourceScope => ({
  resource,
  rootResource: resource,
  localReferences: once(() => localReferencesIn(resource)),
  containedIds: once(() => idsOf(resource['contained'])),
})

const idsOf = (resources: unknown): ReadonlySet<unknown> =>
  new Set(itemsOf(resources).map((resource) => (isObject(resource) ? resource['id'] : undefined)))

/**
 * All strings that begin with #: in a Reference, a canonical or a uri. Iterative, so that deep nesting is no problem.
 */
function localReferencesIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string' && next.startsWith('#')) found.add(next)
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return found
}
