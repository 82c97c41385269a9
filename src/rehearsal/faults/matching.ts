/** Which requests a fault can occur in, and which a rule is for. */
import type { Fault } from './catalogue.ts'

/** Conditions of a rule, which must all hold. */
export interface When {
  /** A code of FHIR's interactions; operations are `operation`. */
  readonly interaction?: string
  /** A resource type. */
  readonly type?: string
  /** The whole path, or its beginning before a final `*`: `/Appointment/$book`, `/Patient/*`. */
  readonly path?: string
  /** Parameters that the query has, with the values given here: `status=free&_count`. */
  readonly query?: string
  /** The id of the call, and of the run. */
  readonly call?: string
  readonly run?: string
  /** The name of a tool. */
  readonly tool?: string
}

export const WHEN: readonly (keyof When)[] = ['interaction', 'type', 'path', 'query', 'call', 'run', 'tool']

/** https://hl7.org/fhir/R4/valueset-restful-interaction.html, with the searches as they are routed. */
export const INTERACTIONS: readonly string[] = [
  ...['read', 'vread', 'update', 'patch', 'delete', 'history-instance', 'history-type', 'history-system', 'create'],
  ...['search-type', 'search-system', 'search-compartment', 'transaction', 'batch', 'operation'],
]

/** A request, as far as it decides about faults. */
export interface FaultRequest {
  readonly of: 'fhir' | 'tools'
  readonly path: string
  readonly query: URLSearchParams
  /** Codes of FHIR's interactions; a batch and a transaction look the same from outside. */
  readonly interactions: readonly string[]
  /** The resource type in the path, or ''. */
  readonly type: string
  readonly call: string | undefined
  readonly run: string | undefined
  /** The tools that it calls. */
  readonly tools: readonly string[]
}

export function canOccur({ of, at }: Fault, request: FaultRequest): boolean {
  if (of !== 'both' && of !== request.of) return false
  if (request.of === 'tools') return isAmong(at.tools, request.tools)
  const isOfType = at.type === undefined || request.type === '' || request.type === at.type
  const isThere = isOfType && isAmong(at.interactions, request.interactions)
  return isThere && isAmongOperations(at.operations, request) && (!at.isLaterPage || isLaterPage(request))
}

const isAmong = (allowed: readonly string[] | undefined, given: readonly string[]): boolean =>
  allowed === undefined || given.some((one) => allowed.includes(one))

const isAmongOperations = (allowed: readonly string[] | undefined, { interactions, path }: FaultRequest): boolean =>
  allowed === undefined || !interactions.includes('operation') || allowed.some((code) => path.endsWith(`/$${code}`))

const isLaterPage = ({ query }: FaultRequest): boolean => query.has('_cursor')

/** The run of what the pages of the dashboard read: it meets no rule that does not name it, which would be used up by it. */
const DASHBOARD = 'dashboard'

export const matches = (when: When = {}, request: FaultRequest): boolean =>
  (request.run !== DASHBOARD || when.run === DASHBOARD) &&
  WHEN.every((name) => when[name] === undefined || HOLDS[name](when[name], request))

const HOLDS: Readonly<Record<keyof When, (value: string, request: FaultRequest) => boolean>> = {
  interaction: (value, { interactions }) => interactions.includes(value),
  type: (value, { type }) => value === type,
  path: (value, { path }) => (value.endsWith('*') ? path.startsWith(value.slice(0, -1)) : value === path),
  query: (value, { query }) =>
    [...new URLSearchParams(value)].every(([name, wanted]) =>
      wanted === '' ? query.has(name) : query.getAll(name).includes(wanted),
    ),
  call: (value, { call }) => value === call,
  run: (value, { run }) => value === run,
  tool: (value, { tools }) => tools.includes(value),
}
