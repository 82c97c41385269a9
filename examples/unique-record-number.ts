/** A rule around a provider of the server: no two patients of a clinic have the same medical record number. */
import { type AnyResource, type Context, conflict, defineExtension, extendProvider } from 'sandbox-emr'

const SYSTEM = 'https://example.org/medical-record-number'

interface Patient extends AnyResource {
  readonly identifier?: readonly { readonly system?: string; readonly value?: string }[]
}

/** @throws FhirError 409 when another patient has the number */
async function checkNumber(ctx: Context, patient: Patient): Promise<void> {
  const value = patient.identifier?.find(({ system }) => system === SYSTEM)?.value
  if (value === undefined) return
  const query = new URLSearchParams({ identifier: `${SYSTEM}|${value}` })
  // Guarded: of two clients that store the same number at the same time one gets 409 too.
  const holders = await ctx.searchGuarded('Patient', String(query))
  if (holders.every(({ id }) => id === patient.id)) return
  throw conflict(`Another patient has the medical record number ${value}`, { expression: 'Patient.identifier' })
}

const patient = extendProvider('Patient', {
  create: (next) => async (ctx, resource) => {
    await checkNumber(ctx, resource)
    return next(ctx, resource)
  },
  update: (next) => async (ctx, resource) => {
    await checkNumber(ctx, resource)
    return next(ctx, resource)
  },
})

export const extension = defineExtension({ name: 'unique-record-number', providers: [patient] })
