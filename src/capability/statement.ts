/** The CapabilityStatement, generated from the providers: https://hl7.org/fhir/R4/capabilitystatement.html. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type {
  CapabilityStatement,
  CapabilityStatementRest,
  CapabilityStatementRestResource,
  CapabilityStatementRestResourceSearchParam,
  StructureDefinition,
} from 'fhir/r4'
import type { Operation } from '../core/operation.ts'
import type { InteractionCode, Provider } from '../core/provider.ts'
import { topics } from '../events/topics.ts'
import { compartmentMembers, compartmentTypes, compartmentUrl } from '../fhir/compartments.ts'
import { checkAllServed, checkSystemOperation } from '../operations/check-definition.ts'
import { checkProvider, type SystemInteractionCode, systemOperations } from '../providers/registry.ts'
import { type SearchParameter, searchParametersOf } from '../search/parameters.ts'
import { MODIFIERS } from '../search/query/criterion.ts'

const BASE = join(import.meta.dirname, '../../capability/base.json')

/** Declarations in addition to the providers. */
interface Declared {
  /** Whether full-text search is enabled. */
  readonly fullText?: boolean
  /** Whether web pages of some other origins may use the server. */
  readonly cors?: boolean
  /** System-level operations. */
  readonly operations?: readonly Operation[]
  /** Profiles of resource types, as added by extensions. */
  readonly profiles?: readonly StructureDefinition[]
  /** Configured limits of requests, in bytes. */
  readonly limits?: SizeLimits
}

interface SizeLimits {
  readonly bodyBytes: number
  readonly binaryBytes: number
}

const limitsInWords = ({ bodyBytes, binaryBytes }: SizeLimits): string =>
  `Sizes: a body has ${bodyBytes} bytes at most; bytes that are sent to Binary as they are, ${binaryBytes}. What is larger is 413.`

/** @throws Error naming an invalid declaration of a provider, so that the server does not start */
export function capabilityStatement(
  providers: ReadonlyMap<string, Provider>,
  system: ReadonlySet<SystemInteractionCode>,
  { fullText = true, cors = false, operations: ofClinic = systemOperations, profiles = [], limits }: Declared = {},
): CapabilityStatement {
  const base = JSON.parse(readFileSync(BASE, 'utf8')) as CapabilityStatement
  const types = [...providers.values()].sort((a, b) => (a.type < b.type ? -1 : 1))
  for (const provider of types) checkProvider(provider)
  for (const operation of ofClinic) checkSystemOperation(operation)
  const operations = [...ofClinic, ...types.flatMap((provider) => provider.operations)]
  checkAllServed(new Set(operations.map(({ name }) => name)))
  const sources = referencingParameters(types)
  const [described] = base.rest ?? []
  const rest: CapabilityStatementRest = {
    ...described,
    mode: 'server',
    security: { cors, ...described?.security },
    documentation: [described?.documentation, modifiersInWords(), limits && limitsInWords(limits)]
      .filter((text) => text !== undefined)
      .join(' '),
    resource: types.map((provider) => ({
      ...resourceOf(provider, sources.get(provider.type) ?? []),
      ...supportedProfiles(profiles.filter(({ type }) => type === provider.type)),
      ...(provider.type === 'Subscription' ? backport() : {}),
    })),
    interaction: [...system].map((code) => ({ code })),
    searchParam: [...sharedParameters(types).map(searchParamOf), ...specialParameters(fullText)],
    ...withCompartments(types),
    operation: ofClinic.map(operationOf),
  }
  return { ...base, rest: [rest] }
}

const BACKPORT_URL = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition'

/** https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/conformance.html */
const backport = (): Pick<CapabilityStatementRestResource, 'extension' | 'supportedProfile'> => ({
  extension: topics().map(({ url }) => ({
    url: `${BACKPORT_URL}/capabilitystatement-subscriptiontopic-canonical`,
    valueCanonical: url,
  })),
  supportedProfile: [`${BACKPORT_URL}/backport-subscription`],
})

/** The compartments with at least one searchable type. */
function withCompartments(types: readonly Provider[]): Pick<CapabilityStatementRest, 'compartment'> {
  const searched = new Set(types.filter(({ interactions }) => interactions['search-type']).map(({ type }) => type))
  const served = compartmentTypes.filter((type) =>
    compartmentMembers(type)
      ?.keys()
      .some((member) => searched.has(member)),
  )
  return served.length === 0 ? {} : { compartment: served.map(compartmentUrl) }
}

/**
 * The search parameters that a provider supports: those it lists, or all of R4 and of this server for its type.
 * @throws Error for an unknown one
 */
function servedParameters({ type, searchParams }: Provider): readonly SearchParameter[] {
  const known = searchParametersOf(type)
  if (searchParams === undefined) return [...known.values()]
  return [...known.values()].filter(({ code }) => code.startsWith('_') || searchParams.includes(code))
}

