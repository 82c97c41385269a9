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

/** What there may be between two records; close counts as there. `part`: family or given name. */
export type Clue = 'identifier' | 'name' | 'family' | 'part' | 'birthDate' | 'phone' | 'email' | 'address'

export interface Level {
  readonly needs: readonly Clue[]
  /** Of phone, e-mail and address, so many at least. */
  readonly contacts?: number
  readonly score: number
}

/** The first row that fits decides. */
export const LEVELS: readonly Level[] = [
  { needs: ['identifier', 'name'], score: 0.99 },
  { needs: ['identifier', 'birthDate'], score: 0.99 },
  { needs: ['name', 'birthDate'], contacts: 2, score: 0.95 },
  { needs: ['name', 'birthDate', 'email'], score: 0.8 },
  { needs: ['name', 'birthDate', 'address'], score: 0.8 },
  { needs: ['name', 'birthDate', 'phone'], score: 0.7 },
  { needs: ['name', 'birthDate'], score: 0.6 },
  { needs: ['identifier'], score: 0.55 },
  { needs: ['name'], contacts: 3, score: 0.75 },
  { needs: ['name'], contacts: 2, score: 0.65 },
  { needs: ['name'], contacts: 1, score: 0.55 },
  { needs: ['name'], score: 0.35 },
  { needs: ['part', 'birthDate'], contacts: 1, score: 0.5 },
  { needs: ['family'], contacts: 3, score: 0.45 },
  { needs: [], contacts: 3, score: 0.4 },
  { needs: ['family'], contacts: 2, score: 0.4 },
  { needs: [], contacts: 2, score: 0.35 },
  { needs: ['family'], contacts: 1, score: 0.35 },
  { needs: [], contacts: 1, score: 0.3 },
  { needs: ['family', 'birthDate'], score: 0.35 },
]

function levelOf(evidence: Evidence): number {
  const { identifier, family, given, birthDate, phone, email, address } = evidence
  const contacts = [phone, email, address].filter(good).length
  const there: Readonly<Record<Clue, boolean>> = {
    identifier: identifier === 'agree',
    name: good(family) && good(given),
    family: good(family),
    part: good(family) || good(given),
    birthDate: good(birthDate),
    phone: good(phone),
    email: good(email),
    address: good(address),
  }
  const level = LEVELS.find((row) => row.needs.every((clue) => there[clue]) && contacts >= (row.contacts ?? 0))
  return level?.score ?? 0
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
