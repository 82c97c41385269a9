/**
 * The patients whom a booking names. Nobody is guessed: a Patient without an id is the one that has one of its
 * identifiers, as in a conditional create, else a new one.
 */
import type { Identifier, Patient } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { unprocessable } from '../fhir/outcome.ts'

/** `Patient/<id>`, or the resource. */
export type NamedPatient = string | Patient

/**
 * The references of the patients; those who are new are staged with the booking.
 * @throws FhirError 400 or 422
 */
export async function patientReferences(ctx: Context, patients: readonly NamedPatient[]): Promise<readonly string[]> {
  const references: string[] = []
  for (const patient of patients) references.push(typeof patient === 'string' ? patient : await stored(ctx, patient))
  return [...new Set(references)]
}

async function stored(ctx: Context, given: Patient): Promise<string> {
  const patient = ctx.unit.validate<Patient>(given, 'Patient')
  if (patient.id !== undefined) return await existing(ctx, patient.id)
  const found = await withOneIdentifier(ctx, patient.identifier ?? [])
  return found ?? `Patient/${(await ctx.create<Patient>(patient)).id}`
}

/** As it is stored: what else is given of it changes nothing. */
async function existing(ctx: Context, id: string): Promise<string> {
  if ((await ctx.find<Patient>('Patient', id)) !== undefined) return `Patient/${id}`
  throw unprocessable(
    `There is no Patient/${id} in this clinic; give a patient-resource without an id for somebody who is new`,
    { expression: 'patient-resource', reason: 'reference-not-found' },
  )
}

/** The store writes the booking only while the same patients have the identifiers. */
async function withOneIdentifier(ctx: Context, identifiers: readonly Identifier[]): Promise<string | undefined> {
  const found = new Set<string>()
  for (const identifier of identifiers) {
    if (identifier.value === undefined) continue
    const matches = await ctx.searchGuarded<Patient>('Patient', `identifier=${encodeURIComponent(tokenOf(identifier))}`)
    const staged = ctx.unit.staged<Patient>('Patient').filter(({ deleted }) => !deleted)
    const same = staged.filter(({ resource }) => resource.identifier?.some((one) => isSame(one, identifier)))
    for (const { id } of [...matches, ...same]) found.add(`Patient/${id}`)
  }
  if (found.size <= 1) return [...found][0]
  throw unprocessable(
    `${[...found].join(' and ')} have the identifiers of the patient-resource; give the id of the one who comes`,
    { expression: 'patient-resource', reason: 'several-patients' },
  )
}

/** https://hl7.org/fhir/R4/search.html#escaping */
const tokenOf = ({ system = '', value = '' }: Identifier): string => `${escaped(system)}|${escaped(value)}`

const escaped = (text: string): string => text.replace(/[\\,|$]/g, '\\$&')

const isSame = (one: Identifier, other: Identifier): boolean =>
  one.value === other.value && (one.system ?? '') === (other.system ?? '')
