/** Operations and changes of resources, for pages that do things. */
import type { FhirResource, Parameters, ParametersParameter } from 'fhir/r4'
import { send } from './client.ts'

type Value = Omit<ParametersParameter, 'name'>

const parametersOf = (values: readonly (readonly [name: string, value: Value])[]): Parameters => ({
  resourceType: 'Parameters',
  parameter: values.map(([name, value]) => ({ name, ...value })),
})

/** @param path `Appointment/1/$cancel`. @throws Problem */
export const operate = async <T>(path: string, values: readonly (readonly [string, Value])[]): Promise<T> =>
  (await send<T>({ method: 'POST', path, body: parametersOf(values) })).body

export interface PatchStep {
  readonly op: 'add' | 'replace' | 'remove' | 'test'
  readonly path: string
  readonly value?: unknown
}

/**
 * Changes what has been seen, and nothing newer.
 * @param seen the resource as it was read
 * @throws Problem 412 where it has another version by now
 */
export async function patch<T extends FhirResource>(seen: T, steps: readonly PatchStep[]): Promise<T> {
  const headers = { 'content-type': 'application/json-patch+json', ...matching(seen) }
  const path = `${seen.resourceType}/${seen.id}`
  return (await send<T>({ method: 'PATCH', path, body: steps, headers })).body
}

/** @param version that must be current; absent: that of the resource. @throws Problem */
export async function put<T extends FhirResource>(resource: T, version = resource.meta?.versionId): Promise<T> {
  const path = `${resource.resourceType}/${resource.id}`
  const headers: Record<string, string> = version === undefined ? {} : { 'if-match': `W/"${version}"` }
  return (await send<T>({ method: 'PUT', path, body: resource, headers })).body
}

const matching = ({ meta }: FhirResource): Record<string, string> =>
  meta?.versionId === undefined ? {} : { 'if-match': `W/"${meta.versionId}"` }
