/**
 * The code systems, value sets and concept maps that the R4 packages carry (resources/r4/terminology.jsonl,
 * `npm run definitions`). The file is looked through when first asked; of each resource only the place is kept, and the
 * resources read last.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { BoundedCache } from './bounded-cache.ts'
import type { Canonical } from './canonical.ts'

export interface Terms {
  readonly CodeSystem: CodeSystem
  readonly ValueSet: ValueSet
  readonly ConceptMap: ConceptMap
}
export type TermsType = keyof Terms

interface Place {
  /** Bytes. */
  readonly start: number
  readonly length: number
  readonly version: string | undefined
}

const FILE = join(import.meta.dirname, '../../resources/r4/terminology.jsonl')
const NEW_LINE = 10
/** Holds the type, the url and the version of every line. */
const HEAD_BYTES = 400
/** Of text; the objects made of it take a few times that. */
const MAX_CACHED_BYTES = 3_000_000

let places: ReadonlyMap<string, Place> | undefined
const kept = new BoundedCache<CodeSystem | ValueSet | ConceptMap>(MAX_CACHED_BYTES)

/** Undefined when no package has it, or another version of it. */
export function packaged<Type extends TermsType>(type: Type, { url, version }: Canonical): Terms[Type] | undefined {
  const key = `${type} ${url}`
  const place = index().get(key)
  if (place === undefined || (version !== undefined && version !== place.version)) return undefined
  const known = kept.get(key)
  if (known !== undefined) return known as Terms[Type]
  const resource = readAt(place) as Terms[Type]
  kept.set(key, resource, place.length)
  return resource
}

/** The addresses of all of a type, each with its version. */
export const packagedCanonicals = (type: TermsType): readonly Canonical[] =>
  [...index()]
    .filter(([key]) => key.startsWith(`${type} `))
    .map(([key, { version }]) => ({ url: key.slice(type.length + 1), ...(version === undefined ? {} : { version }) }))

function index(): ReadonlyMap<string, Place> {
  places ??= new Map(linesOf(readFileSync(FILE)))
  return places
}

function* linesOf(bytes: Buffer): Generator<readonly [string, Place]> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEW_LINE, start)
    const head = bytes.toString('latin1', start, Math.min(end, start + HEAD_BYTES))
    const found = /^\{"resourceType":"(\w+)","url":"([^"]+)",(?:"version":"([^"]+)")?/.exec(head)
    if (found === null)
      throw new Error(`${FILE}: the line at byte ${start} has no type and url; run npm run definitions`)
    yield [`${found[1]} ${found[2]}`, { start, length: end - start, version: found[3] }]
    start = end + 1
  }
}

function readAt({ start, length }: Place): unknown {
  const bytes = Buffer.alloc(length)
  const file = openSync(FILE, 'r')
  try {
    readSync(file, bytes, 0, length, start)
  } finally {
    closeSync(file)
  }
  return JSON.parse(bytes.toString('utf8'))
}
