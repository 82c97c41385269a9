/**
 * Removes from a profile's tree the rules that R4 has anyway, so that only elements with additional rules are checked.
 */
import type { ElementStructure } from '../fhir/definitions.ts'
import type { BindingRule, Draft, TypeRule } from './shape.ts'
import { coreCanonical, elementsByName, typeHierarchy } from './typed-element.ts'

/** Prunes the draft in place and returns it. */
export function pruned(root: Draft): Draft {
  pruneChildren(root)
  return root
}

function pruneChildren(draft: Draft): void {
  for (const [name, child] of draft.children) {
    const element = elementsByName(draft.coreType ?? '').get(name)
    if (element !== undefined) pruneRules(child, element)
    pruneChildren(child)
    for (const slice of child.slices.values()) pruneChildren(slice)
    if (!hasRules(child)) draft.children.delete(name)
  }
}

function pruneRules(draft: Draft, { min, max, binding, properties, targets }: ElementStructure): void {
  if (draft.min <= min) draft.min = 0
  if (draft.max >= max) draft.max = Number.POSITIVE_INFINITY
  draft.bindings = draft.bindings.filter((rule) => !isSame(rule, binding))
  const { types } = draft
  const covers = [...properties.values()].every(
    (type) => types?.some(({ code }) => typeHierarchy(type).includes(code)) === true,
  )
  if (covers && types?.every((rule) => isPlain(rule, targets)) === true) draft.types = undefined
}

const isSame = ({ strength, valueSet }: BindingRule, binding: string | undefined): boolean =>
  strength === 'required' && valueSet.split('|', 1)[0] === binding

/** Whether the type rule allows all profiles and reference targets that R4 allows. */
const isPlain = ({ profiles, targets }: TypeRule, core: readonly string[]): boolean =>
  profiles.length === 0 &&
  (targets.length === 0 ||
    (core.length === 0 ? ['Resource'] : core).every((type) => targets.includes(coreCanonical(type))))

const hasRules = (draft: Draft): boolean =>
  draft.min > 0 ||
  draft.max !== Number.POSITIVE_INFINITY ||
  draft.types !== undefined ||
  draft.bindings.length > 0 ||
  draft.invariants.length > 0 ||
  draft.children.size > 0 ||
  draft.slices.size > 0 ||
  draft.slicing?.rules === 'closed' ||
  [draft.fixed, draft.pattern, draft.maxLength, draft.minValue, draft.maxValue].some((rule) => rule !== undefined)
