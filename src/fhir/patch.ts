/** JSON Patch on a resource: https://hl7.org/fhir/R4/http.html#patch and RFC 6902. */
import jsonPatch, { type Operation } from 'fast-json-patch'
import { badRequest, unprocessable } from './outcome.ts'
import { isObject } from './resource.ts'

export type JsonPatch = readonly Operation[]

const OPERATIONS = ['add', 'remove', 'replace', 'move', 'copy', 'test']

/** @throws FhirError 400 naming the operation that is malformed. */
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

/**
 * Applies `patch` to `document` (which is changed) and returns the result.
 * @throws FhirError 422 when a path does not exist or a test does not hold; the document is then unusable.
 */
export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  return patch.reduce((current, operation, index) => applyOne(current, operation, index), document)
}

function applyOne(document: unknown, operation: Operation, index: number): unknown {
  try {
    return jsonPatch.applyOperation(document, operation, true, true, true, index).newDocument
  } catch (error) {
    const name = error instanceof Error ? error.name : ''
    const reason = name === 'TEST_OPERATION_FAILED' ? 'the value there is another one' : 'there is no such element'
    throw unprocessable(
      `JSON Patch operation ${index} (${operation.op} ${operation.path}) cannot be applied: ${reason}`,
      {
        reason: name === 'TEST_OPERATION_FAILED' ? 'patch-test-failed' : 'patch-path-not-found',
      },
    )
  }
}
