/**
 * The path of a patch operation: steps by name, index, condition and type, each of which leads to elements of the
 * resource that is patched (https://hl7.org/fhir/R4/fhirpatch.html). What calculates values has no place in it.
 */
import { compile } from '../fhirpath/compile.ts'
import { withoutNamespace } from '../fhirpath/elements.ts'
import { type Item, isOfType } from '../fhirpath/node.ts'
import { type Ast, parse } from '../fhirpath/parser.ts'
import { type Evaluate, isTrue } from '../fhirpath/scope.ts'
import { badRequest, FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import { childrenOf, elementNames, elementOf, type Place } from './place.ts'

/** From the resource to the places that a path selects. @throws FhirError 400, 413 or 422 */
export type Walk = (root: Place, budget: Budget) => readonly Place[]

export interface PatchPath {
  readonly text: string
  readonly all: Walk
  /** For insert and move: the elements whose list the last step names, and that name. */
  readonly list: { readonly holders: Walk; readonly name: string } | undefined
}

/** Elements that all operations of one patch may look at; so many that only a hostile patch needs more. */
export class Budget {
  #left = 2_000_000
  readonly #sizeOf: () => number

  /** @param sizeOf about how many elements the resource has, asked when a condition is met */
  constructor(sizeOf: () => number) {
    this.#sizeOf = sizeOf
  }

  /** @throws FhirError 413 */
  spend(places: number): void {
    this.#left -= places
    if (this.#left >= 0) return
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: 'The patch looks at too many elements; use fewer conditions, or an index instead of where()',
    })
  }

  /** A condition may look at everything below the places it is asked of. */
  spendOnCondition(places: number): void {
    this.spend(places + this.#sizeOf())
  }
}

const MOST_CHARACTERS = 1000

/** @param at `Parameters.parameter[0]`, for messages. @throws FhirError 400 */
export function readPath(text: string, at: string): PatchPath {
  if (text.length > MOST_CHARACTERS)
    throw badRequest(`${at}: the path has ${text.length} characters; ${MOST_CHARACTERS} are the most`)
  const refuse = (problem: string): FhirError => badRequest(`${at}: the path '${text}' ${problem}`, { expression: at })
  const tree = parsed(text, refuse)
  const reader = new PathReader(text, refuse)
  const all = reader.walkOf(tree)
  const list =
    tree.kind === 'member' && tree.base !== undefined
      ? { holders: reader.walkOf(tree.base), name: tree.name }
      : undefined
  return { text, all, list }
}

function parsed(text: string, refuse: (problem: string) => FhirError): Ast {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw refuse(`is no FHIRPath: ${error.message.replace(/^.*?, (?=character \d+:)/s, '')}`)
  }
}

const SIMPLE =
  'a path is made of element names, [index], first(), last(), single(), where(), ofType(), as() and extension()'

type Step = (places: readonly Place[], budget: Budget) => readonly Place[]

class PathReader {
  readonly #text: string
  readonly #refuse: (problem: string) => FhirError

  constructor(text: string, refuse: (problem: string) => FhirError) {
    this.#text = text
    this.#refuse = refuse
  }

  walkOf(ast: Ast): Walk {
    switch (ast.kind) {
      case 'member':
        return ast.base === undefined ? this.#start(ast.name) : this.#then(ast.base, this.#member(ast.name))
      case 'item':
        return this.#then(ast.base, this.#index(ast.index))
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

  #then(base: Ast, step: Step): Walk {
    const before = this.walkOf(base)
    return (root, budget) => {
      const places = before(root, budget)
      budget.spend(places.length)
      return step(places, budget)
    }
  }

  /** `Patient.name`, or `name` alone. */
  #start(name: string): Walk {
    if (!/^[A-Z]/.test(name)) return (root, budget) => this.#member(name)([root], budget)
    return (root) => {
      if (isOfType(root.node, name)) return [root]
      throw this.#refuse(`starts with ${name}, but the resource is a ${root.type}`)
    }
  }

