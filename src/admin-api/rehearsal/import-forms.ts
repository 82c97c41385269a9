/** The forms of an import: NDJSON (https://github.com/ndjson/ndjson-spec), and Bundles. */
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { entriesOf, linesOf, type Splitter } from '../../rehearsal/transfer/items.ts'

/** How the items of a body are found, named, read, and put together again for a work thread. */
export interface BodyForm {
  readonly split: Splitter
  /** The media type of parts. */
  readonly type: string
  /** The name of an item in answers and messages. */
  readonly name: 'line' | 'entry'
  readonly resourceIn: (value: unknown) => unknown
  readonly joined: (items: readonly Buffer[]) => Uint8Array
  /** The number of the first item. */
  readonly first: 0 | 1
}

const NDJSON: BodyForm = {
  split: linesOf,
  type: 'application/fhir+ndjson',
  name: 'line',
  resourceIn: (line) => line,
  joined: (items) => bytesOf(items, '', '\n', '\n'),
  first: 1,
}

export const BUNDLE: BodyForm = {
  split: entriesOf,
  type: 'application/fhir+json',
  name: 'entry',
  resourceIn: resourceInEntry,
  joined: (items) => bytesOf(items, '{"resourceType":"Bundle","type":"collection","entry":[', ',', ']}'),
  first: 0,
}

export const FORMS: ReadonlyMap<string, BodyForm> = new Map([
  ['application/fhir+ndjson', NDJSON],
  ['application/ndjson', NDJSON],
  ['application/x-ndjson', NDJSON],
  ['application/fhir+json', BUNDLE],
  ['application/json', BUNDLE],
])

/** In memory of its own, as a work thread gets it. */
function bytesOf(items: readonly Buffer[], begin: string, between: string, end: string): Uint8Array {
  const parts = items.flatMap((item, index) => [Buffer.from(index === 0 ? begin : between), item])
  return Uint8Array.from(Buffer.concat([...parts, Buffer.from(end)]))
}

/** @throws FhirError 400 */
function resourceInEntry(entry: unknown): unknown {
  const { resource, request } = isObject(entry) ? entry : {}
  const method = isObject(request) ? request.method : undefined
  if (method !== undefined && method !== 'PUT' && method !== 'POST') {
    throw badRequest('The entry asks for something else than to write its resource; an import takes PUT and POST only')
  }
  if (resource === undefined) throw badRequest('The entry has no resource')
  return resource
}
