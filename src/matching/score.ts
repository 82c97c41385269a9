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

function levelOf(evidence: Evidence): number {
  const { identifier, family, given, birthDate } = evidence
  const name = good(family) && good(given)
  const contacts = [evidence.phone, evidence.email, evidence.address].filter(good).length
  if (identifier === 'agree' && (name || good(birthDate))) return 0.99
  if (name && good(birthDate)) {
    if (contacts > 1) return 0.95
    return good(evidence.address) || good(evidence.email) ? 0.8 : good(evidence.phone) ? 0.7 : 0.6
  }
  if (identifier === 'agree') return 0.55
  if (name) return contacts > 0 ? 0.55 + 0.1 * (contacts - 1) : 0.35
  if (good(birthDate) && contacts > 0 && (good(family) || good(given))) return 0.5
  if (contacts > 0) return 0.3 + 0.05 * (contacts - 1) + (good(family) ? 0.05 : 0)
  return good(family) && good(birthDate) ? 0.35 : 0
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

/** Certain needs more than a high score: nothing that tells two people apart may differ. */
function gradeOf(score: number, { given, family, birthDate, gender, identifier }: Evidence): MatchGrade {
  const conflict = [given, family, birthDate, gender].includes('differ') || (identifier === 'differ' && score < 0.95)
  if (score >= 0.79 && !conflict) return 'certain'
  return score >= 0.56 && given !== 'differ' && birthDate !== 'differ' ? 'probable' : 'possible'
}