  #member(name: string): Step {
    return (places) =>
      places.flatMap((place) => {
        const element = elementOf(place.type, name)
        if (element !== undefined) return childrenOf(place, element)
        throw this.#refuse(
          `leads to '${name}', which is no element of ${place.type}; it has ${elementNames(place.type).join(', ')}`,
        )
      })
  }

  #index(index: Ast): Step {
    if (index.kind !== 'literal' || typeof index.value !== 'number' || !Number.isInteger(index.value))
      throw this.#refuse('has an index that is no whole number; write it as in name[0]')
    const at = index.value
    return (places) => places.slice(at, at + 1)
  }

  #call({ name, args }: Ast & { kind: 'call' }): Step {
    const [argument] = args
    if (argument === undefined) return this.#choice(name)
    if (args.length === 1 && name === 'where') return this.#where(argument)
    if (args.length === 1 && (name === 'ofType' || name === 'as')) return ofType(this.#typeName(argument))
    if (args.length === 1 && name === 'extension' && argument.kind === 'literal') {
      const url = argument.value
      const extensions = this.#member('extension')
      return (places, budget) =>
        extensions(places, budget).filter(({ node }) => isObject(node.value) && node.value.url === url)
    }
    throw this.#refuse(`calls ${name}(); ${SIMPLE}`)
  }

  #choice(name: string): Step {
    if (name === 'first') return (places) => places.slice(0, 1)
    if (name === 'last') return (places) => places.slice(-1)
    // Several are refused in the end, whatever the operation.
    if (name === 'single') return (places) => places
    throw this.#refuse(`calls ${name}(); ${SIMPLE}`)
  }

  #typeName(argument: Ast): string {
    if (argument.kind === 'member') {
      if (argument.base === undefined) return argument.name
      if (argument.base.kind === 'member' && argument.base.base === undefined)
        return `${argument.base.name}.${argument.name}`
    }
    throw this.#refuse('has a type that is no name; write it as in value.ofType(Quantity)')
  }

  #where(criterion: Ast): Step {
    const foreign = foreignTo(criterion)
    if (foreign !== undefined) throw this.#refuse(`has ${foreign} in a condition, which a patch does not take`)
    const evaluate = this.#compiled(criterion)
    return (places, budget) => {
      budget.spendOnCondition(places.length)
      return places.filter((place, index) => this.#holds(evaluate, place, index))
    }
  }

  #compiled(criterion: Ast): Evaluate {
    try {
      return compile(criterion, this.#text)
    } catch (error) {
      throw this.#refuse(`has a condition that cannot be read: ${error instanceof Error ? error.message : ''}`)
    }
  }

  #holds(evaluate: Evaluate, { node }: Place, index: number): boolean {
    const self: readonly Item[] = [node]
    try {
      return isTrue(evaluate({ self, index, session: { root: node, environment: {}, now: new Date() } }))
    } catch {
      throw unprocessable(`The condition of the path '${this.#text}' cannot be applied to what it meets`, {
        reason: 'patch-path-not-found',
      })
    }
  }
}

function ofType(specifier: string): Step {
  const name = withoutNamespace(specifier)
  return (places) => places.filter(({ node, type }) => type === name || isOfType(node, name))
}

/** Functions that look no further than what they are asked of, and no longer than it is. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  `exists empty not count first last single hasValue where all any extension ofType as is startsWith endsWith contains
  lower upper length toString indexOf`.split(/\s+/),
)

/** What would lead a condition away from the element it is asked of, or take more time than that element is long. */
function foreignTo(ast: Ast): string | undefined {
  switch (ast.kind) {
    case 'literal':
    case 'empty':
    case 'this':
    case 'index':
      return undefined
    case 'member':
      return ast.base && foreignTo(ast.base)
    case 'item':
      return foreignTo(ast.base) ?? foreignTo(ast.index)
    case 'type':
      return foreignTo(ast.base)
    case 'minus':
      return foreignTo(ast.operand)
    case 'operator':
      return ast.operator === '|' ? 'a union' : (foreignTo(ast.left) ?? foreignTo(ast.right))
    case 'call':
      if (!FUNCTIONS.has(ast.name)) return `${ast.name}()`
      return [...(ast.base === undefined ? [] : [ast.base]), ...ast.args].map(foreignTo).find(Boolean)
    case 'variable':
      return `%${ast.name}`
    case 'total':
      return '$total'
  }
}
