/**
 * The code systems, value sets and concept maps of the R4 packages (resources/r4/terminology.jsonl, `npm run
 * definitions`). The file is indexed on first use: the positions of the resources are in memory, and a cache of those
 * read last.
 */
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { LRUCache } from 'lru-cache'
import { spend } from '../isolation/budget.ts'
import type { Canonical } from './canonical.ts'

export interface Terms {
  readonly CodeSystem: CodeSystem
  readonly ValueSet: ValueSet
  readonly ConceptMap: ConceptMap
}
export type TermsType = keyof Terms

interface FilePosition {
  /** In bytes. */
  readonly start: number
  readonly length: number
  readonly version: string | undefined
}

const FILE = join(import.meta.dirname, '../../resources/r4/terminology.jsonl')
const NEW_LINE = 10
/** Enough to read the type, url and version of every line. */
const HEAD_BYTES = 400
/** Size as JSON text; the parsed objects take a multiple of that. */
const MAX_CACHED_BYTES = 3_000_000

/** Bytes that are parsed in one step. */
const PARSED_IN_A_STEP = 64
/** Most steps charged for one resource: the event loop must be able to fill its own cache. */
const MOST_STEPS = 2_000

let positions: ReadonlyMap<string, FilePosition> | undefined
const cache = new LRUCache<string, CodeSystem | ValueSet | ConceptMap>({ maxSize: MAX_CACHED_BYTES })

/** Undefined when no package has it in this version. @throws Error when the file is malformed */
export function packaged<Type extends TermsType>(type: Type, { url, version }: Canonical): Terms[Type] | undefined {
  const key = `${type} ${url}`
  const position = index().get(key)
  if (position === undefined || (version !== undefined && version !== position.version)) return undefined
  const cached = cache.get(key)
  if (cached !== undefined) return cached as Terms[Type]
  spend(Math.min(position.length / PARSED_IN_A_STEP, MOST_STEPS), 'reading value sets and code systems of R4')
  const resource = readAt(position) as Terms[Type]
  cache.set(key, resource, { size: position.length })
  return resource
}

/** The canonicals of all packaged resources of a type, with their versions. @throws Error when the file is malformed */
export const packagedCanonicals = (type: TermsType): readonly Canonical[] =>
  [...index()]
    .filter(([key]) => key.startsWith(`${type} `))
    .map(([key, { version }]) => ({ url: key.slice(type.length + 1), ...(version === undefined ? {} : { version }) }))

function index(): ReadonlyMap<string, FilePosition> {
  positions ??= new Map(linesOf(readFileSync(FILE)))
  return positions
}

function* linesOf(bytes: Buffer): Generator<readonly [string, FilePosition]> {
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

function readAt({ start, length }: FilePosition): unknown {
  const bytes = Buffer.alloc(length)
  const file = openSync(FILE, 'r')
  try {
    readSync(file, bytes, 0, length, start)
  } finally {
    closeSync(file)
  }
  return JSON.parse(bytes.toString('utf8'))
}
