/** What a profile asks of an element and of what is in it: https://hl7.org/fhir/R4/elementdefinition.html. */
import type { Invariant } from './invariant.ts'

export interface TypeRule {
  readonly code: string
  /** One of these must hold; none: any. */
  readonly profiles: readonly string[]
  /** What a Reference may lead to; none: anything. */
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
  /** Canonical. */
  readonly valueSet: string
}

export interface Shape {
  /** Of the ElementDefinition, `Patient.extension:race`. */
  readonly id: string
  /** In FHIRPath, `extension`; `value` for a choice. */
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
  /** By name, in the order of the profile. */
  readonly slices: ReadonlyMap<string, Shape>
}

/** A shape while it is made. */
export type Draft = {
  -readonly [Key in keyof Omit<Shape, 'children' | 'slices' | 'invariants'>]: Shape[Key]
} & {
  invariants: Invariant[]
  readonly children: Map<string, Draft>
  readonly slices: Map<string, Draft>
  /** The R4 type of the element; undefined where it has several or is not known. */
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

export const copyOf = (draft: Draft): Draft => ({
  ...draft,
  invariants: [...draft.invariants],
  children: new Map(Array.from(draft.children, ([name, child]) => [name, copyOf(child)])),
  slices: new Map(Array.from(draft.slices, ([name, slice]) => [name, copyOf(slice)])),
})
