/** Finds the real patients of the clinic who match the name or the phone number that a caller states. */
import type { HumanName, Patient } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import { linkPatients } from '../../core/patient-linkage.ts'
import { sharesPhone, telecom } from '../../matching/demographics.ts'
import type { PersonName } from '../../matching/names.ts'
import { hasStatedName, isOneWord, statedName } from '../../spoken/stated-name.ts'
import { isReal } from '../record/registration.ts'

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
