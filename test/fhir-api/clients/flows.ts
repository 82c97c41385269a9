/** Shared by the tests of published clients: resources that they send, and ways to read the responses. */
import type { Bundle, Observation, Patient } from 'fhir/r4'

export const patient = (family: string) => ({ resourceType: 'Patient' as const, name: [{ family, given: ['Kit'] }] })

export const identified = (family: string, value: string) => ({
  ...patient(family),
  identifier: [{ system: 'urn:clients', value }],
})

export const observation = (subject: string) => ({
  resourceType: 'Observation' as const,
  status: 'final' as const,
  code: { text: 'Weight', coding: [{ system: 'http://loinc.org', code: '29463-7' }] },
  subject: { reference: subject },
  valueQuantity: { value: 72.5, unit: 'kg', system: 'http://unitsofmeasure.org', code: 'kg' },
})

const FULL_URL = 'urn:uuid:0f0e4f3a-1f4f-4a42-8b4a-3f2c3f9a0001'

/** A patient, and an observation that refers to it. */
export const bundleOf = (type: 'transaction' | 'batch', family: string) => ({
  resourceType: 'Bundle' as const,
  type,
  entry: [
    { fullUrl: FULL_URL, resource: patient(family), request: { method: 'POST' as const, url: 'Patient' } },
    { resource: observation(FULL_URL), request: { method: 'POST' as const, url: 'Observation' } },
  ],
})

export const asBundle = (resource: unknown): Bundle => resource as Bundle

export const familyOf = (resource: unknown): string | undefined => (resource as Patient).name?.[0]?.family

export const familiesOf = (bundle: unknown): readonly (string | undefined)[] =>
  (asBundle(bundle).entry ?? []).map(({ resource }) => familyOf(resource))

export const typesOf = (bundle: unknown): readonly (string | undefined)[] =>
  (asBundle(bundle).entry ?? []).map(({ resource }) => resource?.resourceType)

export const statusesOf = (bundle: unknown): readonly (string | undefined)[] =>
  (asBundle(bundle).entry ?? []).map(({ response }) => response?.status)

export const subjectOf = (resource: unknown): string | undefined => (resource as Observation).subject?.reference

/** The error that a client throws for a refused request, as text. */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => JSON.stringify([error.message, error]),
  )
