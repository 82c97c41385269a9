/**
 * Phrases as templates: phrase`half past ${hour}` reads these words and returns the hour. A word may have alternatives
 * (`to|till`) and may be optional (`[a]`). A reader returns every match at a position; there is no other backtracking.
 */
import type { Token } from './tokens.ts'

export interface Match<Value> {
  readonly value: Value
  /** The position after the last token read. */
  readonly end: number
}

export type Reader<Value> = (tokens: readonly Token[], at: number) => readonly Match<Value>[]

type ValuesOf<Readers extends readonly Reader<unknown>[]> = {
  [Index in keyof Readers]: Readers[Index] extends Reader<infer Value> ? Value : never
}

/** @returns a function from `make`, which combines the values, to a reader; undefined from `make` means no match */
export function phrase<const Readers extends readonly Reader<unknown>[]>(
  literals: TemplateStringsArray,
  ...readers: Readers
): <Value>(make: (...values: ValuesOf<Readers>) => Value | undefined) => Reader<Value> {
  const steps = literals.flatMap((literal, index): readonly Reader<unknown>[] => {
    const reader = readers[index]
    return reader === undefined ? wordsOf(literal) : [...wordsOf(literal), reader]
  })
  const isValue = new Set<Reader<unknown>>(readers)
  return (make) => (tokens, at) => {
    let matches: readonly Match<readonly unknown[]>[] = [{ value: [], end: at }]
    for (const step of steps) {
      matches = matches.flatMap(({ value, end }) =>
        step(tokens, end).map((found) => ({
          value: isValue.has(step) ? [...value, found.value] : value,
          end: found.end,
        })),
      )
    }
    // Only the steps with values are readers, in the same order.
    return matches.flatMap(({ value, end }) => matchOf(make(...(value as ValuesOf<Readers>)), end))
  }
}

/** A phrase without readers. */
export const literal =
  (words: string) =>
  <Value>(make: () => Value): Reader<Value> => {
    const steps = wordsOf(words)
    return (tokens, at) => {
      let ends: readonly number[] = [at]
      for (const step of steps) ends = ends.flatMap((end) => step(tokens, end).map((match) => match.end))
      return ends.map((end) => ({ value: make(), end }))
    }
  }

const matchOf = <Value>(value: Value | undefined, end: number): readonly Match<Value>[] =>
  value === undefined ? [] : [{ value, end }]

const wordsOf = (literal: string): readonly Reader<undefined>[] =>
  literal
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word.startsWith('[') ? optional(word.slice(1, -1)) : oneOf(word)))

function oneOf(alternatives: string): Reader<undefined> {
  const words = new Set(alternatives.split('|'))
  return (tokens, at) => (words.has(tokens[at]?.text ?? '') ? [{ value: undefined, end: at + 1 }] : [])
}

function optional(alternatives: string): Reader<undefined> {
  const word = oneOf(alternatives)
  return (tokens, at) => {
    const found = word(tokens, at)
    return found.length > 0 ? found : [{ value: undefined, end: at }]
  }
}

/** All matches of any reader, in order; computed once per position, however many phrases begin with it. */
export function either<Value>(...readers: readonly Reader<Value>[]): Reader<Value> {
  const known = new WeakMap<readonly Token[], (readonly Match<Value>[])[]>()
  return (tokens, at) => {
    const found = known.get(tokens) ?? []
    known.set(tokens, found)
    const matches = found[at] ?? readers.flatMap((reader) => reader(tokens, at))
    found[at] = matches
    return matches
  }
}

/** Reads one token. */
export const one =
  <Value>(meaning: (token: Token) => Value | undefined): Reader<Value> =>
  (tokens, at) => {
    const token = tokens[at]
    return token === undefined ? [] : matchOf(meaning(token), at + 1)
  }

/** The longest match; the first, if several are equally long. */
export function longest<Value>(reader: Reader<Value>, tokens: readonly Token[], at: number): Match<Value> | undefined {
  let best: Match<Value> | undefined
  for (const match of reader(tokens, at)) if (best === undefined || match.end > best.end) best = match
  return best
}

/** A number within these bounds. */
export const number = (min: number, max: number): Reader<number> =>
  one((token) => (token.kind === 'number' && token.value >= min && token.value <= max ? token.value : undefined))
