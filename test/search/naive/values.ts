/** Whether a value of a query matches an element of a resource: https://hl7.org/fhir/R4/search.html#ptypes. */
import { getCountries, getCountryCallingCode } from 'libphonenumber-js'
import { rangeOfDate, searchedDate } from './dates.ts'
import { type Parameter, partsOf, SENSITIVE } from './definitions.ts'
import { elementsOf, isObject, objectsIn, type Resource, repetitionsOf, textOf } from './elements.ts'
import { fitsQuantity, statedBy } from './quantities.ts'
import { compares, decimal, exactly, LEAST, MOST, prefixed, type Range, searchedNumber } from './ranges.ts'
import { plain, split, withoutEscapes } from './text.ts'

/** The settings of a whole search. */
export interface Setting {
  /** Base address of the server, without a slash at the end. */
  readonly base: string
  /** Milliseconds since 1970 UTC. */
  readonly now: number
  /** Code systems that a clinic has stored as case-sensitive ones. */
  readonly caseSensitive?: ReadonlySet<string>
  /** Every code is compared with its case, as `ne` of a filter does. */
  readonly withCase?: boolean
}

export function fits(
  parameter: Parameter,
  modifier: string | undefined,
  text: string,
  resource: Resource,
  setting: Setting,
): boolean {
  if (parameter.type === 'composite') return fitsComposite(parameter, text, resource, setting)
  return elementsOf(resource, parameter.expression).some((value) =>
    fitsValue(parameter, modifier, text, value, setting),
  )
}

/** `value` is one of those that the parameter finds. */
type Fits = (
  parameter: Parameter,
  modifier: string | undefined,
  text: string,
  value: unknown,
  setting: Setting,
) => boolean

/** From any word on, with the apostrophes and hyphens within words or without them. */
const fitsName = (asked: string, found: string): boolean =>
  [asked, joined(asked)].some((text) =>
    [found, joined(found)].some((one) => ` ${plain(one)}`.includes(` ${plain(text)}`)),
  )

