/**
 * Compartments, the resources that belong to a patient, an encounter and so on:
 * https://hl7.org/fhir/R4/compartmentdefinition.html.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Used in place of a search parameter where a resource is a member of its own compartment. */
export const ITSELF = '{def}'

/** Resource type -> the reference search parameters of which any one makes a resource a member. */
export type CompartmentMembers = ReadonlyMap<string, readonly string[]>

/** The parameters that the five CompartmentDefinitions of R4 name. */
const FILE = join(import.meta.dirname, '..', '..', 'resources', 'r4', 'compartments.json')

const compartments: ReadonlyMap<string, CompartmentMembers> = new Map(
  Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, readonly string[]>>).map(
    ([type, members]) => [type, new Map(Object.entries(members))],
  ),
)

/** The resource types that have a compartment, sorted. */
export const compartmentTypes: readonly string[] = [...compartments.keys()]

/** The members of a compartment; undefined for a type that has none. */
export const compartmentMembers = (compartment: string): CompartmentMembers | undefined => compartments.get(compartment)

/** Canonical of the CompartmentDefinition: `http://hl7.org/fhir/CompartmentDefinition/relatedPerson`. */
export const compartmentUrl = (type: string): string =>
  `http://hl7.org/fhir/CompartmentDefinition/${type.charAt(0).toLowerCase()}${type.slice(1)}`

/** The record of a patient: the compartment, and what is missing from it in R4: tasks about the patient, and implanted devices. */
export const patientRecord: CompartmentMembers = new Map([
  ...(compartmentMembers('Patient') ?? []),
  ['Device', ['patient']] as const,
  ['Task', ['patient', 'focus']] as const,
])
