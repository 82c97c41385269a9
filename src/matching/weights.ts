/**
 * The weight of evidence where a field of two records agrees, nearly agrees or differs: the table of the Fellegi-Sunter
 * model (I. P. Fellegi and A. B. Sunter, A Theory for Record Linkage, Journal of the American Statistical Association
 * 64, 1969), with a second alternative besides the stranger: the relative.
 *
 * - `u`: its probability for two people. Exact agreement: the conservative values in public use for record linkage:
 *   first name .02, last name .005, birth date 1e-4, postal code 3e-4, street 3e-5, telephone number and e-mail address
 *   1e-6. For names the clinic's own frequencies replace them (core/patient-linkage.ts). The other levels are
 *   estimates: similar names are about as frequent as the same name; a date has some thirty others that differ by one
 *   digit.
 * - `m`: its probability for two records of one person. Estimates: about a twentieth of names, dates and numbers that
 *   do not change are not written the same the second time, most of them for one letter or digit; people move and
 *   change their telephone more often.
 * - `household`: its probability for two people of one household, who share name, address and telephone, and are seldom
 *   born on the same day. Estimates, too.
 *
 * The estimates are checked, not fitted: the bench measures accuracy and calibration on records that the table was not
 * made from (docs/adr/020-patient-matching.md).
 *
 * `m` is never below `household` where a field agrees, so that no agreement ever counts against a match. Fields that
 * are missing in one record are no evidence, and have no row.
 */

/** Probabilities. */
export interface Likelihood {
  readonly m: number
  readonly u: number
  readonly household: number
}

const row = (m: number, u: number, household: number): Likelihood => ({ m, u, household })

/** By field and level. The levels of a field are listed from the strongest to the weakest evidence. */
export const WEIGHTS = {
  family: {
    same: row(0.8, 0.005, 0.75),
    near: row(0.1, 0.006, 0.01),
    part: row(0.02, 0.004, 0.02),
    similar: row(0.02, 0.012, 0.01),
    differ: row(0.06, 0.973, 0.21),
  },
  given: {
    same: row(0.78, 0.02, 0.04),
    near: row(0.1, 0.012, 0.06),
    nickname: row(0.04, 0.006, 0.006),
    initial: row(0.04, 0.02, 0.02),
    similar: row(0.02, 0.03, 0.06),
    differ: row(0.05, 0.91, 0.83),
  },
  /** Family and given name are swapped in one record: their evidence is weakened by this much. */
  order: {
    swapped: row(0.02, 1, 1),
  },
  suffix: {
    same: row(0.95, 0.4, 0.4),
    /** Senior is not Junior. */
    differ: row(0.0005, 0.6, 0.6),
  },
  birthDate: {
    same: row(0.93, 0.0001, 0.03),
    swapped: row(0.01, 0.0001, 0.0005),
    digit: row(0.03, 0.002, 0.003),
    partial: row(0.9, 0.012, 0.05),
    differ: row(0.03, 0.998, 0.966),
  },
  gender: {
    same: row(0.98, 0.5, 0.48),
    differ: row(0.02, 0.5, 0.52),
  },
  phone: {
    same: row(0.7, 0.000001, 0.4),
    differ: row(0.3, 0.999999, 0.6),
  },
  email: {
    same: row(0.7, 0.000001, 0.1),
    differ: row(0.3, 0.999999, 0.9),
  },
  /** `without system`: one of the two records does not name the system of its value. */
  identifier: {
    same: row(0.96, 0.000001, 0.000001),
    'same, without system': row(0.9, 0.00001, 0.00001),
    digit: row(0.02, 0.01, 0.02),
    differ: row(0.02, 0.9999, 0.9989),
  },
  street: {
    same: row(0.66, 0.00003, 0.6),
    near: row(0.16, 0.00006, 0.06),
    part: row(0.06, 0.012, 0.06),
    differ: row(0.12, 0.988, 0.28),
  },
  postalCode: {
    same: row(0.82, 0.0003, 0.7),
    digit: row(0.04, 0.003, 0.01),
    differ: row(0.14, 0.9967, 0.29),
  },
  city: {
    same: row(0.86, 0.005, 0.8),
    near: row(0.04, 0.005, 0.02),
    differ: row(0.1, 0.99, 0.18),
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Likelihood>>>>

export type Field = keyof typeof WEIGHTS

/** The evidence of one field of a pair of records. */
export type FieldEvidence = {
  readonly [F in Field]: {
    readonly field: F
    readonly level: keyof (typeof WEIGHTS)[F]
    /** The shared value, where its frequency counts. */
    readonly value?: string
  }
}[Field]

export const likelihoodOf = ({ field, level }: FieldEvidence): Likelihood =>
  (WEIGHTS[field] as Readonly<Record<string, Likelihood>>)[level] as Likelihood
