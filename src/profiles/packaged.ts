/** The profiles and extensions published with R4 (resources/r4/profiles.jsonl, `npm run definitions`). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StructureDefinition } from 'fhir/r4'

const FILE = join(import.meta.dirname, '../../resources/r4/profiles.jsonl')
const HEAD = /^\{"resourceType":"StructureDefinition","url":"([^"]+)"/

let lines: ReadonlyMap<string, string> | undefined
const parsed = new Map<string, StructureDefinition>()

/** Undefined when R4 has none with this url and version. The file is read on first use. */
export function packagedProfile(url: string, version?: string): StructureDefinition | undefined {
  lines ??= new Map(
    readFileSync(FILE, 'utf8')
      .split('\n')
      .map((line) => [HEAD.exec(line)?.[1] ?? '', line]),
  )
  const line = lines.get(url)
  if (line === undefined || url === '') return undefined
  const definition = parsed.get(url) ?? (JSON.parse(line) as StructureDefinition)
  parsed.set(url, definition)
  return version === undefined || version === definition.version ? definition : undefined
}
