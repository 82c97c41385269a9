/**
 * The types of @types/fhir, strict about values that may be absent: R4 lets an extension stand in the place of any
 * primitive value (`"_status": {"extension": [{"url": "…data-absent-reason", …}]}`), so every primitive may be absent, one
 * that the type must have too, and null in a list. https://hl7.org/fhir/R4/json.html#primitive
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const packageFile = createRequire(import.meta.url).resolve('@types/fhir/package.json')

const PRIMITIVE = String.raw`string|number|boolean|\('.*'\)`
/** `status: ('active'|'draft');`, but not the resourceType of a type. */
const REQUIRED = new RegExp(String.raw`^( +\w+): (${PRIMITIVE});$`)
const LIST = new RegExp(String.raw`^( +\w+\??): (${PRIMITIVE})\[\]`)

const EXTENSIONS_OF_LIST = /^( +_\w+\?: )Element\[\]/

const strict = (line: string): string =>
  line
    .replace(REQUIRED, '$1?: $2 | undefined;')
    .replace(LIST, '$1: ($2 | null)[]')
    .replace(EXTENSIONS_OF_LIST, '$1(Element | null)[]')

/** Without comments, which only repeat the specification. */
export function types(): string {
  const published = readFileSync(join(dirname(packageFile), 'r4.d.ts'), 'utf8')
  const lines = published.split('\n').filter((line) => !/^ *(?:\/\*\*|\*|\/\/)|^export as namespace/.test(line))
  return `${lines.map(strict).join('\n').trim()}\n`
}
