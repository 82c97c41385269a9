/** Resource patches of every format, and JSON Patch: https://hl7.org/fhir/R4/http.html#patch and RFC 6902. */
import jsonPatch, { type Operation } from 'fast-json-patch'
import { parseJson } from '../json.ts'
import { badRequest, FhirError, unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'
import { applyXmlPatch } from '../xml/apply-patch.ts'
import { readXmlPatch } from '../xml/patch.ts'
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

/** @throws FhirError 400 naming the malformed operation */
export function readJsonPatch(body: unknown): JsonPatch {
  if (!Array.isArray(body))
    throw badRequest('A JSON Patch is an array of operations, e.g. [{"op":"replace","path":"/active","value":true}]')
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

/**
 * Applies `patch` to `document` (which is changed) and returns the result.
 * @throws FhirError 422 when a path does not exist or a test fails, 413 when it copies too much; the document is then
 *   unusable.
 */
export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  let copied = 0
  return patch.reduce((current, operation, index) => {
    if (operation.op !== 'copy') return applyOne(current, withOwnValue(operation), index)
    const text = textAt(current, operation.from, operation, index)
    copied += text.length
    if (copied > MAX_COPIED_CHARACTERS) throw copiesTooMuch(index)
    return applyOne(current, { op: 'add', path: operation.path, value: parseJson(text) }, index)
  }, document)
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

const applyOne = (document: unknown, operation: Operation, index: number): unknown =>
  attempt(operation, index, () => jsonPatch.applyOperation(document, operation, true, true, true, index).newDocument)

const PATH_NOT_FOUND = { problem: 'there is no such element', reason: 'patch-path-not-found' }
const TEST_FAILED = { problem: 'the value is different', reason: 'patch-test-failed' }

function attempt<T>(operation: Operation, index: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
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
