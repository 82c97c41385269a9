/** Published third-party clients write clinical notes, find, read, replace and withdraw them. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MedplumClient } from '@medplum/core'
import type { Bundle, DocumentReference } from 'fhir/r4'
import { Client as FhirKitClient } from 'fhir-kit-client'
import smart from 'fhirclient'
import { base64, note } from '../../documents/clinics.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let patient: string
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Stored = DocumentReference & { id: string }

/** The interface that the clients have in common. */
interface NoteClient {
  readonly create: (document: object) => Promise<Stored>
  readonly update: (document: object & { id: string }) => Promise<Stored>
  readonly read: (id: string) => Promise<Stored>
  readonly search: (query: string) => Promise<Bundle>
}

const type = 'DocumentReference'

function fhirKit(): NoteClient {
  const client = new FhirKitClient({ baseUrl: server.url, bearerToken: server.token })
  const read = async (answer: Promise<unknown>) => (await answer) as Stored
  return {
    create: (body) => read(client.create({ resourceType: type, body: body as never })),
    update: (body) => read(client.update({ resourceType: type, id: body.id, body: body as never })),
    read: (id) => read(client.read({ resourceType: type, id })),
    search: async (query) => {
      const searchParams = Object.fromEntries(new URLSearchParams(query))
      return (await client.search({ resourceType: type, searchParams })) as unknown as Bundle
    },
  }
}

function medplum(): NoteClient {
  const options = { baseUrl: server.url, fhirUrlPath: '', accessToken: server.token, resourceCacheSize: 0, fetch }
  const client = new MedplumClient(options)
  return {
    create: async (body) => (await client.createResource(body as never)) as unknown as Stored,
    update: async (body) => (await client.updateResource(body as never)) as unknown as Stored,
    read: async (id) => (await client.readResource(type, id)) as unknown as Stored,
    search: async (query) => (await client.search(type, query)) as unknown as Bundle,
  }
}

function smartClient(): NoteClient {
  const request = new IncomingMessage(new Socket())
  const storage = { get: async () => undefined, set: async <T>(_: string, value: T) => value, unset: async () => true }
  const client = smart(request, new ServerResponse(request), storage).client({
    serverUrl: server.url,
    tokenResponse: { access_token: server.token },
  })
  return {
    create: async (body) => (await client.create(body as never)) as Stored,
    update: async (body) => (await client.update(body as never)) as Stored,
    read: async (id) => client.request<Stored>(`${type}/${id}`),
    search: async (query) => client.request<Bundle>(`${type}?${query}`),
  }
}

const idsOf = ({ entry = [] }: Bundle) => entry.map(({ resource }) => resource?.id)

describe.each([
  ['fhir-kit-client', fhirKit],
  ['@medplum/core', medplum],
  ['fhirclient', smartClient],
])('%s', (_name, clientOf) => {
  beforeAll(async () => {
    patient = (await server.fhir('POST', '/Patient', { resourceType: 'Patient' })).body.id
  })

  test('writes a note, finds it at once, and reads it as it was', async () => {
    const client = clientOf()
    const created = await client.create(note(patient))
    expect(created.content[0]?.attachment).toMatchObject({ data: base64('Patient feels well.'), size: 19 })
    expect(idsOf(await client.search(`patient=${patient}&category=clinical-note&status=current`))).toEqual([created.id])
    expect(await client.read(created.id)).toEqual(created)
  })

  test('replaces it, and finds the new one in its place', async () => {
    const client = clientOf()
    const [old] = idsOf(await client.search(`patient=${patient}&status=current`))
    const relatesTo = [{ code: 'replaces', target: { reference: `${type}/${old}` } }]
    const { id } = await client.create(note(patient, { data: base64('Patient feels better.') }, { relatesTo }))
    expect(idsOf(await client.search(`patient=${patient}&status=current`))).toEqual([id])
    expect(await client.read(old ?? '')).toMatchObject({ status: 'superseded' })
  })

  test('withdraws it with three elements', async () => {
    const client = clientOf()
    const [id = ''] = idsOf(await client.search(`patient=${patient}&status=current`))
    const before = await client.read(id)
    const subject = { reference: `Patient/${patient}` }
    await client.update({ resourceType: type, id, status: 'entered-in-error', subject } as object & { id: string })
    expect(await client.read(id)).toMatchObject({ status: 'entered-in-error', content: before.content })
    expect(idsOf(await client.search(`patient=${patient}&status=current`))).toEqual([])
  })
})
