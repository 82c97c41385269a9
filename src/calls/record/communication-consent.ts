/**
 * The consent to be contacted, as a Consent beside the Patient's extension: one for each patient, updated and never
 * duplicated.
 */
import type { Consent } from 'fhir/r4'
import type { Context } from '../../core/context.ts'
import type { UnitOfWork, Versioned } from '../../repository/repository.ts'
import { derivedId } from './derived-id.ts'
import { CONSENT_CATEGORY_SYSTEM, concept } from './vocabulary.ts'

const consentIdOf = (patient: string): string => derivedId('communication', patient)

/** Whether the patient, or staff, have refused it. @param patient Patient.id */
export async function refusesCommunication(unit: Pick<UnitOfWork, 'read'>, patient: string): Promise<boolean> {
  const found = await unit.read('Consent', consentIdOf(patient))
  return found !== undefined && !found.deleted && (found.resource as Consent).status === 'inactive'
}

/** Returns the written Consent; undefined if nothing changed. */
export async function writeCommunicationConsent(
  ctx: Context,
  patient: string,
  agreed: boolean,
): Promise<Versioned<Consent> | undefined> {
  const id = consentIdOf(patient)
  const current = (await ctx.find<Consent>('Consent', id))?.resource
  const status = agreed ? 'active' : 'inactive'
  if (current?.status === status) return undefined
  return await ctx.update<Consent>({
    ...current,
    resourceType: 'Consent',
    id,
    status,
    scope: concept('http://terminology.hl7.org/CodeSystem/consentscope', 'patient-privacy'),
    category: [concept(CONSENT_CATEGORY_SYSTEM, 'communication', 'Communication')],
    patient: { reference: `Patient/${patient}` },
    dateTime: new Date(ctx.now).toISOString(),
    policyRule: concept('http://terminology.hl7.org/CodeSystem/v3-ActCode', agreed ? 'OPTIN' : 'OPTOUT'),
    provision: { type: agreed ? 'permit' : 'deny' },
  })
}
