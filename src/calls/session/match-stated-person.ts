/** Which patient a caller is who states their full name and date of birth: one and no other, or nobody. */
import type { Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { linkPatients } from '../../core/patient-linkage.ts'
import { spend } from '../../isolation/budget.ts'
import { formsOf, type NameForms } from '../../matching/name-forms.ts'
import type { PersonName } from '../../matching/names.ts'
import type { Versioned } from '../../repository/repository.ts'
import { fullNameAgreement, isOneWord, statedName } from '../../spoken/stated-name.ts'
import { isReal } from '../record/registration.ts'

export interface StatedPerson {
  /** As it was said; a full name. */
  readonly name: string
  /** YYYY-MM-DD. */
  readonly birthDate: string
  /** In the form of spokenPhone. */
  readonly phone?: string
  /** Of the clinic: how a phone number without a country code is read. */
  readonly region?: string
}

export interface PersonMatch {
  /** Undefined when it is nobody, or cannot be told who of several. */
  readonly patient: Versioned<Patient> | undefined
  /** The first whose name agrees, whatever their birth date, the likeliest first. */
  readonly candidates: readonly Versioned<Patient>[]
}

/** The readings that hold a family name and a given name. */
export const fullNames = (text: string): readonly PersonName[] => statedName(text).filter((name) => !isOneWord(name))

/** More would not help staff to compare. */
const MAX_CANDIDATES = 20

/** Of those found, the likeliest whose names are compared for staff. */
const MAX_COMPARED = 100

/**
 * The call's own patient where that is a real one, else the only one in the clinic whose full name and birth date agree.
 * The clinic is searched in every case, so that it takes as long whoever is meant.
 * @throws FhirError 503 while the keys of stored patients are being indexed; BudgetError
 */
export async function matchStatedPerson(
  ctx: Context,
  own: Versioned<Patient> | undefined,
  stated: StatedPerson,
): Promise<PersonMatch> {
  const names = fullNames(stated.name)
  const forms = names.map(formsOf)
  const linkage = await linkPatients(ctx.unit, askedOf(stated, names), stated.region)
  const real = (linkage?.patients ?? []).map(({ patient }) => patient).filter(({ resource }) => isReal(resource))
  const mayBe = own !== undefined && isReal(own.resource) ? [own] : real
  return {
    patient: onlyOne(
      mayBe.filter(({ resource }) => resource.birthDate === stated.birthDate),
      forms,
    ),
    candidates: real
      .slice(0, MAX_COMPARED)
      .filter(({ resource }) => agreementWith(forms, resource) !== undefined)
      .slice(0, MAX_CANDIDATES),
  }
}

/**
 * Of several born on the day the one whose given name is the very same, as that of a twin may differ by a letter: what
 * distinguishes them is decided as for $match (matching/grade.ts).
 */
function onlyOne(born: readonly Versioned<Patient>[], forms: readonly NameForms[]): Versioned<Patient> | undefined {
  const rated = born.map((patient) => ({ patient, agreement: agreementWith(forms, patient.resource) }))
  const same = rated.filter(({ agreement }) => agreement === 'same')
  const [first, ...others] = same.length > 0 ? same : rated.filter(({ agreement }) => agreement === 'alike')
  return others.length > 0 ? undefined : first?.patient
}

/** Steps of the budget for a pair of names, which are compared in several orders. */
const STEPS_PER_PAIR = 4

function agreementWith(forms: readonly NameForms[], patient: Patient) {
  spend(forms.length * (patient.name?.length ?? 0) * STEPS_PER_PAIR, 'comparing names')
  return fullNameAgreement(forms, patient)
}

const askedOf = ({ birthDate, phone }: StatedPerson, names: readonly PersonName[]): Patient => ({
  resourceType: 'Patient',
  birthDate,
  name: names.map(({ family, given, suffixes }) => ({ family, given: [...given], suffix: [...suffixes] })),
  ...(phone === undefined ? {} : { telecom: [{ system: 'phone', value: phone }] }),
})
