/**
 * The FHIR resources of extensions: their OperationDefinitions, SearchParameters, StructureDefinitions, CodeSystems,
 * ValueSets and topics. They become resources of the server, which every clinic has and none can change.
 */
import type { SearchParameter as SearchParameterResource } from 'fhir/r4'
import { addShippedResources, isShipped, isShippedUrl, type ShippedResource } from '../core/shipped.ts'
import { topicResource } from '../events/topic-resource.ts'
import { addTopics, type Topic, topicOf } from '../events/topics.ts'
import { isObject } from '../fhir/resource.ts'
import { validate } from '../fhir/validate/validate.ts'
import { checkOperation } from '../operations/check-definition.ts'
import { type CustomParameter, typesOf } from '../search/index/custom-declaration.ts'
import { customParameter } from '../search/index/custom-definition.ts'
import { rowOf } from '../search/index/custom-parameters.ts'
import { addSearchParameters, type SearchParameter } from '../search/parameters.ts'
import { operationsOf } from './declarations.ts'
import { type LoadedExtension, naming, prefixed } from './extension.ts'

/** The parts of an extension that are complete resources. */
const TYPES = {
  searchParameters: 'SearchParameter',
  profiles: 'StructureDefinition',
  codeSystems: 'CodeSystem',
  valueSets: 'ValueSet',
} as const

/** The resources that the extensions of this process have added. */
let installed: readonly unknown[] | undefined

/**
 * Checks the resources of the extensions, and adds them to the server's. The search parameters decide how a resource is
 * indexed, so all apps of a process have the same: those of the first one.
 * @throws Error naming the extension and what is wrong with it; or that another app of this process has other
 *   extensions
 */
export function installDefinitions(extensions: readonly LoadedExtension[]): void {
  const owned = extensions.flatMap((extension) =>
    naming(extension, () => resourcesOf(extension)).map((resource) => ({ extension, resource })),
  )
  const resources = owned.map(({ resource }) => resource)
  const all = [...resources, ...extensions.flatMap(({ topics = [] }) => topics)]
  if (installed !== undefined) {
    if (isSameList(installed, all)) return
    throw new Error('An app with other extensions runs in this process; start this one in a process of its own')
  }
  checkUnique(owned)
  const parameters = parametersOf(extensions)
  if (resources.length > 0) {
    addSearchParameters(parameters)
    addShippedResources(resources)
  }
  installTopics(extensions)
  installed = all
}

/** Their criteria may use the search parameters of extensions. */
function installTopics(extensions: readonly LoadedExtension[]): void {
  const added: Topic[] = []
  for (const extension of extensions)
    naming(extension, () => {
      for (const definition of extension.topics ?? []) added.push(checkedTopic(definition))
      addTopics(added)
    })
}

/** Clients read it as a Basic. */
function checkedTopic(definition: unknown): Topic {
  const topic = topicOf(definition)
  const basic = topicResource(topic)
  const [issue] = validate(basic)
  if (issue !== undefined) throw new Error(`The topic '${topic.id}' is broken: ${issue.diagnostics}`)
  if (isShipped('Basic', topic.id)) throw new Error(`The topic '${topic.id}' has the id of a Basic of the server`)
  return topic
}

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])

type CanonicalResource = ShippedResource & { readonly url: string }

/** @throws Error naming the resource that cannot be shipped */
function resourcesOf(extension: LoadedExtension): readonly CanonicalResource[] {
  const operations = [...new Set(operationsOf(extension))]
  for (const operation of operations) checkOperation(operation)
  const definitions = operations.map(({ definition }) => checked(definition, 'operations', 'OperationDefinition'))
  const parts = Object.entries(TYPES) as readonly (readonly [keyof typeof TYPES, string])[]
  return [
    ...definitions,
    ...parts.flatMap(([part, type]) => (extension[part] ?? []).map((one) => checked(one, part, type))),
  ]
}

function checked(resource: unknown, part: string, type: string): CanonicalResource {
  const { resourceType, id, url } = isObject(resource) ? resource : {}
  if (resourceType !== type) throw new Error(`${part} holds something that is no ${type}`)
  if (typeof url !== 'string') throw new Error(`the ${type} '${String(id ?? '')}' has no url, which others name it by`)
  if (typeof id !== 'string') throw new Error(`the ${type} ${url} has no id, under which clients read it`)
  const [issue] = validate(resource)
  if (issue !== undefined) throw new Error(`the ${type} '${id}' is broken: ${issue.diagnostics}`)
  return resource as CanonicalResource
}

interface Owned {
  readonly extension: LoadedExtension
  readonly resource: CanonicalResource
}

/** @throws Error naming the extension with a resource whose id or url is taken */
function checkUnique(owned: readonly Owned[]): void {
  const owners = new Map<string, string>()
  for (const { extension, resource } of owned) {
    const { resourceType: type, id, url } = resource
    const isOfServer = isShipped(type, id) || isShippedUrl(type, url)
    const owner = isOfServer ? 'the server' : (owners.get(`${type}/${id}`) ?? owners.get(`${type} ${url}`))
    naming(extension, () => {
      if (owner === undefined) return
      throw new Error(`the ${type} '${id}' (${url}) has the id or the url of one of ${owner}; both must be its own`)
    })
    owners.set(`${type}/${id}`, `extension ${extension.name}`).set(`${type} ${url}`, `extension ${extension.name}`)
  }
}

/** By resource type. @throws Error naming the extension with a search parameter that cannot be served */
function parametersOf(extensions: readonly LoadedExtension[]): Readonly<Record<string, readonly SearchParameter[]>> {
  const known: CustomParameter[] = []
  for (const extension of extensions) {
    for (const resource of extension.searchParameters ?? [])
      known.push(naming(extension, () => parameterOf(resource, known)))
  }
  const rows: Record<string, SearchParameter[]> = {}
  for (const parameter of known) {
    for (const type of typesOf(parameter.base)) {
      rows[type] ??= []
      rows[type].push(rowOf(parameter, type))
    }
  }
  return rows
}

/** Applies the same rules as to the parameters of clinics. */
function parameterOf(resource: SearchParameterResource, known: readonly CustomParameter[]): CustomParameter {
  const { id = '', status } = resource
  const parameter = prefixed(`the SearchParameter '${id}'`, () =>
    customParameter({ ...resource, id }, { parameters: known, types: {}, references: {} }),
  )
  if (parameter !== undefined) return { ...parameter, since: 0 }
  throw new Error(
    status === 'active'
      ? `the SearchParameter '${id}' describes one that the server has already`
      : `the SearchParameter '${id}' has the status ${status}; only an active one is searched by`,
  )
}
