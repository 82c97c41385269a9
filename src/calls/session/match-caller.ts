/**
 * Finds the real patients of the clinic who match the name or the phone number that a caller states, and the one patient
 * whose full name and date of birth they state, or none.
 */
import type { HumanName, Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { linkPatients } from '../../core/patient-linkage.ts'
import { spend } from '../../isolation/budget.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import { formsOf, type NameForms, type PersonName } from '../../matching/names.ts'
import type { Versioned } from '../../repository/repository.ts'
import { fullNameAgreement, hasStatedName, isOneWord, statedName } from '../../spoken/stated-name.ts'
import { isReal } from '../record/patient-fields.ts'

export interface StatedIdentity {
  readonly name?: string
  /** In the form that spokenPhone returns. */
  readonly phone?: string
  /** The clinic's region, for phone numbers without a country code. */
  readonly region?: string
}

export interface CallerMatch {
  /** Patient.id of everyone who matches by name or phone; those who match by both come first. */
  readonly candidates: readonly string[]
  readonly matchedBy: readonly ('name' | 'phone')[]
  /** A code of http://hl7.org/fhir/ValueSet/match-grade; without a birth date no match is certain. */
  readonly grade: 'probable' | 'possible' | 'certainly-not'
  /** True if not all patients with the stated values were compared, because these are too common: see Linkage. */
  readonly narrowed: boolean
}

/**
 * A caller matches a patient if the name agrees, perhaps by a nickname or a spelling that sounds the same, or if the
 * phone number does. This is less than $match requires, as no birth date is stated. Staff see the candidates and
 * decide.
 */
export async function matchCaller(ctx: Context, stated: StatedIdentity): Promise<CallerMatch> {
  const names = stated.name === undefined ? [] : statedName(stated.name)
  const asked: Patient = {
    resourceType: 'Patient',
    name: names.flatMap(askedNames),
    ...(stated.phone === undefined ? {} : { telecom: [{ system: 'phone', value: stated.phone }] }),
  }
  const linkage = await linkPatients(ctx.unit, asked, stated.region)
  const real = (linkage?.patients ?? []).map(({ patient }) => patient).filter(({ resource }) => isReal(resource))
  const byName = real.filter(({ resource }) => hasStatedName(names, resource)).map(({ id }) => id)
  const byPhone = real.filter(({ resource }) => hasPhone(resource, stated)).map(({ id }) => id)
  const both = byName.filter((id) => byPhone.includes(id))
  const candidates = [...new Set([...both, ...byName, ...byPhone])]
  return {
    candidates,
    matchedBy: [...(byName.length > 0 ? (['name'] as const) : []), ...(byPhone.length > 0 ? (['phone'] as const) : [])],
    grade: gradeOf(candidates.length, both.length),
    narrowed: linkage?.narrowed ?? false,
  }
}

/** A single word may be the family name or the given name. */
const askedNames = (name: PersonName): readonly HumanName[] => {
  const { family, given, suffixes } = name
  if (isOneWord(name)) return [{ family }, { given: [family] }]
  return [{ family, given: [...given], suffix: [...suffixes] }]
}

function gradeOf(candidates: number, matchingBoth: number): CallerMatch['grade'] {
  if (candidates === 0) return 'certainly-not'
  return candidates === 1 && matchingBoth === 1 ? 'probable' : 'possible'
}

const hasPhone = (patient: Patient, { phone, region }: StatedIdentity): boolean =>
  phone !== undefined && sharesPhone([phone], telecom(patient, 'phone'), region)

export interface StatedPerson {
  /** The full name as it was said. */
  readonly name: string
  /** YYYY-MM-DD. */
  readonly birthDate: string
  /** In the form that spokenPhone returns. */
  readonly phone?: string
  /** The clinic's region, for phone numbers without a country code. */
  readonly region?: string
}

export interface PersonMatch {
  /** Undefined if nobody matches, or several do. */
  readonly patient: Versioned<Patient> | undefined
  /** Patients whose name agrees, whatever their birth date; the likeliest first, up to a limit. */
  readonly candidates: readonly Versioned<Patient>[]
}

/** Readings with both a family name and a given name. */
export const fullNames = (text: string): readonly PersonName[] => statedName(text).filter((name) => !isOneWord(name))

/** More would not help staff to compare. */
const MAX_CANDIDATES = 20

/** Most patients whose names are compared for staff, taken from the likeliest. */
const MAX_COMPARED = 100

/**
 * The call's own patient if that is a real one, else the only patient of the clinic whose full name and birth date
 * agree. The clinic is searched in every case, so that the duration does not reveal who is meant.
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
 * Among patients born on that day, prefers an identical given name, as the names of twins may differ by one letter. The
 * distinction is that of $match (matching/score.ts).
 */
function onlyOne(born: readonly Versioned<Patient>[], forms: readonly NameForms[]): Versioned<Patient> | undefined {
  const rated = born.map((patient) => ({ patient, agreement: agreementWith(forms, patient.resource) }))
  const same = rated.filter(({ agreement }) => agreement === 'same')
  const [first, ...others] = same.length > 0 ? same : rated.filter(({ agreement }) => agreement === 'alike')
  return others.length > 0 ? undefined : first?.patient
}

/** Budget steps for one pair of names, which are compared in several orders. */
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
