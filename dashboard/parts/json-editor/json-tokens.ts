/** The tokens of JSON that is being written, which may be incomplete: their colours, and the place of an element of a resource. */
import { pathOf } from '../../fhir/json-text.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

interface Token extends Range {
  readonly text: string
}

/** Texts, which may lack their closing quote; signs; numbers and words. */
const TOKEN = /"(?:\\.|[^"\\\n])*"?|[{}[\]:,]|[^\s"{}[\]:,]+/g

const tokensOf = (text: string): readonly Token[] =>
  [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ text: token, from: index, to: index + token.length }))

/** All of the text: texts, a name with its colon; signs and space; numbers and words. */
const PART = /"(?:\\.|[^"\\\n])*"?(\s*:)?|[{}[\]:,\s]+|[^\s"{}[\]:,]+/g

interface ColouredPart {
  readonly text: string
  /** A class of styles.css; empty: it has no colour. */
  readonly kind: string
  readonly isMarked: boolean
}

/** @param marks ranges that are marked */
export const coloured = (text: string, marks: readonly Range[]): readonly ColouredPart[] =>
  [...text.matchAll(PART)].map(({ 0: part, 1: colon, index }) => {
    const kind = kindOf(part, colon !== undefined)
    const isWithin = marks.some(({ from, to }) => from < index + part.length && index < to)
    // Not the space between them.
    return { text: part, kind, isMarked: kind !== '' && isWithin }
  })

function kindOf(part: string, isName: boolean): string {
  if (part.startsWith('"')) return isName ? 'json-name' : 'json-string'
  if (/^[\d-]/.test(part)) return 'json-number'
  return /^[a-z]/.test(part) ? 'json-word' : ''
}

/** The range of each element, or of its nearest ancestor that is there. */
export function rangesOf(text: string, expressions: readonly string[]): readonly Range[] {
  if (expressions.length === 0) return []
  const tokens = tokensOf(text)
  return expressions.map((expression) => rangeOf(text, tokens, expression))
}

function rangeOf(text: string, tokens: readonly Token[], expression: string): Range {
  let range: Range = { from: 0, to: Math.min(1, text.length) }
  /** The first token of the value that the steps so far lead to. */
  let value = 0
  for (const step of pathOf(expression)) {
    const part = typeof step === 'number' ? partsOf(tokens, value, '[')[step] : memberOf(tokens, value, step)
    if (part === undefined) break
    value = typeof step === 'number' ? part : part + 2
    range = { from: tokens[part]?.from ?? 0, to: tokens[endOf(tokens, value)]?.to ?? text.length }
  }
  return range
}

/** The last token of the value that begins with a token. */
function endOf(tokens: readonly Token[], value: number): number {
  let depth = 0
  for (let at = value; at < tokens.length; at += 1) {
    const sign = tokens[at]?.text ?? ''
    if (sign === '{' || sign === '[') depth += 1
    if (sign === '}' || sign === ']') depth -= 1
    if (depth <= 0) return at
  }
  return tokens.length - 1
}

/** The first tokens of the items of a list, or the names of the members of an object; none for another value. */
function partsOf(tokens: readonly Token[], value: number, opening: '{' | '['): readonly number[] {
  if (tokens[value]?.text !== opening) return []
  const last = endOf(tokens, value)
  const parts: number[] = []
  for (let at = value + 1; at < last; at = endOf(tokens, opening === '{' ? at + 2 : at) + 2) parts.push(at)
  return parts
}

/** `value` is also `valueQuantity`. */
function memberOf(tokens: readonly Token[], value: number, wanted: string): number | undefined {
  const members = partsOf(tokens, value, '{')
  const nameAt = (at: number): string => tokens[at]?.text.slice(1, -1) ?? ''
  const isChoice = (name: string): boolean => name.startsWith(wanted) && /^[A-Z]/.test(name.slice(wanted.length))
  return members.find((at) => nameAt(at) === wanted) ?? members.find((at) => isChoice(nameAt(at)))
}
