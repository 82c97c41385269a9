/** The rules of a profile for an element and its children: https://hl7.org/fhir/R4/elementdefinition.html. */
import { Meter } from '../isolation/budget.ts'
import type { Invariant } from './invariant.ts'

export interface TypeRule {
  readonly code: string
  /** Profiles of which one must be met; when empty, any. */
  readonly profiles: readonly string[]
  /** Profiles allowed as the target of a Reference; when empty, any. */
  readonly targets: readonly string[]
}

export interface Discriminator {
  readonly type: string
  readonly path: string
}

export interface Slicing {
  readonly discriminators: readonly Discriminator[]
  readonly rules: 'open' | 'closed' | 'openAtEnd'
  readonly ordered: boolean
}

export interface BindingRule {
  readonly strength: 'required' | 'extensible'
  /** Canonical of the value set. */
  readonly valueSet: string
}

export interface Shape {
  /** The id of the ElementDefinition, `Patient.extension:race`. */
  readonly id: string
  /** The name in FHIRPath, `extension`; `value` for a choice. */
  readonly name: string
  readonly sliceName: string | undefined
  readonly min: number
  /** Infinity for `*`. */
  readonly max: number
  readonly types: readonly TypeRule[] | undefined
  readonly fixed: unknown
  readonly pattern: unknown
  readonly bindings: readonly BindingRule[]
  readonly maxLength: number | undefined
  readonly minValue: unknown
  readonly maxValue: unknown
  readonly invariants: readonly Invariant[]
  readonly slicing: Slicing | undefined
  /** By FHIRPath name. */
  readonly children: ReadonlyMap<string, Shape>
  /** By slice name, in the order of the profile. */
  readonly slices: ReadonlyMap<string, Shape>
}

/** A shape under construction. */
export type Draft = {
  -readonly [Key in keyof Omit<Shape, 'children' | 'slices' | 'invariants'>]: Shape[Key]
} & {
  invariants: Invariant[]
  readonly children: Map<string, Draft>
  readonly slices: Map<string, Draft>
  /** The R4 type of the element; undefined when it has several or is unknown. */
  coreType: string | undefined
}

export const newDraft = (id: string, name: string, coreType: string | undefined, sliceName?: string): Draft => ({
  id,
  name,
  sliceName,
  coreType,
  min: 0,
  max: Number.POSITIVE_INFINITY,
  types: undefined,
  fixed: undefined,
  pattern: undefined,
  bindings: [],
  maxLength: undefined,
  minValue: undefined,
  maxValue: undefined,
  invariants: [],
  slicing: undefined,
  children: new Map(),
  slices: new Map(),
})

const meter = new Meter('compiling its profiles')

/** @throws BudgetError */
export function copyOf(draft: Draft): Draft {
  meter.pay(1)
  return {
    ...draft,
    invariants: [...draft.invariants],
    children: new Map(Array.from(draft.children, ([name, child]) => [name, copyOf(child)])),
    slices: new Map(Array.from(draft.slices, ([name, slice]) => [name, copyOf(slice)])),
  }
}
