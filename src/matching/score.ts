/**
 * From the evidence on a pair to a score and a grade: the levels of the HL7 Identity Matching guide
 * (.99 identifier with name or birth date, .8 name, birth date and address or e-mail, .7 with phone, .6 name and birth date).
 */
import type { Agreement, Evidence } from './compare.ts'

/** http://hl7.org/fhir/ValueSet/match-grade; `certainly-not` is not answered. */
export type MatchGrade = 'certain' | 'probable' | 'possible'

export interface Score {
  /** 0 to 1. */
  readonly score: number
  readonly grade: MatchGrade
}

const good = (agreement: Agreement): boolean => agreement === 'agree' || agreement === 'close'

/** Undefined when there is too little to call it even possible. */
export function scoreOf(evidence: Evidence): Score | undefined {
  const score = Math.max(0, Math.round((levelOf(evidence) - doubt(evidence)) * 100) / 100)
  if (score < 0.3) return undefined
  return { score, grade: gradeOf(score, evidence) }
}

/** The first row that fits decides. */
function levelOf({ identifier, family, given, birthDate, phone, email, address }: Evidence): number {
  const name = good(family) && good(given)
  const born = good(birthDate)
  const contacts = [phone, email, address].filter(good).length
  const rows: readonly (readonly [boolean, number])[] = [
    [identifier === 'agree' && (name || born), 0.99],
    [name && born && contacts > 1, 0.95],
    [name && born && (good(address) || good(email)), 0.8],
    [name && born && good(phone), 0.7],
    [name && born, 0.6],
    [identifier === 'agree', 0.55],
    [name && contacts > 0, 0.55 + 0.1 * (contacts - 1)],
    [name, 0.35],
    [born && contacts > 0 && (good(family) || good(given)), 0.5],
    [contacts > 0, 0.3 + 0.05 * (contacts - 1) + (good(family) ? 0.05 : 0)],
    [good(family) && born, 0.35],
  ]
  return rows.find(([holds]) => holds)?.[1] ?? 0
}

/** What speaks against: people of one household share numbers, homes and family names, but not these. */
function doubt({ family, given, birthDate, gender, identifier }: Evidence): number {
  const close = [family, given, birthDate].filter((agreement) => agreement === 'close').length
  return (
    0.04 * close +
    (birthDate === 'differ' ? 0.2 : 0) +
    (given === 'differ' ? 0.15 : 0) +
    (gender === 'differ' ? 0.08 : 0) +
    (identifier === 'differ' ? 0.08 : 0)
  )
}

/**
 * Certain needs more than a high score: nothing that tells two people apart may differ. Twins share all but a given
 * name, which may be a letter apart, so without an identifier given name and birth date must be the very same.
 */
function gradeOf(score: number, { given, family, birthDate, gender, identifier }: Evidence): MatchGrade {
  const isSame = identifier === 'agree' || (given === 'agree' && birthDate === 'agree' && identifier !== 'differ')
  const isContradicted = [given, family, birthDate, gender].includes('differ')
  if (score >= 0.79 && isSame && !isContradicted) return 'certain'
  return score >= 0.55 && given !== 'differ' && birthDate !== 'differ' ? 'probable' : 'possible'
}