/** The parameters supported by all types, for searches across types. */
function sharedParameters(providers: readonly Provider[]): readonly SearchParameter[] {
  const [first = [], ...others] = providers.map(servedParameters)
  return first.filter(({ url }) => others.every((parameters) => parameters.some((other) => other.url === url)))
}

/**
 * Search parameters by type, for the search parser: of the searched type, and of the types at the end of chains.
 * @throws Error for an unknown parameter of a provider
 */
export function parametersOf(
  providers: ReadonlyMap<string, Provider>,
): (type: string) => ReadonlyMap<string, SearchParameter> {
  const served = new Map(
    [...providers.values()].map((provider) => [
      provider.type,
      new Map(servedParameters(provider).map((parameter) => [parameter.code, parameter])),
    ]),
  )
  return (type) => served.get(type) ?? searchParametersOf(type)
}

function resourceOf(provider: Provider, revIncludes: readonly string[]): CapabilityStatementRestResource {
  const { type, interactions, operations, referencePolicy } = provider
  const can = (code: InteractionCode): boolean => code in interactions
  const searchable = can('search-type')
  const parameters = servedParameters(provider)
  const includes = parameters.filter(isReference).map(({ code }) => `${type}:${code}`)
  return {
    type: type as CapabilityStatementRestResource['type'],
    profile: `http://hl7.org/fhir/StructureDefinition/${type}`,
    ...(provider.documentation === undefined ? {} : { documentation: provider.documentation }),
    interaction: (Object.keys(interactions) as InteractionCode[]).map((code) => ({ code })),
    versioning: can('vread') ? 'versioned' : 'no-version',
    readHistory: can('vread') || can('history-instance'),
    updateCreate: can('update'),
    conditionalCreate: can('create') && searchable,
    ...(can('read') ? { conditionalRead: 'full-support' as const } : {}),
    conditionalUpdate: can('update') && searchable,
    conditionalDelete: can('delete') && searchable ? 'single' : 'not-supported',
    referencePolicy: ['literal', 'logical', ...(referencePolicy === undefined ? [] : [referencePolicy]), 'local'],
    ...(searchable
      ? {
          searchInclude: ['*', ...includes],
          searchRevInclude: ['*', ...revIncludes],
          searchParam: parameters.map(searchParamOf),
        }
      : {}),
    ...(operations.length === 0 ? {} : { operation: operations.map(operationOf) }),
  }
}

const supportedProfiles = (profiles: readonly StructureDefinition[]) =>
  profiles.length === 0 ? {} : { supportedProfile: profiles.flatMap(({ url = [] }) => url) }

const operationOf = ({ code, definition }: Operation) => ({ name: code, definition: definition.url ?? '' })

const isReference = ({ type }: SearchParameter): boolean => type === 'reference'

const searchParamOf = ({ code, type, url }: SearchParameter) => ({ name: code, definition: url, type })

/** Reference parameters by the type to which they may refer, as used by _revinclude. */
function referencingParameters(providers: readonly Provider[]): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>()
  for (const provider of providers) {
    for (const parameter of servedParameters(provider).filter(isReference)) {
      for (const target of parameter.target ?? []) {
        const list = sources.get(target) ?? []
        list.push(`${provider.type}:${parameter.code}`)
        sources.set(target, list)
      }
    }
  }
  return sources
}

type SearchParam = CapabilityStatementRestResourceSearchParam

const OF_EVERY_TYPE: readonly SearchParam[] = [
  { name: '_filter', type: 'special', documentation: 'Tests joined by and, or and not, as R4 defines them' },
  { name: '_has', type: 'special', documentation: '_has:Type:reference:parameter, nested as deep as chains go' },
  { name: '_list', type: 'special', documentation: 'What the entries of a List refer to, by its id' },
]

const FULL_TEXT: readonly SearchParam[] = [
  {
    name: '_content',
    definition: 'http://hl7.org/fhir/SearchParameter/Resource-content',
    type: 'string',
    documentation: 'Words of the whole resource; AND, OR, NOT, parentheses, word*',
  },
  {
    name: '_text',
    definition: 'http://hl7.org/fhir/SearchParameter/DomainResource-text',
    type: 'string',
    documentation: 'Words of the narrative; AND, OR, NOT, parentheses, word*',
  },
]

/** The special parameters of every type. @param fullText whether full-text search is enabled */
const specialParameters = (fullText: boolean): readonly SearchParam[] =>
  fullText ? [...OF_EVERY_TYPE, ...FULL_TEXT] : OF_EVERY_TYPE

/** The supported modifiers as text, as a CapabilityStatement has no element for them. */
const modifiersInWords = (): string =>
  `Search modifiers: ${Object.entries(MODIFIERS)
    .filter(([, modifiers]) => modifiers.length > 0)
    .map(([type, modifiers]) => `${type} ${modifiers.map((one) => `:${one}`).join(' ')}`)
    .join('; ')}; every type :missing; references also the type that they point to.`
