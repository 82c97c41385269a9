/** Functions on single values: https://hl7.org/fhirpath/N1/#functions, sections 5.5 to 5.7 and 5.9. */
import { isNumber } from '../json.ts'
import { memoize } from '../memoize.ts'
import type { Apply, FunctionDefinition } from './collection-functions.ts'
import { MAX_ITEMS, willCompose, willHold } from './limits.ts'
import { Moment, parseMoment } from './moment.ts'
import { type Collection, type Item, rawValue } from './node.ts'
import { EMPTY, type Evaluate, type EvaluationScope, single, singleString, truth } from './scope.ts'

const define = (arity: readonly [number, number], apply: Apply): FunctionDefinition => ({ arity, apply })

const optional = <T extends Item>(value: T | undefined): Collection => (value === undefined ? EMPTY : [value])

const evaluateAll = (args: readonly Evaluate[], scope: EvaluationScope): unknown[] =>
  args.map((arg) => single(arg(scope), 'a function argument'))

/** A function of a string and its arguments; empty when the input or an argument is empty. */
const ofText = (
  name: string,
  argumentCount: number,
  calculate: (text: string, args: readonly string[], scope: EvaluationScope) => string | number | boolean | undefined,
): FunctionDefinition =>
  define([argumentCount, argumentCount], (input, args, scope) => {
    const text = singleString(input, `${name}()`)
    const values = evaluateAll(args, scope)
    if (text === undefined || values.includes(undefined)) return EMPTY
    return optional(calculate(text, values.map(String), scope))
  })

const ofNumber = (name: string, calculate: (value: number) => number): FunctionDefinition =>
  define([0, 0], (input) => {
    const value = single(input, `${name}()`)
    if (value === undefined) return EMPTY
    if (!isNumber(value)) throw new Error(`${name}() needs a number`)
    return [calculate(Number(value))]
  })

const conversion =
  (name: string, convert: (value: unknown) => string | number | boolean | undefined): Apply =>
  (input) => {
    const value = single(input, `${name}()`)
    return value === undefined ? EMPTY : optional(convert(value))
  }

export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof Moment) return value.text
  return isNumber(value) || typeof value === 'boolean' ? JSON.stringify(value) : undefined
}

function toInteger(value: unknown): number | undefined {
  if (typeof value === 'string') return /^[+-]?\d+$/.test(value) ? Number(value) : undefined
  return typeof value === 'boolean' || (isNumber(value) && Number.isInteger(Number(value))) ? Number(value) : undefined
}

function toDecimal(value: unknown): number | undefined {
  if (typeof value === 'string') return /^[+-]?\d+(\.\d+)?$/.test(value) ? Number(value) : undefined
  return typeof value === 'boolean' || isNumber(value) ? Number(value) : undefined
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', '1', '1.0'].map((text) => [text, true] as const),
  ...['false', 'f', 'no', 'n', '0', '0.0'].map((text) => [text, false] as const),
])

const toBoolean = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : BOOLEANS.get(String(value).toLowerCase())

const CONVERSIONS = { String: toText, Integer: toInteger, Decimal: toDecimal, Boolean: toBoolean }

const conversions = Object.entries(CONVERSIONS).flatMap(([type, convert]) => {
  const apply = conversion(`to${type}`, convert)
  const check: Apply = (input, args, scope) =>
    input.length === 0 ? EMPTY : truth(apply(input, args, scope).length > 0)
  return [
    [`to${type}`, define([0, 0], apply)],
    [`convertsTo${type}`, define([0, 0], check)],
  ]
})

const MAX_CACHED_PATTERNS = 1000

const patternOf = memoize(MAX_CACHED_PATTERNS, compilePattern)

/** In Unicode mode if possible: some official patterns have escapes that JavaScript allows only without it. */
function compilePattern(text: string): RegExp {
  try {
    return new RegExp(text, 'su')
  } catch {
    return new RegExp(text, 's')
  }
}

/** Whether a part of the text matches the pattern that `toPattern` makes of the argument. */
const ofPattern = (name: string, toPattern: (argument: string) => string): FunctionDefinition =>
  define([1, 1], (input, args, scope) => {
    const { limits } = scope.evaluation.environment
    const matches = (text: string, [pattern = '']: readonly string[]) =>
      limits === undefined ? patternOf(toPattern(pattern)).test(text) : limits.matches(text, toPattern(pattern))
    return ofText(name, 1, matches).apply(input, args, scope)
  })

