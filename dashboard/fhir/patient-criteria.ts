/** Text typed to find a patient: what it is made of, and the search parameters. */
import { type DateReading, datesIn } from './typed-date.ts'

type Criteria = readonly (readonly [name: string, value: string])[]

/** A part of what is typed. */
export type Piece =
  | { readonly kind: 'date'; readonly text: string; readonly dates: readonly string[] }
  | { readonly kind: 'email' | 'phone' | 'record' | 'name'; readonly text: string }
  /** Digits that may be any of a phone number, a record number and a date. */
  | { readonly kind: 'digits'; readonly text: string; readonly dates: readonly string[] }

/** Words of the longest piece: `+44 20 7946 0958`, `June 6, 1966`. */
const MOST_WORDS = 6

const MOST_PIECES = 20

/** The longest runs of words that are something else than a name, and the words between them. */
export function piecesOf(typed: string, reading: DateReading): readonly Piece[] {
  const words = typed.split(/\s+/).filter(Boolean)
  const pieces: Piece[] = []
  for (let at = 0; at < words.length; ) {
    const { piece, length } = pieceAt(words.slice(at, at + MOST_WORDS), reading)
    pieces.push(...piece)
    at += length
  }
  // More would be more parameters than a search takes.
  return pieces.slice(0, MOST_PIECES)
}

function pieceAt(words: readonly string[], reading: DateReading) {
  for (let length = words.length; length > 0; length -= 1) {
    const piece = pieceOf(words.slice(0, length).join(' ').replace(/,$/, ''), reading)
    if (piece !== undefined) return { piece: [piece], length }
  }
  // The server refuses a text without anything to compare, such as the parenthesis that begins a number.
  const names = (words[0] ?? '').split(',').filter((text) => /[\p{L}\p{N}]/u.test(text))
  return { piece: names.map((text) => ({ kind: 'name', text }) as const), length: 1 }
}

/** Undefined: words of a name. */
function pieceOf(text: string, reading: DateReading): Piece | undefined {
  const dates = datesIn(text, reading)
  if (/^\d+$/.test(text)) return { kind: 'digits', text, dates }
  if (dates.length > 0) return { kind: 'date', text, dates }
  if (/^[^\s@]*@[^\s@]*$/.test(text)) return { kind: 'email', text }
  if (/^\+?[\d\s().\-/]{4,}$/.test(text) && /\d{3}/.test(text)) return { kind: 'phone', text }
  if (/^[A-Za-z]{1,4}-?\d{2,}$/.test(text)) return { kind: 'record', text }
  return undefined
}

/** The parameters of a search for patients who have all of the pieces. */
export const criteriaOf = (pieces: readonly Piece[]): Criteria => pieces.map(criterionOf)

function criterionOf(piece: Piece): Criteria[number] {
  switch (piece.kind) {
    case 'date':
      return ['birthdate', piece.dates.join(',')]
    case 'email':
      return anyOf([`email ${piece.text.startsWith('@') ? 'ew' : 'sw'} ${quoted(piece.text)}`])
    case 'phone':
      return anyOf(phoneTests(piece.text))
    case 'record':
      return anyOf(spellingsOf(piece.text).map((text) => `identifier sw ${quoted(text)}`))
    case 'digits':
      return anyOf([...digitsTests(piece.text), ...piece.dates.map((date) => `birthdate eq ${date}`)])
    case 'name':
      return ['name', escaped(piece.text)]
  }
}

/** Alternatives of several parameters in one search: docs/interactions/search.md#_filter. */
const anyOf = (tests: readonly string[]): Criteria[number] => ['_filter', tests.join(' or ')]

const quoted = (text: string): string => JSON.stringify(text)

/** Digits that are compared with the end of a number, as people leave out the area code. */
const SHORTEST_END = 4

function phoneTests(text: string): readonly string[] {
  const number = numberOf(text)
  const isEnd = !number.startsWith('+') && number.length >= SHORTEST_END
  return ['eq', 'sw', ...(isEnd ? ['ew'] : [])].map((operator) => `phone ${operator} ${quoted(number)}`)
}

/** A number without its formatting; 00 is dialled for the plus. */
const numberOf = (text: string): string => text.replace(/[^\d+]/g, '').replace(/^00/, '+')

/** A few digits are in too many telephone numbers. */
const digitsTests = (text: string): readonly string[] =>
  text.length < SHORTEST_END
    ? [`identifier eq ${quoted(text)}`]
    : [...phoneTests(text), ...['sw', 'ew'].map((operator) => `identifier ${operator} ${quoted(text)}`)]

/** `mrn-1001` and `mrn1001`, whichever is typed. */
function spellingsOf(text: string): readonly string[] {
  const [, letters = '', digits = ''] = /^([a-z]+)-?(\d+)$/i.exec(text) ?? []
  return [`${letters}-${digits}`, `${letters}${digits}`]
}

/** The value as a search parameter takes it. https://hl7.org/fhir/R4/search.html#escaping */
export const escaped = (value: string): string => value.replace(/[\\$|,]/g, (character) => `\\${character}`)
