/** Resources that a test stores over HTTP before it looks at anything. */
import { expect } from '@jest/globals'
import type { FhirResource } from 'fhir/r4'
import type { TestServer } from './server.ts'

export interface Fixture {
  readonly resourceType: string
  readonly id: string
  readonly [element: string]: unknown
}

/** Stores a resource under its id; where it is refused, the test fails with the response. */
export async function put(fhir: TestServer['fhir'], resource: Fixture | FhirResource): Promise<void> {
  const { status, text } = await fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  expect(status < 300 ? 'stored' : text).toBe('stored')
}