const replaceMatches: Apply = (input, args, scope) => {
  if (scope.evaluation.environment.limits !== undefined) throw new Error('replaceMatches() is not evaluated here')
  const replace = (text: string, [pattern = '', by = '']: readonly string[]) =>
    text.replace(globally(patternOf(pattern)), by)
  return ofText('replaceMatches', 2, replace).apply(input, args, scope)
}

/** Each call may multiply the length of a text. */
const replace = ofText('replace', 2, (text, [part = '', by = ''], scope) => {
  const most = part === '' ? text.length + 1 : text.length / part.length
  willCompose(scope, most * by.length)
  return text.replaceAll(part, () => by)
})

const globally = (pattern: RegExp): RegExp => new RegExp(pattern.source, `${pattern.flags}g`)

const substring: Apply = (input, args, scope) => {
  const text = singleString(input, 'substring()')
  const [start, length] = evaluateAll(args, scope).map((value) => (value === undefined ? undefined : Number(value)))
  if (text === undefined || start === undefined || start < 0 || start >= text.length) return EMPTY
  return [text.slice(start, length === undefined ? undefined : start + Math.max(0, length))]
}

const join: Apply = (input, args, scope) => {
  const separator = String(evaluateAll(args, scope)[0] ?? '')
  const texts = input.map(rawValue).filter((value) => value != null)
  const lengths = texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length : 0), 0)
  willCompose(scope, lengths + texts.length * separator.length)
  return texts.length === 0 ? EMPTY : [texts.join(separator)]
}

/** One part more than a collection may have is too many. */
const split: Apply = (input, args, scope) => {
  const most = scope.evaluation.environment.limits === undefined ? undefined : MAX_ITEMS + 1
  return singleString(input, 'split()')?.split(String(evaluateAll(args, scope)[0]), most) ?? EMPTY
}

/** Two characters of a text may be one, outside of the basic plane. */
const toChars: Apply = (input, _args, scope) => {
  const text = singleString(input, 'toChars()') ?? ''
  willHold(scope, text.length / 2)
  return [...text]
}

const round: Apply = (input, args, scope) => {
  const value = single(input, 'round()')
  if (value === undefined) return EMPTY
  const digits = 10 ** Number(evaluateAll(args, scope)[0] ?? 0)
  return [Math.round(Number(value) * digits) / digits]
}

const now: Apply = (_input, _args, scope) => optional(parseMoment(timeIn(scope)))
const today: Apply = (_input, _args, scope) => optional(parseMoment(timeIn(scope).slice(0, 10)))

function timeIn({ evaluation: { environment } }: EvaluationScope): string {
  if (environment.now === undefined) throw new Error('now() and today() have no time here')
  return new Date(environment.now).toISOString()
}

export const VALUE_FUNCTIONS: Readonly<Record<string, FunctionDefinition>> = {
  ...Object.fromEntries(conversions),
  abs: ofNumber('abs', Math.abs),
  ceiling: ofNumber('ceiling', Math.ceil),
  contains: ofText('contains', 1, (text, [part = '']) => text.includes(part)),
  endsWith: ofText('endsWith', 1, (text, [part = '']) => text.endsWith(part)),
  floor: ofNumber('floor', Math.floor),
  indexOf: ofText('indexOf', 1, (text, [part = '']) => text.indexOf(part)),
  join: define([0, 1], join),
  lastIndexOf: ofText('lastIndexOf', 1, (text, [part = '']) => text.lastIndexOf(part)),
  length: ofText('length', 0, (text) => text.length),
  lower: ofText('lower', 0, (text) => text.toLowerCase()),
  matches: ofPattern('matches', (pattern) => pattern),
  matchesFull: ofPattern('matchesFull', (pattern) => `^(?:${pattern})$`),
  now: define([0, 0], now),
  replace,
  replaceMatches: define([2, 2], replaceMatches),
  round: define([0, 1], round),
  split: define([1, 1], split),
  startsWith: ofText('startsWith', 1, (text, [part = '']) => text.startsWith(part)),
  substring: define([1, 2], substring),
  toChars: define([0, 0], toChars),
  today: define([0, 0], today),
  trim: ofText('trim', 0, (text) => text.trim()),
  truncate: ofNumber('truncate', Math.trunc),
  upper: ofText('upper', 0, (text) => text.toUpperCase()),
}
