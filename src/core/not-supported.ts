/** What is said of an interaction that a type does not offer. */
import { FhirError, notFound } from '../fhir/outcome.ts'
import type { Interactions, Provider } from './provider.ts'

/** 404 for a type that R4 does not have, else 405 with the interactions the type does offer. */
export function notSupported(
  providers: ReadonlyMap<string, Provider>,
  type: string,
  code: keyof Interactions,
): FhirError {
  const provider = providers.get(type)
  if (provider === undefined) return notFound(`There is no resource type '${type}' in FHIR R4`)
  const offered = Object.keys(provider.interactions).join(', ')
  return new FhirError(405, {
    code: 'not-supported',
    diagnostics: `${type} does not support ${code}; it supports ${offered}`,
  })
}
