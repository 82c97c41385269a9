/**
 * The path of a patch operation: steps by name, index, condition and type that select elements of the patched resource
 * (https://hl7.org/fhir/R4/fhirpatch.html). Expressions that compute values are not allowed.
 */
import { rethrowBudgetError, spend } from '../../isolation/budget.ts'
import type { ElementStructure } from '../definitions.ts'
import { compileAst } from '../fhirpath/compile.ts'
import { type Item, isOfType, withoutNamespace } from '../fhirpath/node.ts'
import { type Ast, parse } from '../fhirpath/parser.ts'
import { type Evaluate, isTrue } from '../fhirpath/scope.ts'
import { badRequest, FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import { childAt, childrenOf, countOf, elementNames, elementOf, type PatchTarget } from './patch-target.ts'

/** Selects elements of the resource. @throws FhirError 400, 413 or 422 */
export type TargetSelector = (root: PatchTarget, visits: Visits) => readonly PatchTarget[]

export interface PatchPath {
  readonly text: string
  readonly all: TargetSelector
  /** For insert and move: the parents of the list, and the element name of the last step. */
  readonly list: { readonly holders: TargetSelector; readonly name: string } | undefined
}

/** Most elements that all operations of one patch may visit; only a hostile patch needs more. */
const MAX_VISITED = 2_000_000
/** Elements that are visited in a microsecond, and items of a list that are moved in one. */
const VISITED_PER_STEP = 4
const MOVED_PER_STEP = 250

/** Counts the elements that all operations of one patch visit. */
export class Visits {
  #left = MAX_VISITED
  readonly #sizeOf: () => number
  #size: number | undefined

  /** @param sizeOf the number of elements in the resource, counted for the first condition */
  constructor(sizeOf: () => number) {
    this.#sizeOf = sizeOf
  }

  /** @throws FhirError 413 when there are too many. @throws BudgetError */
  spend(targets: number): void {
    this.#left -= targets
    spend(targets / VISITED_PER_STEP, WHAT)
    if (this.#left >= 0) return
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: 'The patch visits too many elements; use fewer conditions, or an index instead of where()',
    })
  }

  /** A condition may visit everything below its targets. @throws FhirError 413, BudgetError */
  spendOnCondition(targets: number): void {
    this.#size ??= this.#sizeOf()
    this.spend(targets + this.#size)
  }

  /** Changing a list moves the items after the place of the change. @throws BudgetError */
  spendOnList(size: number): void {
    spend(size / MOVED_PER_STEP, WHAT)
  }
}

const WHAT = 'the operations of its patch'

const MAX_PATH_LENGTH = 1000
/** Characters of a path that are read in a microsecond. */
const CHARACTERS_PER_STEP = 2

/**
 * @param at `Parameters.parameter[0]`, for messages.
 * @throws FhirError 400 when the path is malformed or not supported
 */
export function readPath(text: string, at: string): PatchPath {
  if (text.length > MAX_PATH_LENGTH)
    throw badRequest(`${at}: the path has ${text.length} characters; the maximum is ${MAX_PATH_LENGTH}`)
  spend(text.length / CHARACTERS_PER_STEP, WHAT)
  const refuse = (problem: string): FhirError => badRequest(`${at}: the path '${text}' ${problem}`, { expression: at })
  const tree = parsed(text, refuse)
  const reader = new PathReader(text, refuse)
  const all = reader.selectorOf(tree)
  const list =
    tree.kind === 'member' && tree.base !== undefined
      ? { holders: reader.selectorOf(tree.base), name: tree.name }
      : undefined
  return { text, all, list }
}

function parsed(text: string, refuse: (problem: string) => FhirError): Ast {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse(`is not FHIRPath: ${error.message.replace(/^.*?, (?=character \d+:)/s, '')}`)
  }
}

const SIMPLE =
  'a path is made of element names, [index], first(), last(), single(), where(), ofType(), as() and extension()'

type Step = (targets: readonly PatchTarget[], visits: Visits) => readonly PatchTarget[]

class PathReader {
  readonly #text: string
  readonly #refuse: (problem: string) => FhirError

  constructor(text: string, refuse: (problem: string) => FhirError) {
    this.#text = text
    this.#refuse = refuse
  }

  selectorOf(ast: Ast): TargetSelector {
    switch (ast.kind) {
      case 'member':
        return ast.base === undefined ? this.#start(ast.name) : this.#then(ast.base, this.#member(ast.name))
      case 'item':
        return this.#item(ast.base, this.#index(ast.index))
      case 'type':
        if (ast.operator === 'as') return this.#then(ast.base, ofType(ast.type))
        break
      case 'call':
        if (ast.base !== undefined) return this.#then(ast.base, this.#call(ast))
        break
      case 'variable':
        if (ast.name === 'resource') return (root) => [root]
    }
    throw this.#refuse(`selects no element; ${SIMPLE}`)
  }

