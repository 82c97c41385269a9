/** A user of the dashboard in a resource: https://hl7.org/fhir/R4/references.html#logical. */
import type { Reference } from 'fhir/r4'
import type { Agent } from './context.ts'

export type UserAgent = Extract<Agent, { kind: 'user' }>

/** Of Reference.identifier; the value is the user name. */
const USERS = 'urn:sandbox-emr:user'

export const userReference = ({ id, name }: Pick<UserAgent, 'id' | 'name'>): Reference => ({
  identifier: { system: USERS, value: id },
  display: name,
})

export const isUser = (reference: Reference | undefined, { id }: Pick<UserAgent, 'id'>): boolean =>
  reference?.identifier?.system === USERS && reference.identifier.value === id
