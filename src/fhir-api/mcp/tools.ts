/** The FHIR tools of the Model Context Protocol: the arguments of each, and the FHIR request that it makes. */

import type { CapabilityStatement } from 'fhir/r4'
import { noResourceType } from '../../fhir/closest-name.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { isNumber, parseJson } from '../../fhir/json.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { ID } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { etagOf } from '../message/http.ts'
import { summaryOf, summaryOfType } from './capabilities.ts'
import type { InnerRequest } from './inner-request.ts'

/** Most characters of a result: about 15,000 tokens of a model. */
export const MOST_CHARACTERS = 50_000

/** Resources of a page of `fhir_search`, and of the matches of `fhir_match`. */
const MOST_OF_PAGE = 50
const USUAL_OF_PAGE = 20

type ArgumentType = 'string' | 'integer' | 'boolean' | 'object'

interface Argument {
  /** It may be of any of these. */
  readonly types: readonly ArgumentType[]
  readonly description: string
  readonly isRequired?: true
  readonly maximum?: number
}

type Arguments = Readonly<Record<string, unknown>>

/** Services that a tool needs besides its arguments. */
export interface ToolServices {
  readonly statement: CapabilityStatement
  /** The body of the response to a FHIR request of the same client. @throws FhirError */
  readonly ask: (request: InnerRequest) => Promise<string>
}

export interface FhirTool {
  readonly title: string
  readonly description: string
  /** Whether it is there only where the clinic lets these tools write. */
  readonly writes: boolean
  readonly arguments: Readonly<Record<string, Argument>>
  /** The result as JSON. @param given checked by `checkArguments` */
  readonly run: (given: Arguments, services: ToolServices) => Promise<string>
}

const type: Argument = { types: ['string'], description: 'A resource type, such as Patient', isRequired: true }

const resource: Argument = { types: ['object'], description: 'A FHIR R4 resource as JSON', isRequired: true }

export const FHIR_TOOLS: Readonly<Record<string, FhirTool>> = {
  fhir_capabilities: {
    title: 'What the server offers',
    description:
      'Lists the resource types and their interactions; with a type, its interactions, search parameters, includes and operations.',
    writes: false,
    arguments: { type: { types: type.types, description: type.description } },
    run: async (given, { statement }) =>
      JSON.stringify(given.type === undefined ? summaryOf(statement) : summaryOfType(statement, String(given.type))),
  },
  fhir_search: {
    title: 'Search',
    description:
      'Searches resources of a type, and returns a Bundle. Where there are more, the Bundle has a link `next`: repeat the call with that link as the query.',
    writes: false,
    arguments: {
      type,
      query: {
        types: ['string', 'object'],
        description:
          'FHIR search parameters: a query string (family=Smith&birthdate=gt1980), or an object of them, in which a list stands for a repeated parameter',
      },
      count: {
        types: ['integer'],
        description: `Resources of a page, ${MOST_OF_PAGE} at most; ${USUAL_OF_PAGE} without it`,
        maximum: MOST_OF_PAGE,
      },
    },
    run: (given, { ask }) => search(typeIn(given), queryIn(given), ask),
  },
  fhir_read: {
    title: 'Read',
    description: 'Returns one resource by its type and id, its current version or an earlier one.',
    writes: false,
    arguments: {
      type,
      id: { types: ['string'], description: 'The id of the resource', isRequired: true },
      version: { types: ['integer'], description: 'A version of it (meta.versionId); absent: the current one' },
    },
    run: (given, { ask }) => ask(readOf(typeIn(given), String(given.id), given.version)),
  },
  fhir_validate: {
    title: 'Validate',
    description:
      'Checks a resource and stores nothing. Returns an OperationOutcome; without an issue of severity error or fatal the resource is valid.',
    writes: false,
    arguments: {
      resource,
      profile: { types: ['string'], description: 'The canonical address of a profile to check by' },
    },
    run: (given, { ask }) =>
      ask({
        method: 'POST',
        url: `/${typeOf(given.resource)}/$validate`,
        body: parametersOf(
          { name: 'resource', resource: given.resource },
          { name: 'profile', valueUri: given.profile },
        ),
      }),
  },
  fhir_match: {
    title: 'Match a patient',
    description:
      'Finds the patients who may be the one described, the likeliest first, each with a score and a grade (Patient/$match).',
    writes: false,
    arguments: {
      resource: { ...resource, description: 'A Patient with the known names, birth date, phone numbers, identifiers' },
      onlyCertainMatches: { types: ['boolean'], description: 'Whether only certain matches are returned' },
      count: { types: ['integer'], description: 'Most patients that are returned', maximum: MOST_OF_PAGE },
    },
    run: (given, { ask }) =>
      ask({
        method: 'POST',
        url: '/Patient/$match',
        body: parametersOf(
          { name: 'resource', resource: given.resource },
          { name: 'onlyCertainMatches', valueBoolean: given.onlyCertainMatches },
          { name: 'count', valueInteger: given.count ?? USUAL_OF_PAGE },
        ),
      }),
  },
  fhir_create: {
    title: 'Create',
    description:
      'Stores a new resource under an id that the server gives, and returns it; with ifNoneExist only where no resource matches, else it returns the one that does.',
    writes: true,
    arguments: {
      resource,
      ifNoneExist: {
        types: ['string', 'object'],
        description: 'Search parameters of the type, as in fhir_search: {"identifier": "urn:mrn|123"}',
      },
    },
    run: async ({ resource: body, ifNoneExist }, { ask }) =>
      shownOf(await ask({ method: 'POST', url: `/${typeOf(body)}`, body, headers: conditionIn(ifNoneExist) })),
  },
  fhir_update: {
    title: 'Update',
    description:
      'Replaces a resource by the one given, whole, and returns it. It is refused when the resource is no longer at the version named: read it again then.',
    writes: true,
    arguments: {
      resource: { ...resource, description: 'The whole resource as it is to be, with its id' },
      version: {
        types: ['integer'],
        description: 'The version that is replaced: meta.versionId of the resource as it was read',
        isRequired: true,
      },
    },
    run: async ({ resource: body, version }, { ask }) =>
      shownOf(
        await ask({
          method: 'PUT',
          url: `/${typeOf(body)}/${idOf(body)}`,
          body,
          headers: { 'if-match': etagOf(Number(version)) },
        }),
      ),
  },
}

