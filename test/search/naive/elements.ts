/** The elements of a resource that a search parameter is about, found by the fhirpath package. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

export interface Resource {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

type Evaluate = (resource: unknown, environment: Record<string, unknown>) => unknown[]
const require = createRequire(join(import.meta.dirname, 'elements.ts'))
const fhirpath = require('fhirpath') as {
  compile(expression: string, model: unknown, options: object): Evaluate
}
const r4: unknown = require('fhirpath/fhir-context/r4')

interface ReferenceNode {
  readonly data: { readonly reference?: string; readonly type?: string }
  readonly ctx: unknown
  readonly constructor: new (context: unknown, data: unknown) => ReferenceNode
}

/** `resolve() is Patient` needs the type alone, which the reference names. */
const resolve = {
  arity: { 0: [] },
  internalStructures: true,
  fn: (references: readonly ReferenceNode[]) =>
    references.flatMap(({ data, ctx, constructor: Node }) => {
      const type = data.reference?.split('/_history/')[0]?.split('/').at(-2) ?? data.type
      return type === undefined ? [] : [new Node(ctx, { resourceType: type })]
    }),
}

const compiled = new Map<string, Evaluate>()
const known = new WeakMap<Resource, Map<string, readonly unknown[]>>()

export function elementsOf(resource: Resource, expression: string): readonly unknown[] {
  const values = known.get(resource) ?? new Map<string, readonly unknown[]>()
  known.set(resource, values)
  const found = values.get(expression) ?? evaluated(resource, expression)
  values.set(expression, found)
  return found
}

/** Branch by branch: the package compares the values of a union, which it can't do with all quantities. */
const evaluated = (resource: Resource, expression: string): readonly unknown[] =>
  branchesOf(expression).flatMap((branch) => evaluatedBranch(resource, branch))

function evaluatedBranch(resource: Resource, branch: string): readonly unknown[] {
  const evaluate = compiled.get(branch) ?? fhirpath.compile(branch, r4, { userInvocationTable: { resolve } })
  compiled.set(branch, evaluate)
  const values = evaluate(resource, { resource, rootResource: resource })
  // Dates are objects that know their precision; here they are texts again.
  return values.map((value) => JSON.parse(JSON.stringify(value)) as unknown)
}

/** The branches of a union: the parts between the bars that are not in parentheses. */
function branchesOf(expression: string): readonly string[] {
  const branches = ['']
  let depth = 0
  for (const letter of expression) {
    depth += Number(letter === '(') - Number(letter === ')')
    if (letter === '|' && depth === 0) branches.push('')
    else branches.push(`${branches.pop()}${letter}`)
  }
  return branches
}

/** For each element that `base` finds, the values that each of the expressions finds below it. */
export const repetitionsOf = (
  resource: Resource,
  base: string,
  expressions: readonly string[],
): readonly (readonly (readonly unknown[])[])[] =>
  branchesOf(base).flatMap((branch) =>
    elementsOf(resource, branch).map((_, index) =>
      expressions.map((one) =>
        branchesOf(one).flatMap((part) => elementsOf(resource, `(${branch}).skip(${index}).take(1).select(${part})`)),
      ),
    ),
  )

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const objectsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  (Array.isArray(value) ? value : [value]).filter(isObject)
