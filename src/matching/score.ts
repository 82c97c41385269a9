/**
 * Converts the evidence on a pair of patients to a score and a grade, by the levels of the HL7 Identity Matching guide
 * (.99 identifier with name or birth date, .8 name, birth date and address or e-mail, .7 with phone, .6 name and birth
 * date).
 */
import type { Agreement, Evidence } from './compare.ts'

/** http://hl7.org/fhir/ValueSet/match-grade; `certainly-not` is never returned. */
export type MatchGrade = 'certain' | 'probable' | 'possible'

export interface Score {
  /** 0 to 1. */
  readonly score: number
  readonly grade: MatchGrade
}

const good = (agreement: Agreement): boolean => agreement === 'agree' || agreement === 'close'

/** Undefined when the evidence is too weak for even a possible match. */
export function scoreOf(evidence: Evidence): Score | undefined {
  const score = Math.max(0, Math.round((levelOf(evidence) - penalty(evidence)) * 100) / 100)
  if (score < 0.3) return undefined
  return { score, grade: gradeOf(score, evidence) }
}

/** What two records may have in common, if only closely. `part`: family or given name. */
export type Clue = 'identifier' | 'name' | 'family' | 'part' | 'birthDate' | 'phone' | 'email' | 'address'

export interface Level {
  readonly needs: readonly Clue[]
  /** The minimum number of phone, e-mail and address that must agree. */
  readonly contacts?: number
  readonly score: number
}

/** The first level that applies decides. */
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
  const agreed: Readonly<Record<Clue, boolean>> = {
    identifier: identifier === 'agree',
    name: good(family) && good(given),
    family: good(family),
    part: good(family) || good(given),
    birthDate: good(birthDate),
    phone: good(phone),
    email: good(email),
    address: good(address),
  }
  const level = LEVELS.find((row) => row.needs.every((clue) => agreed[clue]) && contacts >= (row.contacts ?? 0))
  return level?.score ?? 0
}

/** Deductions for differences in what members of a household do not share. */
function penalty({ family, given, birthDate, gender, identifier }: Evidence): number {
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
 * `certain` needs more than a high score: nothing that distinguishes people may differ. Twins share everything but the
 * given name, which may differ by a letter, so without an identifier given name and birth date must agree exactly.
 */
function gradeOf(score: number, { given, family, birthDate, gender, identifier }: Evidence): MatchGrade {
  const isSame = identifier === 'agree' || (given === 'agree' && birthDate === 'agree' && identifier !== 'differ')
  const isContradicted = [given, family, birthDate, gender].includes('differ')
  if (score >= 0.79 && isSame && !isContradicted) return 'certain'
  return score >= 0.55 && given !== 'differ' && birthDate !== 'differ' ? 'probable' : 'possible'
}
