/**
 * The patients of a booking. A Patient without an id is never matched by similarity: it is the one with one of its
 * identifiers, as in a conditional create, or else a new one.
 */
import type { Identifier, Patient } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { unprocessable } from '../fhir/outcome.ts'
import { spend } from '../isolation/budget.ts'
import { tokenText } from '../search/value.ts'

/** Budget steps to look up one patient. */
const LOOKED_UP = 10

/** `Patient/<id>`, or the resource itself. */
export type NamedPatient = string | Patient

/**
 * References to the patients; new patients are staged with the booking.
 * @throws FhirError 400 or 422
 */
export async function patientReferences(ctx: Context, patients: readonly NamedPatient[]): Promise<readonly string[]> {
  spend(patients.length * LOOKED_UP, 'its patients')
  const references: string[] = []
  const created: Created = new Map()
  for (const patient of patients)
    references.push(typeof patient === 'string' ? patient : await stored(ctx, patient, created))
  return [...new Set(references)]
}

/** The patients created by this booking, by each of their identifiers. */
type Created = Map<string, string>

async function stored(ctx: Context, given: Patient, created: Created): Promise<string> {
  const patient = ctx.unit.validate<Patient>(given, 'Patient')
  if (patient.id !== undefined) return await existing(ctx, patient.id)
  const tokens = (patient.identifier ?? []).filter(({ value }) => value !== undefined).map(tokenOf)
  const found = await withOneIdentifier(ctx, tokens, created)
  if (found !== undefined) return found
  const reference = `Patient/${(await ctx.create<Patient>(patient)).id}`
  for (const token of tokens) created.set(token, reference)
  return reference
}

/** The stored patient; other elements of the given resource are ignored. */
async function existing(ctx: Context, id: string): Promise<string> {
  if ((await ctx.find<Patient>('Patient', id)) !== undefined) return `Patient/${id}`
  throw unprocessable(
    `There is no Patient/${id} in this clinic; give a patient-resource without an id for somebody who is new`,
    { expression: 'patient-resource', reason: 'reference-not-found' },
  )
}

/** The change commits only if the same patients still have the identifiers. */
async function withOneIdentifier(
  ctx: Context,
  tokens: readonly string[],
  created: Created,
): Promise<string | undefined> {
  if (tokens.length === 0) return undefined
  const matches = await ctx.searchGuarded<Patient>('Patient', `identifier=${encodeURIComponent(tokens.join())}`)
  const found = new Set([
    ...matches.map(({ id }) => `Patient/${id}`),
    ...tokens.flatMap((token) => created.get(token) ?? []),
  ])
  if (found.size <= 1) return [...found][0]
  throw unprocessable(
    `${[...found].slice(0, NAMED).join(', ')} have the identifiers of the patient-resource; give the id of the one who comes`,
    { expression: 'patient-resource', reason: 'several-patients' },
  )
}

/** Most patients listed in a message. */
const NAMED = 10

/** An identifier without a system differs from one with a system. */
const tokenOf = ({ system = '', value = '' }: Identifier): string => tokenText(system, value)
