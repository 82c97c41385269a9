/**
 * Decides by the stated name and birth date whether a caller may be the person of a record. People in one household
 * share a phone and often a family name, so a first name that merely resembles the one on file is taken for another
 * person's unless the birth date agrees.
 */
import type { Patient } from 'fhir/r4'
import { nameEvidence, sharesWord } from '../../matching/compare.ts'
import { areNicknames, formsOf, type NameForms, nameFormsOf, namesOf } from '../../matching/names.ts'
import type { FieldEvidence } from '../../matching/score.ts'
import { patientFields } from './patient-fields.ts'

export interface StatedPerson {
  readonly firstName?: string
  readonly lastName?: string
  /** YYYY-MM-DD. */
  readonly dateOfBirth?: string
}

/** True for a full name or a birth date. A first name alone may be that of another person with the same one. */
export const identifies = ({ firstName, lastName, dateOfBirth }: StatedPerson): boolean =>
  dateOfBirth !== undefined || (firstName !== undefined && lastName !== undefined)

/** The person as recorded. */
export function personOf(patient: Patient): StatedPerson {
  const { firstName, lastName, dateOfBirth } = patientFields
  const [first, last, birthDate] = [firstName.get(patient), lastName.get(patient), dateOfBirth.get(patient)]
  return {
    ...(first === undefined ? {} : { firstName: first }),
    ...(last === undefined ? {} : { lastName: last }),
    ...(birthDate === undefined ? {} : { dateOfBirth: birthDate }),
  }
}

/**
 * Relation of the record to the caller: `verified` as this patient, whose birth date the caller knows; or `made` by
 * this call from the caller's statements, so that it may be corrected.
 */
export type Tie = 'none' | 'verified' | 'made'

/**
 * Missing values contradict nothing, on file or stated. A name agrees if it agrees with any on file, including earlier
 * ones.
 */
export function contradicts(patient: Patient, stated: StatedPerson, tie: Tie = 'none'): boolean {
  if (tie === 'made' && isBirthDateAlone(stated)) return false
  const { dateOfBirth } = stated
  const { birthDate } = patient
  // A record may have only the year, or year and month.
  if (dateOfBirth !== undefined && birthDate !== undefined && !dateOfBirth.startsWith(birthDate)) return true
  const isSameBirthDate = dateOfBirth !== undefined && dateOfBirth === birthDate
  const names = nameFormsOf(patient)
  const fits = (name: NameForms) => mayBeNamed(stated, name, { isSameBirthDate, tie })
  return names.length > 0 && !names.some(fits)
}

/** True if both statements have a first name, and these cannot be one person's. */
export const haveOtherFirstNames = (earlier: StatedPerson, { firstName }: StatedPerson): boolean =>
  earlier.firstName !== undefined &&
  firstName !== undefined &&
  contradicts({ resourceType: 'Patient', name: [{ given: [earlier.firstName] }] }, { firstName })

/** True if the first name is stated and on file, and nothing contradicts. */
export const isCalled = (patient: Patient, stated: StatedPerson): boolean =>
  stated.firstName !== undefined &&
  nameFormsOf(patient).some(({ given }) => given.length > 0) &&
  !contradicts(patient, stated)

/** As isCalled, for first and last name. */
export const hasFullName = (patient: Patient, stated: StatedPerson): boolean =>
  stated.lastName !== undefined &&
  nameFormsOf(patient).some(({ family }) => family.text !== '') &&
  isCalled(patient, stated)

const isBirthDateAlone = ({ firstName, lastName, dateOfBirth }: StatedPerson): boolean =>
  dateOfBirth !== undefined && firstName === undefined && lastName === undefined

interface Known {
  /** True if the matching birth date was stated together with the name. */
  readonly isSameBirthDate: boolean
  readonly tie: Tie
}

function mayBeNamed(stated: StatedPerson, name: NameForms, known: Known): boolean {
  const said = inPlaceOf(name, stated)
  const [inOrder = [], ...swapped] = nameEvidence(said, name)
  if (swapped.some((evidence) => levelOf(evidence, 'family') === 'same' && levelOf(evidence, 'given') === 'same'))
    return true
  if (levelOf(inOrder, 'suffix') === 'differ') return false
  if (known.tie === 'made' && isCorrection(stated, inOrder)) return true
  const given = givenFits(inOrder, said, name, known)
  return given && (familyFits(inOrder, said, name) || (known.isSameBirthDate && stated.firstName !== undefined))
}

/** A correction of one part of the name: a last name, or a first name that sounds alike, said alone. */
function isCorrection({ firstName, lastName, dateOfBirth }: StatedPerson, evidence: readonly FieldEvidence[]): boolean {
  if (dateOfBirth !== undefined || (firstName !== undefined && lastName !== undefined)) return false
  return firstName === undefined || levelOf(evidence, 'given') === 'similar'
}

/** The name, with its stated parts replacing those on file. */
function inPlaceOf(name: NameForms, { firstName, lastName }: StatedPerson): NameForms {
  const [stated] = namesOf({
    name: [
      {
        ...(lastName === undefined ? {} : { family: lastName }),
        ...(firstName === undefined ? {} : { given: [firstName] }),
      },
    ],
  })
  if (stated === undefined) return name
  const { family, familyWords, given, suffixes } = formsOf(stated)
  return {
    ...name,
    ...(lastName === undefined
      ? {}
      : { family, familyWords, suffixes: suffixes.length > 0 ? suffixes : name.suffixes }),
    ...(firstName === undefined ? {} : { given }),
  }
}

const levelOf = (evidence: readonly FieldEvidence[], field: FieldEvidence['field']): string | undefined =>
  evidence.find((one) => one.field === field)?.level

/** Allows a misspelling, or one of two family names. */
const familyFits = (evidence: readonly FieldEvidence[], said: NameForms, name: NameForms): boolean =>
  [undefined, 'same', 'near'].includes(levelOf(evidence, 'family')) || sharesWord(said, name)

/** Josephine begins with Joseph, and Mario sounds like Maria: both need a matching birth date. */
function givenFits(
  evidence: readonly FieldEvidence[],
  said: NameForms,
  name: NameForms,
  { isSameBirthDate, tie }: Known,
): boolean {
  const level = levelOf(evidence, 'given')
  if (level === undefined || level === 'same' || level === 'initial') return true
  if (level !== 'near' && level !== 'nickname') return false
  return isSameBirthDate || tie !== 'none' || areNicknames(said.given[0]?.text ?? '', name.given[0]?.text ?? '')
}
