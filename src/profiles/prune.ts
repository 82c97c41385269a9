/** Takes out of the tree of a profile what R4 asks for anyway, so that a check goes only where the profile says more. */
import type { ElementStructure } from '../fhir/definitions.ts'
import { chainOf, coreCanonical, elementsOf } from './item.ts'
import type { BindingRule, Draft, TypeRule } from './shape.ts'

/** The same draft. */
export function pruned(root: Draft): Draft {
  pruneChildren(root)
  return root
}

function pruneChildren(draft: Draft): void {
  for (const [name, child] of draft.children) {
    const element = elementsOf(draft.coreType ?? '').get(name)
    if (element !== undefined) pruneRules(child, element)
    pruneChildren(child)
    for (const slice of child.slices.values()) pruneChildren(slice)
    if (!asksAnything(child)) draft.children.delete(name)
  }
}

function pruneRules(draft: Draft, { min, max, binding, properties, targets }: ElementStructure): void {
  if (draft.min <= min) draft.min = 0
  if (draft.max >= max) draft.max = Number.POSITIVE_INFINITY
  draft.bindings = draft.bindings.filter((rule) => !isSame(rule, binding))
  const { types } = draft
  const covers = [...properties.values()].every(
    (type) => types?.some(({ code }) => chainOf(type).includes(code)) === true,
  )
  if (covers && types?.every((rule) => isPlain(rule, targets)) === true) draft.types = undefined
}

const isSame = ({ strength, valueSet }: BindingRule, binding: string | undefined): boolean =>
  strength === 'required' && valueSet.split('|', 1)[0] === binding

/** A Reference that may lead to all that R4 lets it lead to. */
const isPlain = ({ profiles, targets }: TypeRule, core: readonly string[]): boolean =>
  profiles.length === 0 &&
  (targets.length === 0 ||
    (core.length === 0 ? ['Resource'] : core).every((type) => targets.includes(coreCanonical(type))))

const asksAnything = (draft: Draft): boolean =>
  draft.min > 0 ||
  draft.max !== Number.POSITIVE_INFINITY ||
  draft.types !== undefined ||
  draft.bindings.length > 0 ||
  draft.invariants.length > 0 ||
  draft.children.size > 0 ||
  draft.slices.size > 0 ||
  draft.slicing?.rules === 'closed' ||
  [draft.fixed, draft.pattern, draft.maxLength, draft.minValue, draft.maxValue].some((rule) => rule !== undefined)
