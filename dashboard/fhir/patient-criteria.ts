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

/** The longest runs of words that are something else than a name, and the words between them. */
export function piecesOf(typed: string, reading: DateReading): readonly Piece[] {
  const words = typed.split(/\s+/).filter(Boolean)
  const pieces: Piece[] = []
  for (let at = 0; at < words.length; ) {
    const { piece, length } = pieceAt(words.slice(at, at + MOST_WORDS), reading)
    pieces.push(...piece)
    at += length
  }
  return pieces
}

function pieceAt(words: readonly string[], reading: DateReading) {
  for (let length = words.length; length > 0; length -= 1) {
    const piece = pieceOf(words.slice(0, length).join(' ').replace(/,$/, ''), reading)
    if (piece !== undefined) return { piece: [piece], length }
  }
  const names = (words[0] ?? '').split(',').filter(Boolean)
  return { piece: names.map((text) => ({ kind: 'name', text }) as const), length: 1 }
}

/** Undefined: words of a name. */
function pieceOf(text: string, reading: DateReading): Piece | undefined {
  const dates = datesIn(text, reading)
  if (/^\d+$/.test(text)) return { kind: 'digits', text, dates }
  if (dates.length > 0) return { kind: 'date', text, dates }
  if (/^[^\s@]*@[^\s@]*$/.test(text)) return { kind: 'email', text }
  if (/^\+?[\d\s().\-/]{4,}$/.test(text) && /\d{3}/.test(text)) return { kind: 'phone', text }
  if (/^[A-Za-z]{1,4}[- ]?\d{2,}$/.test(text)) return { kind: 'record', text }
  return undefined
}

/** The parameters of a search for patients who have all of the pieces. */
export const criteriaOf = (typed: string, reading: DateReading): Criteria =>
  piecesOf(typed, reading).map((piece) => criterionOf(piece))

function criterionOf(piece: Piece): Criteria[number] {
  switch (piece.kind) {
    case 'date':
      return ['birthdate', piece.dates.join(',')]
    case 'email':
      return ['email', escaped(piece.text)]
    case 'phone':
      return ['phone', piece.text.replace(/[^\d+]/g, '')]
    case 'record':
      return ['identifier', piece.text.toUpperCase()]
    case 'digits':
      return ['phone', piece.text]
    case 'name':
      return ['name', escaped(piece.text)]
  }
}

/** The value as a search parameter takes it. https://hl7.org/fhir/R4/search.html#escaping */
export const escaped = (value: string): string => value.replace(/[\\$|,]/g, (character) => `\\${character}`)
