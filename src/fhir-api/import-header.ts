/** `X-Import: true`, by which an admin brings what another system has recorded: docs/imports.md. */
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../fhir/outcome.ts'
import { forbidden } from '../http/authenticate.ts'
import { userOf } from '../http/exchange.ts'
import type { Route } from './message/interaction.ts'

const NAME = 'X-Import'

/**
 * Whether what the request writes is an import. Reads and operations are what they are without the header.
 * @throws FhirError 400 for another value than true, 403 for staff
 */
export function isImported(koa: KoaContext, { method, code, run }: Route): boolean {
  const value = koa.req.headers[NAME.toLowerCase()]
  if (value === undefined) return false
  if (value !== 'true') {
    const given = `${value}`.slice(0, MOST_SHOWN)
    throw badRequest(`The header ${NAME} is '${given}'; its one value is true, and what is no import comes without it`)
  }
  const { role } = userOf(koa)
  if (role === 'staff') throw forbidden(`Only an admin or an operator may import (${NAME}: true); your role is 'staff'`)
  return method !== 'GET' && run.kind !== 'operation' && !code.startsWith('search')
}

/** Characters of a value. */
const MOST_SHOWN = 100
