/** The reasons for which a search has found a patient, for matches whose name does not show it. */
import type { HumanName, Patient } from 'fhir/r4'
import { bestName, telecomsOf } from './names.ts'
import type { Piece } from './patient-criteria.ts'

/** The elements by which the search finds patients. */
export const SEARCHED = 'name,birthDate,telecom,identifier'

/** `phone`, `birth date, previous name`; empty: all that is typed begins a part of the name. */
export const reasonsFor = (patient: Patient, pieces: readonly Piece[]): string =>
  [...new Set(pieces.flatMap((piece) => reasonFor(patient, piece) ?? []))].join(', ')

function reasonFor(patient: Patient, piece: Piece): string | undefined {
  if (piece.kind === 'name') return nameReason(patient, piece.text)
  return REASONS.find(({ holds }) => holds(patient, piece))?.label
}

interface Reason {
  readonly label: string
  readonly holds: (patient: Patient, piece: Exclude<Piece, { kind: 'name' }>) => boolean
}

const REASONS: readonly Reason[] = [
  { label: 'birth date', holds: ({ birthDate = '' }, piece) => 'dates' in piece && begins(birthDate, piece.dates) },
  {
    label: 'record number',
    holds: ({ identifier = [] }, { text }) => identifier.some(({ value }) => has(value, text)),
  },
  {
    label: 'phone',
    holds: (patient, { text }) => telecomsOf(patient, 'phone').some((value) => hasDigits(value, text)),
  },
  { label: 'e-mail', holds: (patient, { text }) => telecomsOf(patient, 'email').some((value) => has(value, text)) },
]

const begins = (birthDate: string, dates: readonly string[]): boolean =>
  dates.some((date) => birthDate.startsWith(date))

/** In any case, and whatever stands between letters and digits. */
const has = (value: string | undefined, text: string): boolean => plain(value ?? '').includes(plain(text))
const plain = (text: string): string => text.toLowerCase().replace(/[\s-]/g, '')

/** The zero that is dialled within a country, and the signs of a country code, are not compared. */
function hasDigits(value: string, text: string): boolean {
  const digits = text.replace(/\D/g, '').replace(/^0+/, '')
  const there = value.replace(/\D/g, '')
  return digits !== '' && (there.includes(digits) || digits.endsWith(there.replace(/^0+/, '')))
}

function nameReason({ name = [] }: Patient, text: string): string | undefined {
  const shown = bestName(name)
  if (shown !== undefined && isIn(shown, text)) return undefined
  const other = name.find((one) => isIn(one, text))
  return other === undefined ? undefined : other.use === 'old' ? 'previous name' : 'other name'
}

/** As the server compares: docs/interactions/search.md#modifiers. */
function isIn({ text = '', prefix = [], given = [], family = '', suffix = [] }: HumanName, typed: string): boolean {
  const parts = [text, family, ...prefix, ...given, ...suffix]
  return parts.some((part) => FOLDINGS.some((fold) => ` ${fold(part ?? '')}`.includes(` ${fold(typed)}`)))
}

const FOLDINGS = [' ', ''].map(
  (between) =>
    (text: string): string =>
      text
        .normalize('NFD')
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
        .replace(/(?<=\p{L})['’‘ʼ`´\-‐‑–]+(?=\p{L})/gu, between)
        .replace(/[\p{P}\p{S}\s]+/gu, ' ')
        .trim(),
)
