/** JSON with one line per entry, so that a changed definition is one line in a diff. */
import { isObject } from '../../src/fhir/resource.ts'

export function definitionsText(content: unknown): string {
  if (Array.isArray(content)) return `[\n${content.map((item) => JSON.stringify(item)).join(',\n')}\n]\n`
  if (!isObject(content)) return `${JSON.stringify(content)}\n`
  const lines = Object.entries(content).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{\n${lines.join(',\n')}\n}\n`
}
