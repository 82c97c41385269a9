/**
 * Differences between the client as it was seen and a CapabilityStatement. Of a client's own (rest.mode client): what it declares
 * and was not seen to use, and what it used and does not declare. Of a server's (rest.mode server), such as the EHR that the
 * client is made for: what it used and this server does not have.
 */
import { isObject, itemsOf, type JsonObject, present } from '../../fhir/resource.ts'
import type { Observed } from '../runs/run.ts'

export interface Differences {
  readonly declaredNotSeen: readonly Difference[]
  readonly seenNotDeclared: readonly Difference[]
  readonly notOffered: readonly Difference[]
}

export interface Difference {
  /** Absent: the whole system. */
  readonly type?: string
  readonly what: What
  /** The code of an interaction, the name of a search parameter, or that of an operation, without `$`. */
  readonly name: string
  /** How much the statement wants it, where it says so: `SHALL`, `SHOULD`, `MAY`. */
  readonly expectation?: string
  readonly text: string
}

type What = 'type' | 'interaction' | 'search parameter' | 'operation'

type Used = Pick<Difference, 'type' | 'what' | 'name' | 'expectation'>

/** A CapabilityStatement; real ones are seldom valid in all details, so nothing but its shape is relied on. */
export type Statement = { readonly rest?: unknown }

export function differences(observed: Observed, against: Statement): Differences {
  const seen = usedIn(observed)
  const [client, server] = [declaredIn(against, 'client'), declaredIn(against, 'server')]
  const listed = (used: readonly Used[] | undefined, sentence: (one: Used) => string): readonly Difference[] =>
    (used ?? []).map((one) => ({ ...one, text: sentence(one) }))
  return {
    declaredNotSeen: listed(
      client && missing(client, seen),
      (one) => `${subjectOf(one)} is declared, but was not seen`,
    ),
    seenNotDeclared: listed(
      client && missing(seen, client),
      (one) => `${subjectOf(one)} was seen, but is not declared`,
    ),
    notOffered: listed(
      server && missing(seen, server),
      (one) => `${subjectOf(one)} was seen, but the server has no such thing`,
    ),
  }
}

const EACH_TYPE = '*'

/** Members of `these` that are not among `those`; for a type that is missing as a whole, the type alone. */
function missing(these: readonly Used[], those: readonly Used[]): readonly Used[] {
  const known = new Set(those.map(keyOf))
  const has = (one: Used): boolean => known.has(keyOf(one)) || known.has(keyOf({ ...one, type: EACH_TYPE }))
  const hasType = (one: Used): boolean =>
    one.type === undefined || has({ type: one.type, what: 'type', name: one.type })
  return these.filter((one) => one.type !== EACH_TYPE && !has(one) && (one.what === 'type' || hasType(one)))
}

const keyOf = ({ type = '', what, name }: Used): string => JSON.stringify([type, what, name])

/** `Appointment: the search parameter 'date'` */
function subjectOf({ type = 'The whole system', what, name, expectation }: Used): string {
  const wanted = expectation === undefined ? '' : ` (${expectation})`
  return what === 'type' ? `The type ${name}${wanted}` : `${type}: the ${what} '${name}'${wanted}`
}

function usedIn({ types, interactions, operations }: Observed): readonly Used[] {
  return [
    ...Object.entries(types).flatMap(([type, used]): readonly Used[] => [
      { type, what: 'type', name: type },
      ...used.interactions.map((name) => ({ type, what: 'interaction' as const, name })),
      ...used.searchParameters.map((name) => ({ type, what: 'search parameter' as const, name })),
      ...used.operations.map((name) => ({ type, what: 'operation' as const, name })),
    ]),
    ...interactions.map((name) => ({ what: 'interaction' as const, name })),
    ...operations.map((name) => ({ what: 'operation' as const, name })),
  ]
}

type Mode = 'client' | 'server'

/** Undefined where the statement has nothing of this mode. */
function declaredIn({ rest }: Statement, mode: Mode): readonly Used[] | undefined {
  const ofMode = objectsIn(rest).filter((one) => one.mode === mode)
  return ofMode.length === 0 ? undefined : ofMode.flatMap(declaredBy)
}

const declaredBy = (rest: JsonObject): readonly Used[] => [
  ...objectsIn(rest.resource).flatMap(ofResource),
  ...entriesOf(rest.interaction, 'code', 'interaction'),
  ...entriesOf(rest.searchParam, 'name', 'search parameter', EACH_TYPE),
  // Many servers list here what they offer for types.
  ...['', EACH_TYPE].flatMap((type) => entriesOf(rest.operation, 'name', 'operation', type)),
]

function ofResource(resource: JsonObject): readonly Used[] {
  const { type } = resource
  if (typeof type !== 'string') return []
  return [
    ...entriesOf([{ ...resource, name: type }], 'name', 'type', type),
    ...entriesOf(resource.interaction, 'code', 'interaction', type),
    ...entriesOf(resource.searchParam, 'name', 'search parameter', type),
    ...entriesOf(resource.operation, 'name', 'operation', type),
  ]
}

/** The entries of a list of the statement, without those that must not be used, and those without a name. */
function entriesOf(list: unknown, named: 'code' | 'name', what: What, type = ''): readonly Used[] {
  return objectsIn(list).flatMap((entry) => {
    const expectation = expectationOf(entry)
    const name = entry[named]
    if (expectation === 'SHALL-NOT' || typeof name !== 'string') return []
    // Some statements write `$match`.
    return [{ ...(type === '' ? {} : { type }), what, name: name.replace(/^\$/, ''), ...present({ expectation }) }]
  })
}

const EXPECTATION = 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation'

const expectationOf = ({ extension }: JsonObject): string | undefined => {
  const [found] = objectsIn(extension).filter(({ url }) => url === EXPECTATION)
  return typeof found?.valueCode === 'string' ? found.valueCode : undefined
}

const objectsIn = (list: unknown): readonly JsonObject[] => itemsOf(list).filter(isObject)
