/** Helpers of the connectors to contact APIs: the names of fields, and the reading of responses. */
import type { FieldNames } from '../../clinics/crm-settings.ts'
import type { CrmContact, Delivery } from '../../core/ports.ts'
import { isObject } from '../../fhir/resource.ts'
import type { Outbound } from '../outbound-request.ts'

/** The name of the receiver in reasons. */
export const CRM = 'the CRM'

/** One attempt, within the deadline; never throws. */
export type Deliver<Settings> = (settings: Settings, contact: CrmContact, outbound: Outbound) => Promise<Delivery>

/** Milliseconds to wait after a daily limit is used up. */
export const DAILY_LIMIT_WAIT = 6 * 3_600_000

/** The values of a contact by their names in the CRM. @param usual the names of the kind */
export function namedValues(contact: CrmContact, usual: FieldNames, given: FieldNames = {}): Record<string, string> {
  const values: Readonly<Record<string, string>> = { ...contact.fields, patient: contact.patient }
  const names = Object.entries({ ...usual, ...given })
  return Object.fromEntries(
    names.flatMap(([field, name]) => {
      const value = values[field]
      return name === null || value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The URL of a request, from that of the API and a path. */
export const addressOf = (url: string, path: string): string => `${url.replace(/\/+$/, '')}${path}`

export const bearer = (token: string): Readonly<Record<string, string>> => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
})

/** A text in a response's JSON; undefined where it has none. */
export function textAt(body: unknown, name: string): string | undefined {
  const value = isObject(body) ? (body as Readonly<Record<string, unknown>>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}
