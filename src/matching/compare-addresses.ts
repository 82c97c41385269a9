/** Compares addresses by their parts: street with number, postal code and city. */
import { jaroWinkler } from '@skyra/jaro-winkler'
import type { Address, Patient } from 'fhir/r4'
import { fold } from '../fhir/text-folding.ts'
import { compared, MAX_ADDRESSES, MAX_LINES } from './limits.ts'
import { isSingleEdit } from './one-off.ts'
import type { FieldEvidence } from './weights.ts'

export interface ComparedAddress {
  /** Folded lines; in an address with only a text, that text. */
  readonly lines: readonly string[]
  /** Their words and numbers. */
  readonly words: readonly string[]
  /** '' where there is none; so is `city`. */
  readonly postalCode: string
  readonly city: string
}

/** Jaro-Winkler similarity from which a street or city counts as a misspelling of another. */
const NEAR = 0.9

/** The addresses that name a place within a country. */
export const addressesOf = ({ address = [] }: Pick<Patient, 'address'>): readonly ComparedAddress[] =>
  address
    .slice(0, MAX_ADDRESSES)
    .map(partsOf)
    .filter(({ lines, postalCode, city }) => lines.length > 0 || postalCode !== '' || city !== '')

function partsOf({ line = [], postalCode, city, text }: Address): ComparedAddress {
  const folded = (line.length === 0 ? [text] : line.slice(0, MAX_LINES)).map((one) => fold(compared(one ?? '')))
  const lines = folded.filter((one) => one !== '')
  return {
    lines,
    words: [...new Set(lines.flatMap((one) => one.split(' ')))],
    postalCode: fold(compared(postalCode ?? '')).replaceAll(' ', ''),
    city: fold(compared(city ?? '')),
  }
}

export function addressEvidence(mine: ComparedAddress, theirs: ComparedAddress): readonly FieldEvidence[] {
  const evidence: FieldEvidence[] = []
  if (mine.lines.length > 0 && theirs.lines.length > 0) {
    evidence.push({ field: 'street', level: compareStreets(mine, theirs) })
  }
  if (mine.postalCode !== '' && theirs.postalCode !== '') {
    evidence.push({ field: 'postalCode', level: comparePostalCodes(mine.postalCode, theirs.postalCode) })
  }
  if (mine.city !== '' && theirs.city !== '')
    evidence.push({ field: 'city', level: compareCities(mine.city, theirs.city) })
  return evidence
}

/** The lines may be in another order; the second one (flat, building) is often missing. */
function compareStreets(mine: ComparedAddress, theirs: ComparedAddress): 'same' | 'near' | 'part' | 'differ' {
  const [longer, shorter] = mine.words.length < theirs.words.length ? [theirs, mine] : [mine, theirs]
  if (mine.lines.some((line) => isStreet(line) && theirs.lines.includes(line))) return 'same'
  const common = shorter.words.filter((word) => longer.words.includes(word))
  if (common.length === shorter.words.length && isStreet(shorter.words.join(' '))) return 'same'
  const alike = Math.max(...pairsOf(mine.lines, theirs.lines).map(([a, b]) => similarLines(a, b)))
  if (alike >= NEAR) return 'near'
  return common.some((word) => word.length > 3 || /\d/.test(word)) ? 'part' : 'differ'
}

/** Whether it has a number and a name. */
const isStreet = (text: string): boolean => /\d/.test(text) && /\p{L}{3}/u.test(text)

/** Similarity without spaces, which are often misplaced; the numbers must be the same, or one of them missing. */
function similarLines(a: string, b: string): number {
  const [mine, theirs] = [numberOf(a), numberOf(b)]
  if (mine !== undefined && theirs !== undefined && mine !== theirs) return 0
  const [one, other] = [a.replace(/[\d ]+/g, ''), b.replace(/[\d ]+/g, '')]
  return one === '' || other === '' ? 0 : jaroWinkler(one, other)
}

const numberOf = (text: string): string | undefined => /\d+/.exec(text)?.[0]

const pairsOf = (mine: readonly string[], theirs: readonly string[]): readonly (readonly [string, string])[] =>
  mine.flatMap((a) => theirs.map((b) => [a, b] as const))

function comparePostalCodes(a: string, b: string): 'same' | 'digit' | 'differ' {
  if (a === b) return 'same'
  // ZIP+4 and the first half of a British postcode.
  if (Math.min(a.length, b.length) >= 4 && (a.startsWith(b) || b.startsWith(a))) return 'same'
  return isSingleEdit(a, b) ? 'digit' : 'differ'
}

function compareCities(a: string, b: string): 'same' | 'near' | 'differ' {
  if (a === b) return 'same'
  return jaroWinkler(a.replaceAll(' ', ''), b.replaceAll(' ', '')) >= NEAR ? 'near' : 'differ'
}
