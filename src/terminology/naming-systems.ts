/** The identifiers of code systems, value sets and namespaces: https://hl7.org/fhir/R4/namingsystem.html. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CodeSystem, Identifier, NamingSystem, NamingSystemUniqueId, ValueSet } from 'fhir/r4'
import { isOid } from '../fhir/oid.ts'

export const IDENTIFIER_TYPES = ['oid', 'uuid', 'uri', 'other'] as const
export type IdentifierType = (typeof IDENTIFIER_TYPES)[number]

export interface SystemId {
  readonly type: IdentifierType
  readonly value: string
  readonly preferred: boolean
}

/** A system with all its identifiers. */
export interface NamedSystem {
  /** For a message. */
  readonly name: string
  readonly ids: readonly SystemId[]
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const URN = /^urn:(?:oid|uuid):/i

/** The same for an OID or UUID, whether plain or as a URI. */
function normalized(id: string): string {
  const plain = id.replace(URN, '')
  return UUID.test(plain) ? plain.toLowerCase() : isOid(plain) ? plain : id
}

/** All the ways to write an identifier: "a URI, an OID as a URI, a plain OID, or a v2 table 0396 code". */
export function spellingsOf(id: string): readonly string[] {
  const plain = normalized(id)
  if (isOid(plain)) return [plain, `urn:oid:${plain}`]
  return UUID.test(plain) ? [plain, plain.toUpperCase(), `urn:uuid:${plain}`] : [id]
}

export function hasId({ ids }: NamedSystem, id: string): boolean {
  const wanted = normalized(id)
  return ids.some(({ value }) => normalized(value) === wanted)
}

/**
 * The preferred identifiers of a type, or all where none is preferred. "OIDs are return as plain OIDs (not the URI
 * form)."
 */
export function idsOfType({ ids }: NamedSystem, type: IdentifierType): readonly string[] {
  const all = ids.filter((one) => one.type === type)
  const preferred = all.filter((one) => one.preferred)
  const chosen = preferred.length > 0 ? preferred : all
  return [...new Set(chosen.map(({ value }) => (type === 'oid' ? normalized(value) : value)))]
}

/** @param now milliseconds since 1970 UTC: "the period of time over which this identifier is considered appropriate" */
export const ofNamingSystem = ({ name = '', uniqueId }: NamingSystem, now: number): NamedSystem => ({
  name,
  ids: uniqueId
    .filter((one) => isCurrent(one, new Date(now).toISOString()))
    .flatMap(({ type, value, preferred = false }) =>
      type === undefined || value === undefined ? [] : [{ type, value, preferred }],
    ),
})

/** In the precision of the period, and by day at most. */
function isCurrent({ period: { start, end } = {} }: NamingSystemUniqueId, now: string): boolean {
  const today = now.slice(0, 'YYYY-MM-DD'.length)
  const isBefore = (one: string, other: string): boolean => {
    const length = Math.min(one.length, other.length, today.length)
    return one.slice(0, length) < other.slice(0, length)
  }
  return !(start !== undefined && isBefore(today, start)) && !(end !== undefined && isBefore(end, today))
}

/** A code system or value set with its url and the URNs among its identifiers. */
export const ofTerms = ({ resourceType, id, url, identifier }: CodeSystem | ValueSet): NamedSystem => ({
  name: url ?? `${resourceType}/${id}`,
  ids: [...(url === undefined ? [] : [uri(url)]), ...[identifier ?? []].flat().flatMap(urnOf)],
})

function urnOf({ value = '' }: Identifier): readonly SystemId[] {
  const [, type] = /^urn:(oid|uuid):/i.exec(value) ?? []
  return type === undefined ? [] : [{ type: type.toLowerCase() === 'oid' ? 'oid' : 'uuid', value, preferred: false }]
}

const uri = (value: string): SystemId => ({ type: 'uri', value, preferred: true })

const FILE = join(import.meta.dirname, '../../resources/r4/naming-systems.json')

let published: ReadonlyMap<string, NamedSystem> | undefined

/** The system that R4 itself gives this identifier, in its packages or in its text. The file is read on first use. */
export function publishedSystem(id: string): NamedSystem | undefined {
  published ??= readPublished()
  return published.get(normalized(id))
}

function readPublished(): ReadonlyMap<string, NamedSystem> {
  const oidsByUri = JSON.parse(readFileSync(FILE, 'utf8')) as Readonly<Record<string, readonly string[]>>
  const systems = Object.entries(oidsByUri).map(
    ([name, oids]): NamedSystem => ({
      name,
      ids: [uri(name), ...oids.map((value) => ({ type: 'oid', value, preferred: false }) as const)],
    }),
  )
  return new Map(systems.flatMap((system) => system.ids.map(({ value }) => [normalized(value), system])))
}
