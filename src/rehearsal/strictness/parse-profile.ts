/** Reads and checks a strictness profile. A rule whose source is not named in full does not load. */
import { resourceTypes } from '../../fhir/definitions.ts'
import { compileFhirPath } from '../../fhir/fhirpath/fhirpath.ts'
import { isObject, type JsonObject } from '../../fhir/resource.ts'
import { CITATION_KINDS, type Profile } from './profile.ts'
import { INTERACTIONS } from './requests.ts'

/** Whether a value is as it must be, and how it is said that it is not. */
interface Kind {
  readonly is: (value: unknown) => boolean
  readonly said: string
}

type Members = Readonly<Record<string, Kind & { readonly optional?: true }>>

const TEXT: Kind = { is: (value) => typeof value === 'string' && value.trim() !== '', said: 'a text' }
const NAME: Kind = {
  is: (value) => typeof value === 'string' && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(value),
  said: 'lower-case words joined by hyphens',
}
const OBJECT: Kind = { is: isObject, said: 'an object' }
const LIST: Kind = { is: Array.isArray, said: 'a list' }
const matching = (pattern: RegExp, said: string): Kind => ({
  is: (value) => typeof value === 'string' && pattern.test(value),
  said,
})
const oneOf = (...values: readonly unknown[]): Kind => ({
  is: (value) => values.includes(value),
  said: values.map((value) => JSON.stringify(value)).join(' or '),
})
const listOf = ({ is, said }: Kind): Kind => ({
  is: (value) => Array.isArray(value) && value.length > 0 && value.every(is),
  said: `a list, each ${said}`,
})
const optional = (kind: Kind): Kind & { readonly optional: true } => ({ ...kind, optional: true })

const VERSION = matching(/^\d+\.\d+\.\d+$/, 'a version such as 1.0.0')
const PROFILE: Members = {
  name: NAME,
  title: TEXT,
  version: VERSION,
  disclaimer: TEXT,
  handling: optional(oneOf('strict')),
  rules: LIST,
  changes: optional(LIST),
}

const CITED: Members = { id: NAME, title: TEXT, on: optional(OBJECT), citation: OBJECT, answer: OBJECT }
const RULE: Members = { ...CITED, check: OBJECT }

const CITATION: Members = {
  quote: TEXT,
  address: matching(/^https?:\/\/\S+$/, 'a web address'),
  date: matching(/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-11-28'),
  kind: oneOf(...CITATION_KINDS),
}

const TYPES = listOf({ is: (value) => resourceTypes.includes(String(value)), said: 'a resource type of R4' })
const ON: Members = {
  interactions: optional(listOf(oneOf(...INTERACTIONS))),
  types: optional(TYPES),
  otherThan: optional(TYPES),
  operations: optional(listOf(TEXT)),
  otherOperations: optional(listOf(TEXT)),
}

const EXPRESSION: Kind = { is: (value) => typeof value === 'string' && compiles(value), said: 'FHIRPath' }
const CHECK: Members = {
  offered: optional(oneOf(false)),
  parameters: optional(listOf(TEXT)),
  query: optional(EXPRESSION),
  body: optional(EXPRESSION),
  header: optional(oneOf('If-Match')),
  formats: optional(listOf(oneOf('json', 'xml'))),
  contentTypes: optional(listOf(TEXT)),
  unless: optional(OBJECT),
}

const STATUS: Kind = {
  is: (value) => Number.isInteger(value) && Number(value) >= 400 && Number(value) < 500,
  said: '4xx',
}
const UNLESS: Members = { status: optional(STATUS), reasons: optional(listOf(TEXT)) }
const REFUSAL: Members = { status: STATUS, code: TEXT, text: optional(TEXT) }
const CHANGE: Members = {
  body: optional(oneOf('minimal')),
  location: optional(oneOf('unversioned', 'relative')),
  etag: optional(oneOf('none')),
  outcomeWhenEmpty: optional(OBJECT),
}
const OUTCOME: Members = { severity: oneOf('information', 'warning'), code: TEXT, text: TEXT }

/**
 * A profile, checked.
 * @param value JSON
 * @throws Error naming the profile, the rule, and what would be right
 */
export function parseProfile(value: unknown): Profile {
  if (!isObject(value)) throw new Error('A strictness profile is an object')
  const where = `the strictness profile '${String(value.name)}'`
  checkMembers(where, value, PROFILE)
  const ids = new Set<unknown>()
  for (const [kind, items] of Object.entries({ rule: value.rules, change: value.changes ?? [] })) {
    for (const item of items as readonly unknown[]) checkCited(where, kind, item, ids)
  }
  return value as unknown as Profile
}

function checkCited(profile: string, kind: string, item: unknown, ids: Set<unknown>): void {
  const id = isObject(item) ? item.id : undefined
  const where = `${profile}, ${kind} '${String(id)}'`
  const isRule = kind === 'rule'
  const { on = {}, citation, answer, check } = checkMembers(where, item, isRule ? RULE : CITED)
  if (ids.has(id)) throw new Error(`${where}: the id is there twice; give one of them another`)
  ids.add(id)
  checkMembers(`${where}: citation`, citation, CITATION)
  checkMembers(`${where}: on`, on, ON)
  if (isRule) {
    checkMembers(`${where}: answer`, answer, REFUSAL)
    checkOne(`${where}: check`, checkMembers(`${where}: check`, check, CHECK))
    return
  }
  const { outcomeWhenEmpty } = checkMembers(`${where}: answer`, answer, CHANGE)
  if (outcomeWhenEmpty !== undefined) checkMembers(`${where}: answer.outcomeWhenEmpty`, outcomeWhenEmpty, OUTCOME)
}

function checkOne(where: string, check: JsonObject): void {
  if (Object.keys(check).length !== 1) throw new Error(`${where} must have one of ${Object.keys(CHECK).join(', ')}`)
  if (check.unless !== undefined) checkMembers(`${where}.unless`, check.unless, UNLESS)
}

/** The object itself. @throws Error naming the member that is unknown, missing or wrong */
function checkMembers(where: string, value: unknown, members: Members): JsonObject {
  if (!isObject(value)) throw new Error(`${where} must be an object`)
  const unknown = Object.keys(value).find((member) => !Object.hasOwn(members, member))
  if (unknown !== undefined)
    throw new Error(`${where} has no member '${unknown}'; they are ${Object.keys(members).join(', ')}`)
  for (const [member, { is, said, optional: isOptional }] of Object.entries(members)) {
    if (value[member] === undefined ? !isOptional : !is(value[member]))
      throw new Error(`${where}: ${member} must be ${said}`)
  }
  return value
}

function compiles(expression: string): boolean {
  try {
    compileFhirPath(expression)
    return true
  } catch {
    return false
  }
}
