/** One criterion of a search, for each type of parameter: its value is one of the values given, or close to one. */
import fc from 'fast-check'
import { type Parameter, partsOf } from '../naive/definitions.ts'
import { isObject, objectsIn, type Resource, repetitionsOf, textOf } from '../naive/elements.ts'
import { UCUM, UNITS } from '../naive/quantities.ts'
import { PREFIXES } from '../naive/ranges.ts'
import { textsOf, tokensOf } from '../naive/values.ts'
import { BASE, codes, dates, decimals, IDS, instants, systems, TYPES, type Type, words } from './vocabulary.ts'

export type Text = fc.Arbitrary<string>

export const encoded = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`
/** As it is written in a list. */
const escaped = (value: string) => value.replace(/[\\,$|]/g, '\\$&')
export const from = (values: readonly string[], otherwise: Text): Text =>
  values.length === 0 ? otherwise : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...new Set(values)) }, otherwise)
const prefixes = fc.constantFrom('', '', '', ...PREFIXES)
const prefixed = (text: Text): Text => fc.tuple(prefixes, text).map((parts) => parts.join(''))
/** One of the modifiers, each as likely as the others, with up to `most` of its values. */
export const modified = (
  name: string,
  choices: readonly (readonly [modifier: string, values: Text, most?: number])[],
): Text =>
  fc
    .constantFrom(...choices)
    .chain(([modifier, values, most = 3]) =>
      fc.array(values, { minLength: 1, maxLength: most }).map((list) => encoded(name + modifier, list.join(','))),
    )

export const isComparable = (text: string) => /[\p{L}\p{N}]/u.test(text)
/** The whole, its beginning, its end, in other letters. */
export const variants = (text: string): Text =>
  fc.constantFrom(
    ...[text, text, text.toUpperCase(), text.toLowerCase()],
    ...[[...text].slice(0, 2).join(''), [...text].slice(1).join(''), text.normalize('NFD')].filter(isComparable),
  )
const strings = (texts: readonly string[]): Text => from(texts.filter(isComparable), words).chain(variants).map(escaped)

export function stringCriterion(name: string, values: readonly unknown[]): Text {
  const text = strings(values.flatMap(textsOf))
  return modified(name, [
    ['', text],
    ['', text],
    [':exact', text],
    [':contains', text],
  ])
}

/** `code`, `system|code`, `|code`, `system|`. */
export function tokens(parameter: Parameter, values: readonly unknown[]): Text {
  const own = values.flatMap((value) => tokensOf(parameter, value))
  const others = parameter.element === 'boolean' ? [] : [fc.record({ system: systems, code: codes })]
  const token = fc.oneof(
    ...(own.length === 0
      ? [fc.constant({ system: '', code: 'true' })]
      : [{ weight: 4, arbitrary: fc.constantFrom(...own) }]),
    ...others,
  )
  const spellings = fc.constantFrom('', '', '', 'upper', 'lower')
  const forms = fc.constantFrom('code', 'code', 'both', 'system')
  return fc.tuple(token, forms, spellings).map(([{ system, code: own }, form, spelling]) => {
    const code = parameter.element === 'boolean' ? own : respelled(own, spelling)
    if (form === 'code') return escaped(code)
    return form === 'system' && system !== '' ? `${escaped(system)}|` : `${escaped(system)}|${escaped(code)}`
  })
}

const respelled = (code: string, spelling: string): string =>
  spelling === 'upper' ? code.toUpperCase() : spelling === 'lower' ? code.toLowerCase() : code

const TREE = fc.constantFrom(...['root', 'left', 'right', 'leaf', 'left'].map((code) => `urn:tree|${code}`))
const VALUE_SETS = fc.constantFrom('http://listed.example', 'http://listed.example\\|1', 'ValueSet/listed')

export function tokenCriterion(parameter: Parameter, name: string, values: readonly unknown[]): Text {
  const token = tokens(parameter, values)
  const simple = [
    ['', token],
    ['', token],
    [':not', token],
  ] as const
  const identifiers = values
    .filter(isObject)
    .filter((value) => value['value'] !== undefined && parameter.element === 'Identifier')
  if (identifiers.length > 0)
    return modified(name, [...simple, [':of-type', from(identifiers.flatMap(typed), fc.constant('a|b|c'))]])
  const isCode = values.some((value) => isObject(value) && parameter.element === undefined)
  if (!isCode) return modified(name, simple)
  const labels = strings(values.filter(isObject).flatMap(({ text, display }) => [textOf(text), textOf(display)]))
  return modified(name, [
    ...[...simple, ...simple],
    ...([
      [':text', labels],
      [':in', VALUE_SETS, 1],
      [':not-in', VALUE_SETS, 1],
      [':above', TREE],
      [':below', TREE],
    ] as const),
  ])
}

const typed = ({ type, value }: Readonly<Record<string, unknown>>): readonly string[] =>
  objectsIn(type)
    .flatMap(({ coding }) => objectsIn(coding))
    .map(({ system, code }) => [system, code, value].map((part) => escaped(textOf(part))).join('|'))

export const localTo = (types: readonly string[]) => fc.tuple(fc.constantFrom(...types), fc.constantFrom(...IDS))

/** Types of the population that the parameter may refer to. */
export const targetsOf = ({ target = ['*'] }: Parameter): readonly Type[] =>
  TYPES.filter((type) => target.includes('*') || target.includes(type))

/** The target types in the population; where it has none, those of the parameter. */
export const literalTargets = (parameter: Parameter): readonly string[] =>
  targetsOf(parameter).length > 0 ? targetsOf(parameter) : (parameter.target ?? [])

const HIERARCHIES: readonly string[] = ['Location', 'Organization', 'Encounter']

export function referenceCriterion(parameter: Parameter, name: string, values: readonly unknown[]): Text {
  const targets = targetsOf(parameter)
  const written = values.map((value) => (isObject(value) ? textOf(value['reference']) : textOf(value)))
  const isAllowed = (text: string) => /^http|^urn/.test(text) || targets.some((type) => text.startsWith(`${type}/`))
  const own = from(
    written.filter((text) => text !== '' && isAllowed(text)).map(escaped),
    fc.constant('http://q.example/a'),
  )
  if (targets.length === 0) return modified(name, [['', own]])
  const literal = localTo(targets).map((parts) => parts.join('/'))
  const absolute = literal.map((text) => `${BASE}/${text}`)
  const impossible = localTo(TYPES).map((parts) => parts.join('/'))
  const plain = fc.oneof(own, own, literal, fc.constantFrom(...IDS), absolute, impossible)
  const identifiers = values.filter(isObject).flatMap(({ identifier }) => objectsIn(identifier))
  const labels = values.filter(isObject).map(({ display }) => textOf(display))
  const recursive = targets.filter((type) => HIERARCHIES.includes(type))
  const near = recursive.length === 0 ? [] : [localTo(recursive).map((parts) => parts.join('/'))]
  return modified(name, [
    ...([
      ['', plain],
      ['', plain],
    ] as const),
    [':identifier', tokens({ ...parameter, type: 'token' }, identifiers)],
    [':text', strings(labels)],
    ...targets.slice(0, 3).map((type) => [`:${type}`, fc.constantFrom(...IDS)] as const),
    ...near.flatMap((one) => [[':above', one, 1] as const, [':below', one, 1] as const]),
  ])
}

/** The dates of a value, cut to some precision. */
function datesOf(value: unknown): readonly string[] {
  const texts = isObject(value)
    ? [value['start'], value['end'], ...(Array.isArray(value['event']) ? value['event'] : [])].map(textOf)
    : [textOf(value)]
  return texts
    .flatMap((text) => [text, text.slice(0, 10), text.slice(0, 7), text.slice(0, 4)])
    .filter((text) => /^\d{4}/.test(text))
}

export const dateText = (values: readonly unknown[]): Text =>
  prefixed(
    from(
      values.flatMap(datesOf),
      fc.oneof(dates, instants, fc.constantFrom('1970-02-03T04:05', '2024-02-29T14:00:00+02:00')),
    ),
  )

const numberTexts = (value: number): readonly string[] => {
  const text = value.toString().includes('e') ? value.toFixed(6) : String(value)
  const [mantissa = '', exponent = ''] = value.toExponential().split('e')
  return [
    text,
    text,
    text.includes('.') ? `${text}0` : `${text}.0`,
    `${mantissa}e${Number(exponent)}`,
    text.replace(/\.\d+$/, ''),
  ]
}
export const numberText = (values: readonly number[]): Text =>
  prefixed(
    from(
      values.flatMap(numberTexts),
      decimals.chain((value) => fc.constantFrom(...numberTexts(value))),
    ),
  )

export const numbersOf = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value]
  if (!isObject(value)) return []
  return [value['value'], value['low'], value['high']].flatMap(numbersOf)
}

/** `5.4|system|code` with and without system and code, in its own unit or another one of its kind. */
export function quantityText(values: readonly unknown[]): Text {
  const stated = values.filter(isObject).flatMap((value) => (value['value'] === undefined ? [] : [value]))
  const number = numberText(values.flatMap(numbersOf))
  const own = stated.flatMap(({ value, system, code, unit, currency }) => {
    const digits = fc.constantFrom(...numberTexts(Number(value)))
    if (currency !== undefined) return [digits.map((text) => `${text}|urn:iso:std:iso:4217|${textOf(currency)}`)]
    const label = escaped(textOf(unit ?? code))
    return [
      ...(label === '' ? [] : [digits.map((text) => `${text}||${label}`)]),
      ...(textOf(code) === '' || textOf(system) === ''
        ? []
        : [digits.map((text) => `${text}|${textOf(system)}|${textOf(code)}`)]),
      ...(system === UCUM ? [inOtherUnit(Number(value), textOf(code))] : []),
    ]
  })
  return fc.oneof(
    number,
    fc
      .tuple(number, fc.constantFrom(`|${UCUM}|mg`, `|${UCUM}|mgg`, `|${UCUM}|`, '|urn:one', '||', '|'))
      .map((parts) => parts.join('')),
    ...own.map((text) => prefixed(text)),
  )
}

/** About the same amount in another unit. */
function inOtherUnit(value: number, code: string): Text {
  const unit = UNITS[code]
  const others = Object.entries(UNITS).filter(([, other]) => other.of === unit?.of)
  if (unit === undefined || others.length === 0) return fc.constant(`${value}|${UCUM}|${code}`)
  return fc.constantFrom(...others).chain(([name, other]) => {
    const ratio =
      (Number(unit.factor.above) * Number(other.factor.below)) /
      (Number(unit.factor.below) * Number(other.factor.above))
    return fc.constantFrom(2, 4, 9).map((digits) => `${Number((value * ratio).toPrecision(digits))}|${UCUM}|${name}`)
  })
}

export const URIS = fc.constantFrom(
  'http://x',
  'http://x/',
  'http://x/a',
  'http://x/a/b',
  'http://xy',
  'http://p.example/a',
)

export function uriCriterion(name: string, values: readonly unknown[]): Text {
  const exact = from(values.map(textOf).map(escaped), URIS)
  return modified(name, [
    ['', exact],
    [':above', URIS],
    [':below', URIS],
  ])
}

const place = (value: unknown): readonly string[] =>
  isObject(value) ? [`${value['latitude']}|${value['longitude']}`] : []

export function nearCriterion(name: string, values: readonly unknown[]): Text {
  const places = from(values.flatMap(place), fc.constantFrom('42|-71', '89|0', '0|180', '-90|12'))
  const distances = fc.constantFrom(
    '',
    '|3',
    '|5.4',
    '|5.7|km',
    '|3|[mi_us]',
    '|70',
    '|200|km',
    '|15000',
    '|12345678|m',
    '|20016',
  )
  return modified(name, [['', fc.tuple(places, distances).map((parts) => parts.join(''))]])
}

/** A value of a part of a composite; strings and dates as they stand. */
function partText(part: Parameter, values: readonly unknown[]): Text {
  switch (part.type) {
    case 'token':
      return tokens(part, values)
    case 'quantity':
      return quantityText(values)
    case 'date':
      return dateText(values)
    case 'number':
      return numberText(values.flatMap(numbersOf))
    case 'reference':
      return localTo(literalTargets(part)).map((parts) => parts.join('/'))
    default:
      return strings(values.flatMap(textsOf))
  }
}

/** Parts of one repetition, or of any. */
export function compositeCriterion(
  type: string,
  parameter: Parameter,
  name: string,
  resources: readonly Resource[],
): Text {
  const parts = partsOf(type, parameter)
  const expressions = parts.map(({ expression }) => expression)
  const repetitions = resources.flatMap((one) => repetitionsOf(one, parameter.expression, expressions))
  const complete = repetitions.filter((values) => values.every(({ length }) => length > 0))
  const mixed = parts.map((_, at) => repetitions.flatMap((values) => values[at] ?? []))
  const all = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...(complete.length > 0 ? complete : [mixed])) },
    fc.constant(mixed),
  )
  const value = all.chain((values) =>
    fc.tuple(...parts.map((part, at) => partText(part, values[at] ?? []))).map((texts) => texts.join('$')),
  )
  return modified(name, [['', value]])
}