const joined = (text: string): string => text.normalize('NFD').replace(/(?<=[\p{L}\p{M}])['’‘ʼ`´\-‐‑–]+(?=\p{L})/gu, '')

export const fitsValue: Fits = (parameter, modifier, text, value, setting) => {
  switch (parameter.type) {
    case 'string':
      return textsOf(value).some((one) =>
        modifier === undefined && (parameter.element === 'HumanName' || parameter.element === 'Address')
          ? fitsName(withoutEscapes(text), one)
          : fitsText(modifier, withoutEscapes(text), one),
      )
    case 'token':
      return fitsToken(parameter, modifier, text, value, setting)
    case 'reference':
      return fitsReference(parameter, modifier, text, value, setting)
    case 'uri':
      return urisOf(value).some((uri) => fitsUri(modifier, withoutEscapes(text), uri))
    case 'date':
      return fitsDate(parameter, text, value, setting)
    case 'number':
      return fitsNumber(text, value)
    case 'quantity':
      return fitsQuantity(text, value)
    case 'special':
      return fitsPlace(text, value)
    case 'composite':
      throw new Error(`${parameter.code} has no values of its own`)
  }
}

/** All parts fit in one repetition. */
function fitsComposite(parameter: Parameter, text: string, resource: Resource, setting: Setting): boolean {
  const parts = partsOf(resource.resourceType, parameter)
  const texts = split(text, '$')
  const repetitions = repetitionsOf(
    resource,
    parameter.expression,
    parts.map(({ expression }) => expression),
  )
  return repetitions.some((values) =>
    parts.every((part, at) =>
      (values[at] ?? []).some((one) => fitsValue(part, undefined, texts[at] ?? '', one, setting)),
    ),
  )
}

const NAME_AND_ADDRESS = [
  ...['text', 'family', 'given', 'prefix', 'suffix'],
  ...['line', 'city', 'district', 'state', 'postalCode', 'country'],
]

/** A string, or the parts of a HumanName or Address. */
export function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (!isObject(value)) return []
  return NAME_AND_ADDRESS.flatMap((name) => value[name] ?? []).filter((text) => typeof text === 'string')
}

function fitsText(modifier: string | undefined, asked: string, text: string): boolean {
  switch (modifier) {
    case 'exact':
      return text.normalize('NFC') === asked.normalize('NFC')
    case 'contains':
      return plain(text).includes(plain(asked))
    default:
      return plain(text).startsWith(plain(asked))
  }
}

export interface Token {
  readonly system: string
  readonly code: string
}

/** The codes of a Coding, CodeableConcept, Identifier, ContactPoint, code, boolean, string. */
export function tokensOf({ element, system = '' }: Parameter, value: unknown): readonly Token[] {
  if (typeof value === 'string') return [{ system, code: spelled(element, value) }]
  if (!isObject(value)) return [{ system: '', code: String(value) }]
  // A quantity where a concept may stand.
  if (typeof value['value'] === 'number') return []
  const found = value['coding'] === undefined ? [value] : objectsIn(value['coding'])
  return found.flatMap((one) => {
    const code = textOf(one['code'] ?? one['value'])
    return code === '' ? [] : [{ system: textOf(one['system']), code: spelled(element, code) }]
  })
}

/** Case never counts in contacts and identifiers. */
function spelled(element: Parameter['element'], code: string): string {
  if (element === 'ContactPoint') return contact(code)
  return element === 'Identifier' || element === 'string' ? code.toLowerCase() : code
}

/** Telephone numbers by their digits, all else in small letters. */
function contact(text: string): string {
  const letters = [...text]
  const dialled = letters.filter((letter) => '+0123456789'.includes(letter))
  const others = letters.filter((letter) => !'+0123456789 ().-/'.includes(letter))
  return others.length === 0 && dialled.length > 0 ? dialled.join('') : text.toLowerCase()
}

const CALLING_CODES: ReadonlySet<string> = new Set(getCountries().map((country) => getCountryCallingCode(country)))

/** Two contacts, one of them perhaps a telephone number without its country code, or with the zero in its place. */
function isSameContact(one: string, other: string): boolean {
  if (one === other) return true
  const [full, local] = one.startsWith('+') ? [one.slice(1), other] : [other.slice(1), one]
  const isPair = [one, other].filter((text) => /^\+\d+$/.test(text)).length === 1 && /^\d{7,}$/.test(local)
  if (!isPair) return false
  if (full === local) return true
  return [local, local.replace(/^0/, '')].some(
    (number) => number.length >= 7 && full.endsWith(number) && CALLING_CODES.has(full.slice(0, -number.length)),
  )
}

/** Whether two spellings are the same code of `system`; where the search names none, case may or may not count. */
export function isSameCode(
  [asked, found]: readonly [string, string],
  system: string,
  isNamed: boolean,
  { caseSensitive, withCase }: Setting,
): boolean {
  if (asked === found) return true
  const countsHere = isNamed && caseSensitive?.has(system) === true
  return !withCase && !SENSITIVE.has(system) && !countsHere && asked.toLowerCase() === found.toLowerCase()
}

const fitsToken: Fits = (parameter, modifier, text, value, setting) => {
  if (modifier === 'text') return labelsOf(value).some((label) => fitsText(undefined, withoutEscapes(text), label))
  if (modifier === 'of-type') return fitsTypedIdentifier(text, value)
  const [first = '', second] = split(text, '|').map(withoutEscapes)
  const isContact = parameter.element === 'ContactPoint'
  const asked = second ?? first
  const isAnyPlus = isContact || ['Identifier', 'string'].includes(parameter.element ?? '')
  const codes = [asked, ...(isAnyPlus ? [asked.replaceAll(' ', '+')] : [])].map((one) =>
    spelled(parameter.element, one),
  )
  return tokensOf(parameter, value).some((token) => {
    if (second === '') return token.system === first
    const isCode = codes.some((code) =>
      isContact
        ? isSameContact(code, token.code)
        : isSameCode([code, token.code], token.system, second !== undefined, setting),
    )
    return isCode && (second === undefined || token.system === first || (isContact && first === ''))
  })
}

/** The texts that people read in place of a code. */
function labelsOf(value: unknown): readonly string[] {
  if (!isObject(value)) return []
  const own = [value['text'], value['display'], ...objectsIn(value['type']).map(({ text }) => text)]
  const codings = objectsIn(value['coding']).map(({ display }) => display)
  return [...own, ...codings].filter((label) => typeof label === 'string')
}

function fitsTypedIdentifier(text: string, identifier: unknown): boolean {
  const [system, code, value] = split(text, '|').map(withoutEscapes)
  return (
    isObject(identifier) &&
    textOf(identifier['value']).toLowerCase() === value?.toLowerCase() &&
    objectsIn(identifier['type'])
      .flatMap(({ coding }) => objectsIn(coding))
      .some((coding) => textOf(coding['system']) === system && coding['code'] === code)
  )
}

/** Where a literal reference leads on this server. */
export interface Address {
  readonly type: string
  readonly id: string
  readonly version: string | undefined
}

export function addressOf(reference: string, { base }: Setting): Address | undefined {
  const local = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference
  const [, type, id, version] = /^([A-Z]\w+)\/([\w.-]+?)(?:\/_history\/(\w+))?$/.exec(local) ?? []
  return type === undefined || id === undefined ? undefined : { type, id, version }
}

/** The text of a Reference or canonical. */
export const referenceText = (value: unknown): string =>
  typeof value === 'string' ? value : isObject(value) ? textOf(value['reference']) : ''

const fitsReference: Fits = (parameter, modifier, text, value, setting) => {
  if (modifier === 'identifier')
    return (
      isObject(value) &&
      objectsIn(value['identifier']).some((one) =>
        fitsToken({ ...parameter, element: 'Identifier' }, undefined, text, one, setting),
      )
    )
  if (modifier === 'text') return labelsOf(value).some((label) => fitsText(undefined, withoutEscapes(text), label))
  const asked = withoutEscapes(text)
  const found = addressOf(referenceText(value), setting)
  const [only, ...others] = parameter.target ?? []
  const type = modifier ?? (others.length === 0 && only !== '*' ? only : undefined)
  if (/^[\w.-]+$/.test(asked)) return found?.id === asked && (type === undefined || found.type === type)
  const address = addressOf(asked, setting)
  if (address === undefined) return found === undefined && fitsCanonical(asked, referenceText(value))
  return (
    found?.type === address.type &&
    found.id === address.id &&
    (address.version === undefined || address.version === found.version) &&
    (modifier === undefined || modifier === found.type)
  )
}

/** Without a version every version of it. */
function fitsCanonical(asked: string, found: string): boolean {
  return found === asked || (!asked.includes('|') && found.startsWith(`${asked}|`))
}

/** A profile that is declared with its version is found without it too. */
export const urisOf = (value: unknown): readonly string[] => {
  const [uri = '', version] = textOf(value).split('|')
  return version === undefined ? [uri] : [`${uri}|${version}`, uri]
}

function fitsUri(modifier: string | undefined, asked: string, found: string): boolean {
  if (modifier === 'below') return isInside(found, asked)
  if (modifier === 'above') return isInside(asked, found)
  return found === asked
}

const isInside = (uri: string, folder: string): boolean => uri.slice(0, folder.length) === folder

/** An instant is a point in time. */
export function dateOf({ span }: Parameter, value: unknown): Range | undefined {
  const range = rangeOfDate(value)
  return range && span === 'instant' ? { low: range.low, high: range.low } : range
}

function fitsDate(parameter: Parameter, text: string, value: unknown, { now }: Setting): boolean {
  const [prefix, date] = prefixed(text)
  const [searched, target] = [searchedDate(prefix, date, now), dateOf(parameter, value)]
  return searched !== undefined && target !== undefined && compares(prefix, searched, target)
}

/** A number, or a Range of them. */
export function numberOf(value: unknown): Range | undefined {
  if (!isObject(value)) {
    const stated = decimal(String(value))
    return stated && exactly(stated.value)
  }
  return { low: statedBy(value['low'])?.range.low ?? LEAST, high: statedBy(value['high'])?.range.high ?? MOST }
}

function fitsNumber(text: string, value: unknown): boolean {
  const [prefix, digits] = prefixed(text)
  const [searched, target] = [searchedNumber(prefix, digits), numberOf(value)]
  return searched !== undefined && target !== undefined && compares(prefix, searched, target)
}

const METRES: Readonly<Record<string, number>> = { km: 1000, m: 1, '[mi_us]': 1609.347219, cm: 0.01 }

/** `latitude|longitude|distance|unit` of `near`; 50 km where no distance is given. */
function fitsPlace(text: string, value: unknown): boolean {
  if (!isObject(value)) return false
  const [latitude, longitude, distance = '50', unit = 'km'] = split(text, '|')
  const [north, east] = [Number(value['latitude']), Number(value['longitude'])]
  return metresBetween([Number(latitude), Number(longitude)], [north, east]) <= Number(distance) * (METRES[unit] ?? 0)
}

const RADIUS = 6_371_008.8

/** By the cosines of the sphere. */
function metresBetween([a, b]: readonly [number, number], [c, d]: readonly [number, number]): number {
  const [one, other, between] = [a, c, d - b].map((degrees) => (degrees * Math.PI) / 180) as [number, number, number]
  const cosine = Math.sin(one) * Math.sin(other) + Math.cos(one) * Math.cos(other) * Math.cos(between)
  return RADIUS * Math.acos(Math.min(1, Math.max(-1, cosine)))
}
