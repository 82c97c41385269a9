/** The handler that a provider has for an interaction, so that bundles and operations obey the same declaration as routes. */
import { FhirError, notFound } from '../fhir/outcome.ts'
import type { InteractionCode, Interactions, Providers } from './provider.ts'

/** @throws FhirError 404 for a type that R4 does not have, 405 for an interaction that the type does not offer */
export function handlerOf<C extends InteractionCode>(providers: Providers, type: string, code: C): Interactions[C] {
  const handler = providers.get(type)?.interactions[code]
  if (handler === undefined) throw notSupported(providers, type, code)
  return handler
}

function notSupported(providers: Providers, type: string, code: InteractionCode): FhirError {
  const provider = providers.get(type)
  if (provider === undefined) return notFound(`There is no resource type '${type}' in FHIR R4`)
  const offered = Object.keys(provider.interactions).join(', ')
  return new FhirError(405, {
    code: 'not-supported',
    diagnostics: `${type} does not support ${code}; it supports ${offered}`,
  })
}
