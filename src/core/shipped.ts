/** The conformance resources that the server ships, in every clinic: https://hl7.org/fhir/R4/conformance-module.html. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationDefinition } from 'fhir/r4'
import { parseJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { yieldToEventLoop } from '../isolation/fair-queue.ts'
import type { UnitOfWork } from '../repository/repository.ts'
import type { ClinicAccess } from './context.ts'

const RESOURCES = join(import.meta.dirname, '../../resources')
const FOLDERS = {
  OperationDefinition: 'operation-definitions',
  StructureDefinition: 'structure-definitions',
  SearchParameter: 'search-parameters',
  CodeSystem: 'code-systems',
  ValueSet: 'value-sets',
} as const

/** Topics are Basic resources (src/events/topic-resource.ts). */
export const shippedTypes: ReadonlySet<string> = new Set([...Object.keys(FOLDERS), 'Basic'])

export type ShippedResource = AnyResource & { readonly id: string }

let resources: ReadonlyMap<string, ShippedResource> | undefined

/**
 * By `Type/id`; the files are read on first use.
 * @throws Error naming the file that is not a resource of its folder.
 */
function shippedResources(): ReadonlyMap<string, ShippedResource> {
  resources ??= byAddress(
    Object.entries(FOLDERS).flatMap(([type, folder]) => readFolder(type, join(RESOURCES, folder))),
  )
  return resources
}

const byAddress = (list: readonly ShippedResource[]) =>
  new Map(list.map((resource) => [`${resource.resourceType}/${resource.id}`, resource]))

/** Adds the resources of extensions, for every clinic of every app of this process (src/extensions/definitions.ts). */
export function addShippedResources(added: readonly ShippedResource[]): void {
  resources = new Map([...shippedResources(), ...byAddress(added)])
}

function readFolder(type: string, folder: string): readonly ShippedResource[] {
  // Git does not keep empty folders.
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : []
  return files.map((name) => {
    const resource = parseJson(readFileSync(join(folder, name), 'utf8')) as AnyResource
    if (resource.resourceType !== type || resource.id === undefined)
      throw new Error(`${join(folder, name)} is no ${type} with an id`)
    return resource as ShippedResource
  })
}

export const isShipped = (type: string, id: string): boolean => shippedResources().has(`${type}/${id}`)

export const isShippedUrl = (type: string, url: string): boolean =>
  [...shippedResources().values()].some((one) => one.resourceType === type && 'url' in one && one.url === url)

/** Resources that are checked, and written if necessary, before the event loop does other work. */
const AT_ONCE = 5

/** Writes the conformance resources that the clinic lacks or has in another version. */
export const ensureShipped = (access: ClinicAccess): Promise<void> =>
  ensureResources(access, [...shippedResources().values()])

/**
 * Writes resources of the server where the clinic lacks them or has them in another version, a few at a time: to validate and
 * index all at once would block others for a tenth of a second.
 */
export async function ensureResources(
  access: ClinicAccess,
  resources: Iterable<ShippedResource> | AsyncIterable<ShippedResource>,
): Promise<void> {
  for await (const some of inGroups(resources)) {
    await access.change(({ unit }) => stageResources(unit, some))
    await yieldToEventLoop()
  }
}

async function* inGroups<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = []
  for await (const item of items) {
    group.push(item)
    if (group.length < AT_ONCE) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Stages resources of the server, without those that the clinic has already. */
export async function stageResources(unit: UnitOfWork, resources: readonly ShippedResource[]): Promise<void> {
  for (const resource of resources) {
    const stored = await unit.read(resource.resourceType, resource.id)
    const isSame = stored !== undefined && !stored.deleted && contentOf(stored.resource) === contentOf(resource)
    // Bypasses the rules of the provider, which refuses to change them.
    if (!isSame) await unit.put(resource, 'PUT')
  }
}

/** The content without the metadata of the store. */
const contentOf = ({ resourceType: _type, id: _id, meta: _meta, ...content }: AnyResource): string =>
  JSON.stringify(content)

/** The canonical of the operation of this name, `match`; of the whole system without a type. Undefined for an unknown one. */
export function operationDefinitionUrl(type: string | undefined, code: string): string | undefined {
  const all: readonly AnyResource[] = [...shippedResources().values()]
  const definitions = all.filter(isOperationDefinition)
  return definitions.find((one) => one.code === code && (type === undefined ? one.system : isFor(one, type)))?.url
}

const isOperationDefinition = (resource: AnyResource): resource is OperationDefinition =>
  resource.resourceType === 'OperationDefinition'

const isFor = ({ resource = [] }: OperationDefinition, type: string): boolean =>
  resource.some((one) => one === type || one === 'Resource')
