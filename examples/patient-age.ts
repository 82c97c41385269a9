/** An operation: GET /Patient/{id}/$age returns the age of a patient today, or on the day `on`. */
import { type AnyResource, defineExtension, defineOperation, unprocessable } from 'sandbox-emr'

interface Patient extends AnyResource {
  readonly birthDate?: string
}

const age = defineOperation(
  {
    resourceType: 'OperationDefinition',
    id: 'example-patient-age',
    url: 'https://example.org/fhir/OperationDefinition/example-patient-age',
    name: 'PatientAge',
    status: 'active',
    kind: 'operation',
    code: 'age',
    resource: ['Patient'],
    system: false,
    type: false,
    instance: true,
    affectsState: false,
    parameter: [
      { name: 'on', use: 'in', min: 0, max: '1', type: 'date', documentation: 'YYYY-MM-DD; absent: today (UTC).' },
      { name: 'years', use: 'out', min: 1, max: '1', type: 'integer', documentation: 'Whole years.' },
    ],
  },
  async ({ access, id = '', input }) => {
    const ctx = await access.reader()
    const { resource } = await ctx.read<Patient>('Patient', id)
    const on = input.on === undefined ? new Date(ctx.now).toISOString().slice(0, 10) : String(input.on)
    return { years: yearsBetween(resource.birthDate ?? '', on) }
  },
)

/** @throws FhirError 422 unless both are a day */
function yearsBetween(birth: string, on: string): number {
  if (![birth, on].every((date) => /^\d{4}-\d\d-\d\d$/.test(date)))
    throw unprocessable('The age needs a full Patient.birthDate and a full day', { expression: 'Patient.birthDate' })
  const years = Number(on.slice(0, 4)) - Number(birth.slice(0, 4))
  return on.slice(5) < birth.slice(5) ? years - 1 : years
}

export const extension = defineExtension({ name: 'patient-age', operations: [age] })
