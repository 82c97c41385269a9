/**
 * The access of an interaction, for the audit trail: known in part before it is carried out, and in full by its
 * response.
 */
import { isObject } from '../../fhir/resource.ts'
import type { Access, RestfulInteraction } from '../../record/audit/event.ts'
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

/**
 * Most patients of one access; a text may name any number. They are found without parsing the texts, which costs no more
 * than a search for a word: these are as this server stores and writes them, without white space, `resourceType` and `id` first.
 */
const MAX_PATIENTS = 1_000

const WORD = 'Patient'
const REFERENCE = '"reference":"'
const RESOURCE = '"resourceType":"'
const ID = '","id":"'

interface Shown {
  readonly type: string
  readonly id: string
  /** JSON; '' for a deletion. */
  readonly text: string
}

/**
 * The ids of the Patients among the resources, and of those that other resources refer to.
 * @param base address of this server: references below it are references to its own resources
 */
export function patientsOf(resources: readonly Shown[], base: string): readonly string[] {
  const [only] = resources
  if (resources.length === 1 && only?.type === WORD) return [only.id]
  const found = new Set<string>()
  for (const { type, id, text } of resources) {
    if (found.size >= MAX_PATIENTS) break
    if (type === WORD) found.add(id)
    else addPatientsIn(text, base, found)
  }
  return [...found]
}

/** All Patient resources in the text, and all references to one. */
export function patientsIn(text: string, base: string): readonly string[] {
  const found = new Set<string>()
  addPatientsIn(text, base, found)
  return [...found]
}

function addPatientsIn(text: string, base: string, found: Set<string>): void {
  for (let at = text.indexOf(WORD); at >= 0 && found.size < MAX_PATIENTS; at = text.indexOf(WORD, at + WORD.length)) {
    const from = startOfId(text, at, base)
    const id = from === undefined ? '' : idAt(text, from)
    if (id !== '') found.add(id)
  }
}

/** Where the id of a patient begins, for the word at `at`; undefined where the word refers to none. */
function startOfId(text: string, at: number, base: string): number | undefined {
  const end = at + WORD.length
  if (text.startsWith('/', end)) return isReferenceBefore(text, at, base) ? end + 1 : undefined
  return text.startsWith(ID, end) && isBefore(text, at, RESOURCE) ? end + ID.length : undefined
}

function isReferenceBefore(text: string, at: number, base: string): boolean {
  if (isBefore(text, at, REFERENCE)) return true
  return base !== '' && isBefore(text, at, `${base}/`) && isBefore(text, at - base.length - 1, REFERENCE)
}

const isBefore = (text: string, at: number, part: string): boolean => text.startsWith(part, at - part.length)

/** The id at `from`: it ends with the reference, or before its version. */
function idAt(text: string, from: number): string {
  let to = from
  while (isOfId(text.charCodeAt(to))) to += 1
  return text.slice(from, to)
}

/** https://hl7.org/fhir/R4/datatypes.html#id: letters, digits, `-` and `.` */
const isOfId = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 45 || code === 46
