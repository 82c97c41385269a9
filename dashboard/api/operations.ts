/** Operations and changes of resources, for pages that do things. */
import type { FhirResource, Parameters, ParametersParameter } from 'fhir/r4'
import { get, READS, send } from './client.ts'
import { Problem } from './problem.ts'

type Value = Omit<ParametersParameter, 'name'>
type Values = readonly (readonly [name: string, value: Value])[]

const parametersOf = (values: Values): Parameters => ({
  resourceType: 'Parameters',
  parameter: values.map(([name, value]) => ({ name, ...value })),
})

/**
 * @param path `Appointment/1/$cancel`
 * @param version of the resource that the operation is called on: it must be the current one
 * @throws Problem 412 where there is a newer version
 */
export const operate = async <T>(path: string, values: Values, version?: string): Promise<T> =>
  (await send<T>({ method: 'POST', path, body: parametersOf(values), headers: ifMatch(version) })).body

/** An operation that changes nothing, for a page that shows its result. @throws Problem */
export const ask = async <T>(path: string, values: Values, signal?: AbortSignal): Promise<T> =>
  (await send<T>({ method: 'POST', path, body: parametersOf(values), headers: { 'x-run-id': READS }, signal })).body

/** Starts an operation that is done in the background. @returns the address of its state. @throws Problem */
export async function startOperation(path: string, values: Values): Promise<string> {
  const headers = { prefer: 'respond-async' }
  const { headers: answered } = await send({ method: 'POST', path, body: parametersOf(values), headers })
  return answered.get('content-location') ?? ''
}

export interface PatchStep {
  readonly op: 'add' | 'replace' | 'remove' | 'test'
  readonly path: string
  readonly value?: unknown
}

/**
 * Changes exactly the version that was read.
 * @param seen the resource as it was read
 * @throws Problem 412 where there is a newer version
 */
export async function patch<T extends FhirResource>(seen: T, steps: readonly PatchStep[]): Promise<T> {
  const headers = { 'content-type': 'application/json-patch+json', ...ifMatch(seen.meta?.versionId) }
  const path = `${seen.resourceType}/${seen.id}`
  return (await send<T>({ method: 'PATCH', path, body: steps, headers })).body
}

/** @returns the resource as it is stored. @throws Problem */
export const create = async <T extends FhirResource>(resource: T): Promise<T> =>
  (await send<T>({ method: 'POST', path: resource.resourceType, body: resource })).body

/** The id of a resource that is about to be made: repeating the request makes no second one. */
export const newId = (): string => crypto.randomUUID()

/**
 * Creates a resource under the id that it has. Where an earlier request has arrived, and only its response was lost, the resource that
 * it has made is updated.
 * @throws Problem
 */
export async function createWithId<T extends FhirResource>(resource: T): Promise<T> {
  const path = `${resource.resourceType}/${resource.id}`
  try {
    return (await send<T>({ method: 'PUT', path, body: resource, headers: { 'if-none-match': '*' } })).body
  } catch (error) {
    if (!(error instanceof Problem && error.status === 412)) throw error
    const { meta } = await get<FhirResource>(path)
    return put(resource, meta?.versionId)
  }
}

/** @param version that must be current; absent: that of the resource. @throws Problem */
export async function put<T extends FhirResource>(resource: T, version = resource.meta?.versionId): Promise<T> {
  const path = `${resource.resourceType}/${resource.id}`
  return (await send<T>({ method: 'PUT', path, body: resource, headers: ifMatch(version) })).body
}

/**
 * Writes something that is not a FHIR resource.
 * @param tag that it must have, where an earlier change is undone
 * @returns its new tag
 * @throws Problem 412 where it has been changed since it had `tag`
 */
export async function putTagged(path: string, body: object, tag?: string): Promise<string> {
  const headers: Record<string, string> = tag === undefined ? {} : { 'if-match': tag }
  const { headers: answered } = await send({ method: 'PUT', path, body, headers })
  return answered.get('etag') ?? ''
}

export const ifMatch = (version: string | undefined): Record<string, string> =>
  version === undefined ? {} : { 'if-match': `W/"${version}"` }
