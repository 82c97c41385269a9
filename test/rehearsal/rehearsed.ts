/** A clinic that is rehearsed in, over HTTP. */
import type { Bundle } from 'fhir/r4'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../support/server.ts'

export interface Rehearsed {
  readonly server: TestServer
  /** A request to a path of the clinic, such as `/reset`, by its admin unless another token is given. */
  readonly ask: (method: string, path: string, body?: unknown, token?: string) => Promise<FhirResponse>
  /** Resets the clinic. */
  readonly resetTo: (scenario: string) => Promise<void>
  /** The resources of the types by which scenarios differ, sorted by id, without the times of their versions. */
  readonly everything: (token?: string) => Promise<readonly string[]>
}

const TYPES = [
  'Organization',
  'Practitioner',
  'Schedule',
  'Slot',
  'Patient',
  'Appointment',
  'Coverage',
  'DocumentReference',
]

export async function startRehearsed(...started: Parameters<typeof startServer>): Promise<Rehearsed> {
  const server = await startServer(...started)
  const admin = await server.login('admin', 'admin')
  const everything = async (token = admin) => {
    const found: string[] = []
    for (const type of TYPES) found.push(...(await textsOf(server, type, token)))
    return found
  }
  const ask: Rehearsed['ask'] = (method, path, body, token = admin) =>
    askAs(server, token, method, `/clinics/${DEMO_CLINIC}${path}`, body)
  return {
    server,
    ask,
    resetTo: async (scenario) => {
      const { status, text } = await ask('POST', '/reset', { scenario })
      if (status !== 200) throw new Error(text)
    },
    everything,
  }
}

export const askAs = (server: TestServer, token: string, method: string, path: string, body?: unknown) =>
  request(server.url, method, path, body, { authorization: `Bearer ${token}` })

async function textsOf(server: TestServer, type: string, token: string): Promise<readonly string[]> {
  const { body } = await askAs(server, token, 'GET', `/${type}?_count=1000&_sort=_id`)
  const { entry = [] } = body as Bundle
  return entry.map(({ resource }) => JSON.stringify(resource).replace(/"lastUpdated":"[^"]+"/, ''))
}

/** The ids of a search, by an admin. */
export async function idsOf(server: TestServer, token: string, query: string): Promise<readonly string[]> {
  const { body } = await askAs(server, token, 'GET', `/${query}`)
  return ((body as Bundle).entry ?? []).map(({ resource }) => resource?.id ?? '')
}
