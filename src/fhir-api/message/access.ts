/**
 * The access of an interaction, for the audit trail: known in part before it is carried out, and in full by its
 * response.
 */
import { isObject } from '../../fhir/resource.ts'
import type { Access, RestfulInteraction } from '../../record/audit/event.ts'
import { patientsIn, patientsOf } from '../../record/audit/patients.ts'
import type { InteractionResponse, PathParameters, Route } from './interaction.ts'

const NOBODY: readonly string[] = []

/**
 * Reading AuditEvents is an access, but not to the data of their patients: otherwise each look at the audit trail of a
 * patient would add to it.
 */
const AUDIT_EVENT = 'AuditEvent'

/** Characters of a query that are kept. */
const MAX_QUERY = 16_384

/**
 * An access that has failed, or has not ended yet.
 * @param url path and query, as they came
 */
export function attemptOf(
  route: Route,
  { type, id, versionId, operation, member }: PathParameters,
  url: string,
): Access {
  const { level, code } = route
  const isInCompartment = code === 'search-compartment'
  return {
    // A route has the code of its interaction (test/http/observers/audit.test.ts).
    interaction: code as RestfulInteraction,
    type: isInCompartment ? member : type,
    id: isInCompartment ? '' : id,
    version: code === 'vread' ? Number(versionId) || 0 : 0,
    query: isQuery(code) ? queryOf(code, url) : '',
    detail: operation === '' ? '' : `$${operation}`,
    status: 0,
    patients: level === 'instance' && type === 'Patient' && member !== AUDIT_EVENT ? [id] : NOBODY,
  }
}

/** Marks a write by an admin that skipped rules which otherwise apply (docs/imports.md). */
export const asImport = (attempt: Access): Access => ({ ...attempt, detail: 'import' })

/** The Bundle says whether it is a batch or a transaction. */
export const attemptOfBundle = (attempt: Access, body: unknown): Access => ({
  ...attempt,
  interaction: isObject(body) && body.type === 'transaction' ? 'transaction' : 'batch',
})

const isQuery = (code: string): boolean =>
  code.startsWith('search') || code.startsWith('history') || code === 'operation'

/** The query of the audit event; a search may have no parameters. */
const queryOf = (code: string, url: string): string =>
  code.startsWith('search') || url.includes('?') ? url.slice(0, MAX_QUERY) : ''

/** @param base address of this server as the client sees it */
export function accessAfter(attempt: Access, response: InteractionResponse, base: string): Access {
  const { status, resource } = response
  const isOne = resource !== undefined && attempt.query === ''
  return {
    interaction: attempt.interaction,
    type: attempt.type,
    id: isOne ? resource.id : attempt.id,
    version: isOne && response.kind === 'write' ? resource.version : attempt.version,
    query: attempt.query,
    detail: attempt.detail,
    status,
    patients: patientsAfter(attempt, response, base),
  }
}

function patientsAfter(
  { type, patients }: Access,
  { resource, about, text, kind, patients: told = NOBODY }: InteractionResponse,
  base: string,
): readonly string[] {
  if (type === AUDIT_EVENT && kind === 'read') return NOBODY
  if (resource !== undefined && type === 'Patient') return patients[0] === resource.id ? patients : [resource.id]
  const shown = shownPatients(resource, about, text, base)
  if (patients.length + told.length === 0) return shown
  return shown.length + told.length === 0 ? patients : [...new Set([...patients, ...told, ...shown])]
}

function shownPatients(
  resource: InteractionResponse['resource'],
  about: InteractionResponse['about'],
  text: string | undefined,
  base: string,
): readonly string[] {
  if (about !== undefined) return about.length === 0 ? NOBODY : patientsOf(about, base)
  if (resource !== undefined) return patientsOf([resource], base)
  return text === undefined ? NOBODY : patientsIn(text, base)
}
