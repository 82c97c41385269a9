/** Facts about a text that JSON.parse does not report: its nesting depth and duplicate names. */
import { isObject } from './resource.ts'

export interface JsonCount {
  /** Properties of all objects. */
  readonly names: number
  /** Objects, arrays and their members. */
  readonly values: number
}

/**
 * Counted before parsing, so that a hostile body can neither exhaust memory nor overflow the stack of the code that
 * processes it later. Undefined when the text is nested deeper than `maxDepth`.
 */
export function countJson(text: string, maxDepth: number): JsonCount | undefined {
  let depth = 0
  let names = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case ':':
        names++
        break
      case ',':
        values++
        break
      case '{':
      case '[':
        values++
        if (++depth > maxDepth) return undefined
        break
      case '}':
      case ']':
        depth--
    }
  }
  return { names, values }
}

/** Values of a body or a file. 16 MB of ordinary resources have half as many. */
export const MAX_JSON_VALUES = 2_000_000

/** False when JSON.parse has silently dropped a property because its name occurs twice. */
export const hasAllNames = (value: unknown, names: number): boolean => namesIn(value) === names

function namesIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + namesIn(item), 0)
  if (!isObject(value)) return 0
  let names = 0
  for (const name in value) names += 1 + namesIn(value[name])
  return names
}

/** The first duplicate name within an object of this valid JSON text. */
export function repeatedName(text: string): string | undefined {
  const open: Set<string>[] = []
  let string = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{') open.push(new Set())
    else if (char === '}') open.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      string = text.slice(at, end + 1)
      at = end
    } else if (char === ':') {
      const name: string = JSON.parse(string)
      if (open.at(-1)?.has(name)) return name
      open.at(-1)?.add(name)
    }
  }
  return undefined
}

/** The position of the quote that closes the string opened at `start`; the end of the text when there is none. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
