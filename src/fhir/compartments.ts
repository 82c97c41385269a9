/** Compartments, the resources around a patient, an encounter and so on: https://hl7.org/fhir/R4/compartmentdefinition.html. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Stands for a search parameter where a resource is in its own compartment. */
export const ITSELF = '{def}'

/** Types of resources by what makes them members: the codes of their reference parameters, any of which will do. */
export type Membership = ReadonlyMap<string, readonly string[]>

/** The five CompartmentDefinitions of R4, as far as they name parameters. */
const FILE = join(import.meta.dirname, '..', '..', 'resources', 'r4', 'compartments.json')

const compartments: ReadonlyMap<string, Membership> = new Map(
  Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Record<string, readonly string[]>>).map(
    ([type, members]) => [type, new Map(Object.entries(members))],
  ),
)

/** The types of resources that have a compartment, sorted. */
export const compartmentTypes: readonly string[] = [...compartments.keys()]

/** Undefined for a type that has no compartment. */
export const membershipOf = (compartment: string): Membership | undefined => compartments.get(compartment)

/** Canonical of the CompartmentDefinition: `http://hl7.org/fhir/CompartmentDefinition/relatedPerson`. */
export const compartmentUrl = (type: string): string =>
  `http://hl7.org/fhir/CompartmentDefinition/${type.charAt(0).toLowerCase()}${type.slice(1)}`
