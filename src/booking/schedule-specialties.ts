/** The specialties of a Schedule's actors at this clinic: https://hl7.org/fhir/R4/practitionerrole.html. */
import type { CodeableConcept, PractitionerRole, Schedule } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'

/** Budget steps to look up a role. */
const LOOKED_UP = 20

/** Specialties of its active PractitionerRoles, and of the active roles of its Practitioners. */
export async function specialtiesOf(ctx: Context, { actor }: Schedule): Promise<readonly CodeableConcept[]> {
  const roles = await Promise.all(actor.map(({ reference = '' }) => rolesOf(ctx, reference)))
  return roles.flat().flatMap(({ active, specialty = [] }) => (active === false ? [] : specialty))
}

async function rolesOf(ctx: Context, reference: string): Promise<readonly PractitionerRole[]> {
  const { type, id = '' } = localReference(reference, ctx.baseUrl) ?? {}
  if (type !== 'PractitionerRole' && type !== 'Practitioner') return []
  spend(LOOKED_UP, 'the roles of practitioners')
  if (type === 'Practitioner') {
    const found = await ctx.search<PractitionerRole>('PractitionerRole', `practitioner=Practitioner/${id}`)
    return found.map(({ resource }) => resource)
  }
  const role = (await ctx.find<PractitionerRole>('PractitionerRole', id))?.resource
  return role === undefined ? [] : [role]
}
