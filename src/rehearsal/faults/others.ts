/** Changes that others make a moment before a request: a booking for somebody else, and versions of resources. */
import type { Appointment, Coding, Patient } from 'fhir/r4'
import { cancel } from '../../booking/book.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { localReference } from '../../fhir/reference.ts'
import { type AnyResource, present } from '../../fhir/resource.ts'

/** The patient who takes the times of others, one in each clinic. */
const SOMEBODY: Patient & { readonly id: string } = {
  resourceType: 'Patient',
  id: 'somebody-else',
  active: true,
  name: [{ family: 'Else', given: ['Somebody'] }],
}

/** An import is not bound by the clinic's limits for one patient, but takes its time by the same rules. */
const AS_IMPORT = { isImport: true }

/**
 * Books the time of a visit for somebody else; a hold that the visit has had on it ends before.
 * @throws FhirError where the time is not free
 */
export async function bookForOthers(others: ClinicAccess, visit: Appointment): Promise<void> {
  await others.change(async (ctx) => {
    const stored = visit.id === undefined ? undefined : await ctx.find<Appointment>('Appointment', visit.id)
    if (stored?.resource.status === 'pending') await cancel(ctx, stored.id)
    if ((await ctx.find<Patient>('Patient', SOMEBODY.id)) === undefined) await ctx.update(SOMEBODY)
    await ctx.create<Appointment>(forSomebody(ctx, visit))
  }, AS_IMPORT)
}

/** The same time with the same actors, and nothing else of the visit, which is about its patient. */
function forSomebody(ctx: Context, { slot, start, end, serviceType, participant }: Appointment): Appointment {
  const actors = participant.filter(({ actor }) => !isPatient(ctx, actor?.reference))
  return {
    resourceType: 'Appointment',
    status: 'booked',
    ...present({ slot, start, end, serviceType }),
    participant: [{ actor: { reference: `Patient/${SOMEBODY.id}` }, status: 'accepted' }, ...actors],
  }
}

const isPatient = ({ baseUrl }: Context, reference = ''): boolean =>
  localReference(reference, baseUrl)?.type === 'Patient'

/** Tells the versions of others from those of the client. */
const OF_OTHERS = { system: 'https://sandbox-emr.example/fhir/CodeSystem/fault', code: 'version-moved' }

/**
 * Writes a further version of each of these resources, with a tag. It checks no rules, as nothing else changes.
 * @param addresses `Type/id`
 */
export async function writeVersions(others: ClinicAccess, addresses: readonly string[]): Promise<void> {
  if (addresses.length === 0) return
  await others.change(async ({ unit }) => {
    for (const address of addresses) {
      const [type = '', id = ''] = address.split('/')
      const found = await unit.read(type, id)
      if (found === undefined || found.deleted) continue
      const { resource } = found
      await unit.put({ ...resource, meta: { ...resource.meta, tag: [...tagsOf(resource), OF_OTHERS] } }, 'PUT')
    }
  })
}

const tagsOf = ({ meta }: AnyResource): readonly Coding[] =>
  (meta?.tag ?? []).filter(({ system }) => system !== OF_OTHERS.system)