  #then(base: Ast, step: Step): TargetSelector {
    const before = this.selectorOf(base)
    return (root, visits) => {
      const targets = before(root, visits)
      visits.spend(targets.length)
      return step(targets, visits)
    }
  }

  /** `Patient.name`, or `name` alone. */
  #start(name: string): TargetSelector {
    if (!/^[A-Z]/.test(name)) return (root, visits) => this.#member(name)([root], visits)
    return (root) => {
      if (isOfType(root.node, name)) return [root]
      throw this.#refuse(`starts with ${name}, but the resource is a ${root.type}`)
    }
  }

  #member(name: string): Step {
    return (targets) => targets.flatMap((target) => childrenOf(target, this.#elementOf(target, name)))
  }

  #elementOf({ type }: PatchTarget, name: string): ElementStructure {
    const element = elementOf(type, name)
    if (element !== undefined) return element
    throw this.#refuse(
      `leads to '${name}', which is not an element of ${type}; it has ${elementNames(type).join(', ')}`,
    )
  }

  /** An index after a name is looked up without visiting the whole list. */
  #item(base: Ast, index: number): TargetSelector {
    const isName = base.kind === 'member' && !/^[A-Z]/.test(base.name)
    if (!isName) return this.#then(base, (targets) => targets.slice(index, index + 1))
    const step = this.#memberAt(base.name, index)
    return base.base === undefined ? (root, visits) => step([root], visits) : this.#then(base.base, step)
  }

  #memberAt(name: string, index: number): Step {
    return (targets) => {
      let left = index
      for (const target of targets) {
        const element = this.#elementOf(target, name)
        const found = childAt(target, element, left)
        if (found !== undefined) return [found]
        left -= countOf(target, element)
      }
      return []
    }
  }

  #index(index: Ast): number {
    if (index.kind !== 'literal' || typeof index.value !== 'number' || !Number.isInteger(index.value))
      throw this.#refuse('has an index that is not a whole number; write it as in name[0]')
    return index.value
  }

  #call({ name, args }: Ast & { kind: 'call' }): Step {
    const [argument] = args
    if (argument === undefined) return this.#choice(name)
    if (args.length === 1 && name === 'where') return this.#where(argument)
    if (args.length === 1 && (name === 'ofType' || name === 'as')) return ofType(this.#typeName(argument))
    if (args.length === 1 && name === 'extension' && argument.kind === 'literal') {
      const url = argument.value
      const extensions = this.#member('extension')
      return (targets, visits) =>
        extensions(targets, visits).filter(({ node }) => isObject(node.value) && node.value.url === url)
    }
    throw this.#refuse(`calls ${name}(); ${SIMPLE}`)
  }

  #choice(name: string): Step {
    if (name === 'first') return (targets) => targets.slice(0, 1)
    if (name === 'last') return (targets) => targets.slice(-1)
    // Every operation rejects several targets in the end.
    if (name === 'single') return (targets) => targets
    throw this.#refuse(`calls ${name}(); ${SIMPLE}`)
  }

  #typeName(argument: Ast): string {
    if (argument.kind === 'member') {
      if (argument.base === undefined) return argument.name
      if (argument.base.kind === 'member' && argument.base.base === undefined)
        return `${argument.base.name}.${argument.name}`
    }
    throw this.#refuse('has a type that is not a name; write it as in value.ofType(Quantity)')
  }

  #where(criterion: Ast): Step {
    const unsupported = unsupportedIn(criterion)
    if (unsupported !== undefined)
      throw this.#refuse(`has ${unsupported} in a condition, which is not allowed in a patch`)
    const evaluate = this.#compiled(criterion)
    return (targets, visits) => {
      visits.spendOnCondition(targets.length)
      return targets.filter((target, index) => this.#holds(evaluate, target, index))
    }
  }

  #compiled(criterion: Ast): Evaluate {
    try {
      return compileAst(criterion, this.#text)
    } catch (error) {
      throw this.#refuse(`has a condition that cannot be read: ${error instanceof Error ? error.message : ''}`)
    }
  }

  #holds(evaluate: Evaluate, { node }: PatchTarget, index: number): boolean {
    const self: readonly Item[] = [node]
    try {
      return isTrue(evaluate({ self, index, evaluation: { root: node, environment: {} } }))
    } catch (error) {
      rethrowBudgetError(error)
      throw unprocessable(`The condition of the path '${this.#text}' cannot be applied to the resource`, {
        reason: 'patch-path-not-found',
      })
    }
  }
}

function ofType(specifier: string): Step {
  const name = withoutNamespace(specifier)
  return (targets) => targets.filter(({ node, type }) => type === name || isOfType(node, name))
}

/** Functions that only read their input, in time linear in its size. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `exists empty not count first last single hasValue where all any extension ofType as is startsWith endsWith contains
  lower upper length toString indexOf`.split(/\s+/),
)

/** The first part of a condition that would leave the element it is evaluated on, or take more than linear time. */
function unsupportedIn(ast: Ast): string | undefined {
  switch (ast.kind) {
    case 'literal':
    case 'empty':
    case 'this':
    case 'index':
      return undefined
    case 'member':
      return ast.base && unsupportedIn(ast.base)
    case 'item':
      return unsupportedIn(ast.base) ?? unsupportedIn(ast.index)
    case 'type':
      return unsupportedIn(ast.base)
    case 'minus':
      return unsupportedIn(ast.operand)
    case 'operator':
      return ast.operator === '|' ? 'a union' : (unsupportedIn(ast.left) ?? unsupportedIn(ast.right))
    case 'call':
      if (!FUNCTIONS.has(ast.name)) return `${ast.name}()`
      return [...(ast.base === undefined ? [] : [ast.base]), ...ast.args].map(unsupportedIn).find(Boolean)
    case 'variable':
      return `%${ast.name}`
    case 'total':
      return '$total'
  }
}
