/** Shared by the suites that call everything /metadata declares: a server with a resource of every type. */
import { expect } from '@jest/globals'
import type {
  CapabilityStatement,
  CapabilityStatementRest,
  CapabilityStatementRestResource,
  OperationOutcome,
} from 'fhir/r4'
import { type MinimalResource, minimalResource } from '../support/minimal-resources.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Elements by type that its provider requires beyond R4. */
const REQUIRED_BY_PROVIDER: Readonly<Record<string, object>> = {
  DocumentReference: { content: [{ attachment: { url: 'urn:oid:1.2.3' } }] },
  Subscription: { status: 'off' },
}

export const minimal = (type: string): MinimalResource => ({
  ...minimalResource(type),
  ...REQUIRED_BY_PROVIDER[type],
})

export interface Declared {
  readonly server: TestServer
  readonly statement: CapabilityStatement
  readonly rest: CapabilityStatementRest
  readonly types: readonly CapabilityStatementRestResource[]
}

/**
 * The resource of each type has the id `m`.
 * @throws Error naming the types whose provider refuses it
 */
export async function startDeclared(): Promise<Declared> {
  const server = await startServer()
  const statement: CapabilityStatement = (await server.fhir('GET', '/metadata')).body
  const rest = statement.rest?.[0] ?? { mode: 'server' }
  const types = rest.resource ?? []
  const refusals: string[] = []
  for (const { type } of types) {
    const { status, text } = await server.fhir('PUT', `/${type}/m`, { ...minimal(type), id: 'm' })
    if (status !== 201) refusals.push(`${type}/m: ${status} ${text}`)
  }
  if (refusals.length === 0) return { server, statement, rest, types }
  await server.close()
  throw new Error(`${refusals.join('\n')}\nREQUIRED_BY_PROVIDER says what a provider requires besides R4`)
}

export interface Answered {
  readonly url: string
  readonly status: number
  readonly outcome: OperationOutcome | undefined
}

const A_BATCH = 200

/** The responses to GETs, in order. */
export async function answers({ server }: Declared, urls: readonly string[]): Promise<readonly Answered[]> {
  const found: Answered[] = []
  for (let start = 0; start < urls.length; start += A_BATCH) {
    const some = urls.slice(start, start + A_BATCH)
    const entry = some.map((url) => ({ request: { method: 'GET', url } }))
    const { status, body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(status).toBe(200)
    for (const [index, url] of some.entries()) {
      const { response } = body.entry[index]
      found.push({ url, status: Number.parseInt(response.status, 10), outcome: response.outcome })
    }
  }
  return found
}

export const refused = async (declared: Declared, urls: readonly string[]): Promise<readonly Answered[]> =>
  (await answers(declared, urls)).filter(({ status }) => status !== 200)
