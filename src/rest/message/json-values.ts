/** Values of the JSON bodies that are no resources: logins, accounts, the switches of a clinic. */
import { badRequest } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'

/** Whether it is a text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** What `{"enabled": …}` says. @throws FhirError 400 */
export function readSwitch(body: unknown): boolean {
  if (isObject(body) && typeof body.enabled === 'boolean' && Object.keys(body).length === 1) return body.enabled
  throw badRequest('The body must be {"enabled": true} or {"enabled": false}')
}
