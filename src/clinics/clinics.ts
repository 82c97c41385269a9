/**
 * Clinics: a clinic is a tenant, and the FHIR Organization of the same id (https://hl7.org/fhir/R4/organization.html).
 */
import type { Organization } from 'fhir/r4'
import { badRequest, conflict } from '../fhir/outcome.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { removeDemoAccounts } from './accounts.ts'
import { type ClinicSettings, findSettings, writeSettings } from './settings.ts'

/** https://hl7.org/fhir/R4/datatypes.html#id */
export const isClinicId = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(value)

/**
 * Creates a clinic with its Organization and settings, in one change. It ends the accounts of the demo: their passwords
 * are published, and the store is no longer a demo.
 * @throws FhirError 400 when the id is not a FHIR id, 409 when the clinic exists, 422 when a dialled number is taken
 */
export async function createClinic(repository: Repository, clinic: string, settings: ClinicSettings): Promise<void> {
  if (!isClinicId(clinic)) {
    throw badRequest(`The clinic id '${clinic}' must have 1 to 64 letters, digits, '-' or '.'`)
  }
  await repository.change(clinic, async (unit) => {
    await stageClinic(unit, settings)
    await removeDemoAccounts(repository, unit)
  })
}

/**
 * Stages the unit's clinic, with a default Organization unless one is given.
 * @throws FhirError 409 when the clinic exists, 422 when a dialled number is taken
 */
export async function stageClinic(
  unit: UnitOfWork,
  settings: ClinicSettings,
  organization: Organization = { resourceType: 'Organization', active: true, name: settings.name },
): Promise<void> {
  if ((await findSettings(unit, unit.clinic)) !== undefined)
    throw conflict(`The clinic '${unit.clinic}' exists already`)
  await writeSettings(unit, settings)
  await unit.put({ ...organization, id: unit.clinic }, 'PUT')
}
