/** FHIRPath Patch, operations on a resource as a Parameters resource: https://hl7.org/fhir/R4/fhirpatch.html */
import { spend } from '../../isolation/budget.ts'
import type { ElementStructure } from '../definitions.ts'
import { badRequest, FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import {
  append,
  changeList,
  countOf,
  elementNames,
  elementOf,
  isPrimitive,
  moveItem,
  type PatchTarget,
  put,
  remove,
  rootOf,
  setElement,
  type TargetPosition,
} from './patch-target.ts'
import { type PatchPath, readPath, Visits } from './path.ts'
import { convertValue, type Part, type PatchValue, readParts, readPatchValue } from './value.ts'

/**
 * Returns the patched resource as JSON. The given document must not be used afterwards. May be called again, for another
 * version.
 * @throws FhirError 422 when the patch cannot be applied, 413 when its result is too large
 */
export type Patch = (document: unknown) => unknown

/** Changes the resource in place. @throws FhirError 422 when the operation does not apply to it */
type Operation = (root: PatchTarget, visits: Visits) => void

const MAX_OPERATIONS = 1000
/** To read an operation and apply it, besides the elements that its path visits. */
const STEPS_PER_OPERATION = 50

const WHAT = 'the operations of its patch'

/** @throws FhirError 400 naming the malformed operation, 413 when there are too many. @throws BudgetError */
export function readFhirPathPatch(body: unknown): Patch {
  if (!isObject(body) || body.resourceType !== 'Parameters')
    throw badRequest(
      'A FHIRPath Patch is a Parameters resource with a parameter "operation" for each change. A part of the resource (a JSON Merge Patch) is no patch of R4',
    )
  const { parameter = [] } = body
  if (!Array.isArray(parameter))
    throw badRequest('Parameters.parameter must be a list', { expression: 'Parameters.parameter' })
  if (parameter.length > MAX_OPERATIONS) {
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: `The patch has ${parameter.length} operations; the maximum is ${MAX_OPERATIONS}`,
      expression: 'Parameters.parameter',
    })
  }
  spend(parameter.length * STEPS_PER_OPERATION, WHAT)
  const operations = parameter.map((one, index) => readOperation(one, `Parameters.parameter[${index}]`))
  return (resource) => {
    if (!isObject(resource)) return resource
    const root = rootOf(resource)
    const visits = new Visits(() => countElements(resource))
    for (const operation of operations) {
      spend(STEPS_PER_OPERATION, WHAT)
      operation(root, visits)
    }
    return resource
  }
}

function countElements(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countElements(item), 0)
  return isObject(value) ? Object.values(value).reduce<number>((sum, item) => sum + countElements(item), 1) : 1
}

/** The parts of each operation type; all of them are required. */
const PARTS = {
  add: ['path', 'name', 'value'],
  insert: ['path', 'value', 'index'],
  delete: ['path'],
  replace: ['path', 'value'],
  move: ['path', 'source', 'destination'],
} as const

type OperationType = keyof typeof PARTS

function readOperation(parameter: unknown, at: string): Operation {
  if (!isObject(parameter) || parameter.name !== 'operation')
    throw badRequest(`${at} must have the name 'operation', the only parameter of a FHIRPath Patch`, { expression: at })
  const parts = new OperationParts(readParts(parameter.part, at), at)
  const path = readPath(parts.text('path'), at)
  switch (parts.type) {
    case 'add':
      return add(path, parts.text('name'), parts.patchValue(), at)
    case 'insert':
      return insert(path, parts.index('index'), parts.patchValue(), at)
    case 'delete':
      return deletion(path, at)
    case 'replace':
      return replace(path, parts.patchValue(), at)
    case 'move':
      return move(path, parts.index('source'), parts.index('destination'), at)
  }
}

/** The parts of one operation: each exactly once, and only those that its type defines. */
class OperationParts {
  readonly type: OperationType
  readonly #parts: ReadonlyMap<string, Part>
  readonly #at: string