/** The stored resource; what names it and its version where the whole is too long to read, since it has been stored. */
function shownOf(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const { resourceType, id, meta } = parseJson(text) as Record<string, unknown>
  return JSON.stringify({ resourceType, id, meta })
}

/** @throws FhirError 400 for an id that cannot be one */
export function readOf(type: string, id: string, version?: unknown): InnerRequest {
  const path = `/${type}/${checkedId(id)}${version === undefined ? '' : `/_history/${version}`}`
  // A Binary would be its own bytes otherwise.
  return { method: 'GET', url: `${path}?_format=json` }
}

/** Makes the page smaller until a model can read it, so that the link `next` goes on where it ends. */
async function search(type: string, query: URLSearchParams, ask: ToolServices['ask']): Promise<string> {
  for (;;) {
    const text = await ask({ method: 'GET', url: `/${type}?${query}` })
    const count = Number(query.get('_count'))
    if (text.length <= MOST_CHARACTERS || count <= 1) return text
    const fitting = Math.floor((count * MOST_CHARACTERS) / text.length)
    query.set('_count', String(Math.max(1, Math.min(fitting, Math.floor(count / 2)))))
  }
}

/** @throws FhirError 400 for a parameter that is no text */
function queryIn({ query: given, count }: Arguments): URLSearchParams {
  const query = parametersIn('query', given)
  const asked = String(count ?? query.get('_count') ?? USUAL_OF_PAGE)
  // A count that is no number is refused by the search.
  query.set('_count', Number(asked) > MOST_OF_PAGE ? String(MOST_OF_PAGE) : asked)
  return query
}

/** Search parameters as a query string, or as an object. @throws FhirError 400 for one that is no text */
const parametersIn = (argument: string, given: unknown): URLSearchParams =>
  isObject(given)
    ? new URLSearchParams(Object.entries(given).flatMap(([name, value]) => pairsOf(`${argument}.${name}`, name, value)))
    : new URLSearchParams(String(given ?? '').replace(BEFORE_QUERY, ''))

