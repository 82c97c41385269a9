/** Resource patches of every format, and JSON Patch: https://hl7.org/fhir/R4/http.html#patch and RFC 6902. */
import jsonPatch, { type MoveOperation, type Operation, type TestOperation } from 'fast-json-patch'
import { rethrowBudgetError, spend } from '../../isolation/budget.ts'
import { MAX_INLINE, nameOfData, withDataNamed } from '../content/marker.ts'
import { parseJson } from '../json.ts'
import { badRequest, FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import { applyXmlPatch, readXmlPatch } from '../xml/patch.ts'
import { type Patch, readFhirPathPatch } from './fhirpath-patch.ts'

export type { Patch }

/**
 * @param body the operations of a JSON Patch, the Parameters of a FHIRPath Patch, or the text of an XML Patch
 * @throws FhirError 400 naming the malformed operation
 */
export function readPatch(body: unknown): Patch {
  if (typeof body === 'string') {
    const operations = readXmlPatch(body)
    return (document) => applyXmlPatch(document, operations)
  }
  if (isObject(body)) return readFhirPathPatch(body)
  const operations = readJsonPatch(body)
  return (document) => applyJsonPatch(document, operations)
}

export type JsonPatch = readonly Operation[]

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test']
const MAX_OPERATIONS = 10_000

/** @throws FhirError 400 naming the malformed operation, 413 when there are too many */
export function readJsonPatch(body: unknown): JsonPatch {
  if (!Array.isArray(body))
    throw badRequest('A JSON Patch is an array of operations, e.g. [{"op":"replace","path":"/active","value":true}]')
  if (body.length > MAX_OPERATIONS) {
    throw new FhirError(413, {
      code: 'too-costly',
      diagnostics: `The patch has ${body.length} operations; the maximum is ${MAX_OPERATIONS}`,
    })
  }
  body.forEach(checkOperation)
  return body as JsonPatch
}

function checkOperation(operation: unknown, index: number): void {
  const at = `JSON Patch operation ${index}`
  if (!isObject(operation)) throw badRequest(`${at} is not an object`)
  const { op, path, from } = operation
  if (typeof op !== 'string' || !OPERATIONS.includes(op)) {
    throw badRequest(`${at}: op ${JSON.stringify(op)} is none of ${OPERATIONS.join(', ')}`)
  }
  for (const [name, pointer] of [['path', path], ...(op === 'move' || op === 'copy' ? [['from', from]] : [])]) {
    if (typeof pointer !== 'string' || (pointer !== '' && !pointer.startsWith('/'))) {
      throw badRequest(`${at}: ${name} must be a JSON Pointer such as /name/0/family`)
    }
  }
  if (['add', 'replace', 'test'].includes(op) && !('value' in operation)) throw badRequest(`${at}: ${op} needs a value`)
}

/** The total length of the copies in one patch: each copy can double the result of those before. */
const MAX_COPIED_CHARACTERS = 1_000_000

/** Besides the items of a list that it moves. */
const STEPS_PER_OPERATION = 10
const MOVED_PER_STEP = 250

/**
 * Applies `patch` to `document` (which is changed) and returns the result.
 * @throws FhirError 422 when a path does not exist or a test fails, 413 when it copies too much; the document is then
 *   unusable.
 * @throws BudgetError
 */
export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  let copied = 0
  return patch.reduce((current, operation, index) => {
    spend(STEPS_PER_OPERATION + siblingsOf(current, operation) / MOVED_PER_STEP, 'the operations of its patch')
    if (operation.op === 'move') return moveOne(current, operation, index)
    if (operation.op === 'test') return applyOne(current, withContentsNamed(operation), index)
    if (operation.op !== 'copy') return applyOne(current, withOwnValue(operation), index)
    const text = textAt(current, operation.from, operation, index)
    copied += text.length
    if (copied > MAX_COPIED_CHARACTERS) throw copiesTooMuch(index)
    return applyOne(current, { op: 'add', path: operation.path, value: parseJson(text) }, index)
  }, document)
}

/**
 * A test whose long base64 is named as in the document, which does not hold it (fhir/content/marker.ts). Its value is
 * changed rather than copied: a copy would lose the digits of decimals, and a repeated change would hash again.
 */
function withContentsNamed(operation: TestOperation<unknown>): TestOperation<unknown> {
  const { path, value } = operation
  const isOfData = typeof value === 'string' && value.length > MAX_INLINE && path.endsWith('/data')
  return { ...operation, value: isOfData ? nameOfData(value) : withDataNamed(value) }
}

/** The length of the list that the operation changes, if it is one. */
function siblingsOf(document: unknown, { path }: Operation): number {
  const holder = path === '' ? undefined : valueAt(document, path.slice(0, path.lastIndexOf('/')))
  return Array.isArray(holder) ? holder.length : 0
}

/** Undefined where there is none. */
function valueAt(document: unknown, pointer: string): unknown {
  try {
    return jsonPatch.getValueByPointer(document, pointer)
  } catch {
    return undefined
  }
}

/** The package would copy the document for each move. */
function moveOne(document: unknown, operation: MoveOperation, index: number): unknown {
  const { from, path } = operation
  const value = valueAt(document, from)
  // An element cannot be moved into itself.
  if (value === undefined || path.startsWith(`${from}/`)) throw notApplicable(operation, index, PATH_NOT_FOUND)
  if (path === '') return value
  if (path === from) return document
  const rest = applyOne(document, { op: 'remove', path: from }, index, operation)
  return applyOne(rest, { op: 'add', path, value }, index, operation)
}

/** A copy: later operations may change the inserted value, and the patch may be applied again, to another version. */
const withOwnValue = (operation: Operation): Operation =>
  operation.op === 'add' || operation.op === 'replace'
    ? { ...operation, value: parseJson(JSON.stringify(operation.value)) }
    : operation

/** The package's own copies would lose the digits of decimals. */
function textAt(document: unknown, pointer: string, operation: Operation, index: number): string {
  const text = attempt(operation, index, () => JSON.stringify(jsonPatch.getValueByPointer(document, pointer)))
  if (text === undefined) throw notApplicable(operation, index, PATH_NOT_FOUND)
  return text
}

/** @param named the operation of the client that this one is a part of */
const applyOne = (document: unknown, operation: Operation, index: number, named = operation): unknown =>
  attempt(named, index, () => jsonPatch.applyOperation(document, operation, true, true, true, index).newDocument)

const PATH_NOT_FOUND = { problem: 'there is no such element', reason: 'patch-path-not-found' }
const TEST_FAILED = { problem: 'the value is different', reason: 'patch-test-failed' }

function attempt<T>(operation: Operation, index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    rethrowBudgetError(error)
    const failed = error instanceof Error && error.name === 'TEST_OPERATION_FAILED'
    throw notApplicable(operation, index, failed ? TEST_FAILED : PATH_NOT_FOUND)
  }
}

const notApplicable = ({ op, path }: Operation, index: number, { problem, reason }: typeof TEST_FAILED): FhirError =>
  unprocessable(`JSON Patch operation ${index} (${op} ${path}) cannot be applied: ${problem}`, { reason })

const copiesTooMuch = (index: number): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `JSON Patch operation ${index}: the copies of a patch may have at most ${MAX_COPIED_CHARACTERS} characters in total; write the elements in a replace`,
  })
