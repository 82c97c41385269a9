/** JSON that keeps its numbers as they were written: `1.00` is not `1` in FHIR. */

/** A number as it was written; it is written so again by JSON.stringify. */
interface RawJson {
  readonly rawJSON: string
}

/** JSON with https://tc39.es/proposal-json-parse-with-source/; browsers without it lose trailing zeros. */
const json = JSON as unknown as {
  readonly rawJSON?: (text: string) => RawJson
  readonly isRawJSON?: (value: unknown) => value is RawJson
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ) => unknown
}

/** @throws SyntaxError */
export const parseLossless = (text: string): unknown =>
  json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && json.rawJSON !== undefined
      ? json.rawJSON(context.source)
      : value,
  )

/** The number as it was written; undefined for any other value. */
export const numberText = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value)
  return json.isRawJSON?.(value) ? value.rawJSON : undefined
}

/** The object or list that the text is in JSON, with its numbers as they were written; undefined where it is none. */
export function treeIn(text: string): object | undefined {
  try {
    const value = parseLossless(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The text with a line for each element; the text itself where it is not JSON. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(parseLossless(text), null, 2)
  } catch {
    return text
  }
}

/** The steps to the element `Patient.name[0].given[1]`: `['name', 0, 'given', 1]`. */
export function pathOf(expression: string): readonly (string | number)[] {
  const [, ...parts] = expression.split('.')
  return parts.flatMap((part) => {
    const found = /^(\w+)(?:\[(\d+)\])?/.exec(part)
    if (found?.[1] === undefined) return []
    return found[2] === undefined ? [found[1]] : [found[1], Number(found[2])]
  })
}