/** https://hl7.org/fhir/R4/http.html#ccreate @throws FhirError 400 for a condition that says nothing */
function conditionIn(given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return {}
  const criteria = parametersIn('ifNoneExist', given)
  if (criteria.size === 0)
    throw badRequest('The argument ifNoneExist has no search parameter, and would match everything')
  return { 'if-none-exist': String(criteria) }
}

/** The address of a link, in front of its query. */
const BEFORE_QUERY = /^[^=?]*\?/

const pairsOf = (place: string, name: string, value: unknown): [string, string][] =>
  [value].flat().map((one) => {
    if (typeof one === 'string') return [name, one]
    if (isNumber(one) || typeof one === 'boolean') return [name, JSON.stringify(one)]
    throw badRequest(`${place} must be a text, a number, true or false, or a list of them`)
  })

/** The Parameters of an operation, without those that have no value. */
const parametersOf = (...given: readonly object[]) => ({
  resourceType: 'Parameters',
  parameter: given.filter((one) => !Object.values(one).includes(undefined)),
})

/** @throws FhirError 400 */
function typeIn({ type: given }: Arguments): string {
  if (isResourceType(given)) return given
  throw badRequest(`In the argument type: ${noResourceType(String(given))}`)
}

/** @throws FhirError 400 for a resource of no type */
function typeOf(given: unknown): string {
  const { resourceType } = isObject(given) ? given : {}
  if (isResourceType(resourceType)) return resourceType
  if (resourceType === undefined) throw badRequest('The resource has no resourceType; name one, such as Patient')
  throw badRequest(`In resource.resourceType: ${noResourceType(String(resourceType))}`)
}

const idOf = (given: unknown): string => checkedId(String((isObject(given) ? given.id : undefined) ?? ''))

/** Otherwise an id could lead to another interaction: `_history`, `$everything`. @throws FhirError 400 */
function checkedId(id: string): string {
  if (ID.test(id)) return id
  throw badRequest(`The id '${id.slice(0, 100)}' must have 1 to 64 letters, digits, '-' or '.'`)
}

const IS_OF_TYPE: Readonly<Record<ArgumentType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  object: isObject,
}

/** @throws FhirError 400 with an issue for each argument that is unknown, missing, or of another type */
export function checkArguments({ arguments: taken }: FhirTool, given: Arguments): void {
  const names = Object.keys(taken)
  const problems = [
    ...Object.keys(given)
      .filter((name) => !names.includes(name))
      .map((name) => `There is no argument '${name.slice(0, 100)}'; there are ${names.join(', ')}`),
    ...Object.entries(taken).flatMap(([name, argument]) => problemsOf(name, argument, given[name])),
  ]
  if (problems.length > 0)
    throw new FhirError(
      400,
      problems.map((diagnostics) => ({ code: 'invalid', diagnostics })),
    )
}

function problemsOf(name: string, { types, isRequired, description, maximum }: Argument, value: unknown) {
  if (value === undefined) return isRequired ? [`The argument ${name} is missing. ${description}`] : []
  if (!types.some((one) => IS_OF_TYPE[one](value)))
    return [`The argument ${name} must be of type ${types.join(' or ')}. ${description}`]
  if (maximum !== undefined && Number(value) > maximum)
    return [`The argument ${name} is ${value}; ${maximum} is the most`]
  return []
}

/** The arguments as JSON Schema: https://json-schema.org/draft/2020-12/schema. */
export const schemaOf = ({ arguments: taken }: FhirTool) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    Object.entries(taken).map(([name, { types, description, maximum }]) => [
      name,
      { ...typeSchema(types), description, ...(maximum === undefined ? {} : { maximum }) },
    ]),
  ),
  required: Object.entries(taken).flatMap(([name, { isRequired }]) => (isRequired ? [name] : [])),
  additionalProperties: false,
})

/** Clients that know one type for each schema would refuse a list of types. */
const typeSchema = ([first, ...more]: readonly ArgumentType[]) =>
  more.length === 0 ? { type: first } : { anyOf: [first, ...more].map((type) => ({ type })) }
