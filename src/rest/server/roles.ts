/** What only some roles may do. */
import { FhirError } from '../../fhir/outcome.ts'
import type { User } from './token.ts'

/**
 * @param what the user wants to do: "make clinics"
 * @throws FhirError 403 unless the user is an operator
 */
export function requireOperator({ role }: User, what: string): void {
  if (role !== 'operator') throw forbidden(`Only an operator of the service may ${what}; your role is '${role}'`)
}

export const forbidden = (diagnostics: string): FhirError => new FhirError(403, { code: 'forbidden', diagnostics })