  constructor(parts: readonly Part[], at: string) {
    this.#at = at
    this.#parts = new Map(parts.map((part) => [part.name, part]))
    if (this.#parts.size < parts.length) throw this.#refuse('has the same part twice')
    this.type = this.#readType()
    const known: readonly string[] = ['type', ...PARTS[this.type]]
    const unknown = parts.find(({ name }) => !known.includes(name))
    const missing = known.find((name) => !this.#parts.has(name))
    const wrong = unknown === undefined ? missing && `has no part '${missing}'` : `has a part '${unknown.name}'`
    if (wrong !== undefined) throw this.#refuse(`${wrong}; ${this.type} has the parts ${known.join(', ')}`)
  }

  text(name: string): string {
    const text = this.#value(name)
    if (typeof text === 'string' && text !== '') return text
    throw this.#refuse(`must have ${name} as {"name": "${name}", "valueString": "…"}`)
  }

  index(name: string): number {
    const value = this.#value(name)
    const index = typeof value === 'number' ? value : Number.NaN
    if (Number.isSafeInteger(index) && index >= 0) return index
    throw this.#refuse(`must have ${name} as {"name": "${name}", "valueInteger": 0}, from 0`)
  }

  patchValue(): PatchValue {
    const part = this.#parts.get('value')
    if (part === undefined) throw this.#refuse("has no part 'value'")
    return readPatchValue(part, `${this.#at}.part.where(name = 'value')`)
  }

  #readType(): OperationType {
    const types = Object.keys(PARTS) as OperationType[]
    const type = types.find((one) => one === this.#value('type'))
    if (type !== undefined) return type
    throw this.#refuse(`must have type as {"name": "type", "valueCode": "…"}, one of ${types.join(', ')}`)
  }

  #value(name: string): unknown {
    const part = this.#parts.get(name)
    const given = part === undefined ? undefined : readPatchValue(part, `${this.#at}.part.where(name = '${name}')`)
    return given?.kind === 'value' ? given.content.value : undefined
  }

  #refuse(problem: string): FhirError {
    return badRequest(`${this.#at} ${problem}`, { expression: this.#at })
  }
}

const add =
  (path: PatchPath, name: string, given: PatchValue, at: string): Operation =>
  (root, visits) => {
    const target = single(path.all(root, visits), path, at)
    const element = elementAt(target, name, at)
    const { property, content } = convertValue(given, element, name, at)
    if (element.max > 1) append(target, property, content)
    else if (countOf(target, element) === 0) setElement(target, property, content)
    else throw notApplicable(`'${name}' already exists at '${path.text}'; replace it`, at, 'patch-element-exists')
  }

const insert =
  (path: PatchPath, index: number, given: PatchValue, at: string): Operation =>
  (root, visits) => {
    const { holder, element, size } = listAt(path, root, visits, at)
    visits.spendOnList(size)
    if (index > size) throw outside('index', index, size, path, at)
    const { property, content } = convertValue(given, element, element.name, at)
    changeList(holder, property, { at: index, removed: 0, added: [content] })
  }

const move =
  (path: PatchPath, source: number, destination: number, at: string): Operation =>
  (root, visits) => {
    const { holder, element, size } = listAt(path, root, visits, at)
    visits.spendOnList(size)
    if (source >= size) throw outside('source', source, size - 1, path, at)
    if (destination >= size) throw outside('destination', destination, size - 1, path, at)
    moveItem(holder, element.name, source, destination)
  }

/** Deleting an absent element succeeds. */
const deletion =
  (path: PatchPath, at: string): Operation =>
  (root, visits) => {
    const targets = path.all(root, visits)
    if (targets.length > 0) remove(inside(single(targets, path, at), path, at))
  }

const replace =
  (path: PatchPath, given: PatchValue, at: string): Operation =>
  (root, visits) => {
    const position = inside(single(path.all(root, visits), path, at), path, at)
    const { property, content } = convertValue(given, position.element, position.element.name, at)
    put(position, content, property)
  }

/** @throws FhirError 422 unless the path selects exactly one element */
function single(targets: readonly PatchTarget[], { text }: PatchPath, at: string): PatchTarget {
  const [target] = targets
  if (target === undefined) throw notApplicable(`the path '${text}' selects nothing`, at, 'patch-path-not-found')
  if (targets.length === 1) return target
  throw notApplicable(
    `the path '${text}' selects ${targets.length} elements; it must select one, by an index or a condition`,
    at,
    'patch-path-several',
  )
}

function inside({ at: position }: PatchTarget, { text }: PatchPath, at: string): TargetPosition {
  if (position !== undefined) return position
  throw badRequest(`${at}: the path '${text}' is the whole resource; an update replaces it, a delete deletes it`, {
    expression: at,
  })
}

function elementAt(target: PatchTarget, name: string, at: string): ElementStructure {
  const element = elementOf(target.type, name)
  if (element !== undefined) return element
  const names = elementNames(target.type).join(', ')
  throw badRequest(`${at}: ${target.type} has no element '${name}'; it has ${names}`, { expression: at })
}

interface SelectedList {
  readonly holder: PatchTarget
  readonly element: ElementStructure
  readonly size: number
}

/** @throws FhirError 400 when the path does not end in the name of a list, 422 when it selects none or several */
function listAt(path: PatchPath, root: PatchTarget, visits: Visits, at: string): SelectedList {
  const { list, text } = path
  if (list === undefined)
    throw badRequest(`${at}: the path '${text}' must end in the name of a list, as in Patient.name`, { expression: at })
  const holder = single(list.holders(root, visits), path, at)
  const element = elementAt(holder, list.name, at)
  const size = countOf(holder, element)
  if (element.max === 1 && !isPrimitive(holder.type))
    throw badRequest(`${at}: '${list.name}' of ${holder.type} is not a list`, { expression: at })
  if (size > 0) return { holder, element, size }
  throw notApplicable(`the list '${text}' is empty; use add for its first element`, at, 'patch-path-not-found')
}

const outside = (what: string, index: number, max: number, { text }: PatchPath, at: string): FhirError =>
  notApplicable(`${what} is ${index}, but in '${text}' it can be at most ${max}`, at, 'patch-path-not-found')

const notApplicable = (problem: string, at: string, reason: string): FhirError =>
  unprocessable(`${at} cannot be applied: ${problem}`, { expression: at, reason })
