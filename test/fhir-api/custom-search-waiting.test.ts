/** Responses while the resources of a clinic are still being indexed by its own search parameters. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openStore } from '../../src/main/open-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { newDatabaseUrl } from '../support/database.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'

let server: TestServer
let gate = Promise.withResolvers<void>()
beforeAll(async () => {
  const store = await openStore(await newDatabaseUrl())
  server = await startServer({}, { store: held(store) })
})
afterAll(async () => {
  gate.resolve()
  await server.close()
})

/** Nothing is indexed while the gate is closed. */
const held = (store: ResourceStore): ResourceStore => ({
  ...store,
  reindex: async (batch) => {
    await gate.promise
    return await store.reindex(batch)
  },
})

const parameter = (id: string, more: Record<string, unknown>) => ({
  ...{
    resourceType: 'SearchParameter',
    id,
    url: `http://example.org/SearchParameter/${id}`,
    name: id,
    status: 'active',
  },
  ...{ description: id, code: id, base: ['Patient'] },
  ...more,
})

const put = async (resource: { readonly resourceType: string; readonly id: string }): Promise<void> => {
  const { status } = await server.fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  expect([200, 201]).toContain(status)
}

const stateOf = async (code: string): Promise<Record<string, unknown>> => {
  const { body } = await server.fhir('GET', '/$reindex-status')
  const parts = (body.parameter as { part: { name: string }[] }[]).map(({ part }) =>
    Object.fromEntries(part.map(({ name, ...value }) => [name, Object.values(value)[0]])),
  )
  return parts.find((one) => one.code === code) ?? {}
}

const statusOf = async (path: string): Promise<number> => (await server.fhir('GET', path)).status
const idsOf = ({ body }: FhirResponse): readonly string[] =>
  (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id)

/** Lets the indexing continue until searches by `code` succeed. */
async function indexed(code: string): Promise<void> {
  gate.resolve()
  await until(async () => (await stateOf(code)).state === 'complete' && (await statusOf(`/Patient?${code}=x`)) === 200)
  gate = Promise.withResolvers()
}

test('whatever goes by the parameter is 503 and names it; all else is answered; then everything is', async () => {
  await put({
    resourceType: 'Patient',
    id: 'linked',
    link: [{ other: { reference: 'Patient/target' }, type: 'seealso' }],
  } as {
    resourceType: string
    id: string
  })
  await put(parameter('kin', { type: 'reference', expression: 'Patient.link.other' }))
  const patients = (await server.fhir('GET', '/Patient?_summary=count')).body.total
  expect(await stateOf('kin')).toEqual({
    ...{ reference: { reference: 'SearchParameter/kin' }, code: 'kin', type: 'Patient' },
    ...{ state: 'waiting', done: 0, left: patients, failed: 0 },
  })
  const paths = [
    '/Patient?kin=Patient/target',
    '/Patient?kin:missing=true',
    '/Patient?kin:identifier=x',
    '/Patient?kin.family=x',
    '/Patient?_has:Patient:kin:_id=x',
    '/Observation?subject:Patient.kin=Patient/target',
    '/Patient?_sort=kin',
    '/Patient?_include=Patient:kin',
    '/Patient?_include=Patient:*',
    '/Patient?_revinclude=Patient:kin',
    '/Patient?_filter=kin%20eq%20Patient/target',
    '/?_type=Patient&kin=Patient/target',
  ]
  for (const path of paths) {
    const { status, body } = await server.fhir('GET', path)
    expect([path, status, body.issue?.[0]?.diagnostics]).toEqual([
      path,
      503,
      expect.stringMatching(/indexed by .*Patient\?(kin|\*)/),
    ])
  }
  const conditional = { 'if-none-exist': 'kin=Patient/target' }
  expect((await server.fhir('POST', '/Patient', { resourceType: 'Patient' }, conditional)).status).toBe(503)
  const entry = [{ request: { method: 'GET', url: 'Patient?kin=Patient/target' } }]
  const batch = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
  expect(batch.body.entry[0].response.status).toMatch(/^503/)
  for (const path of [
    '/Patient?family=x',
    '/Patient/linked',
    '/Observation?_include=Observation:*',
    '/Patient?link=x',
  ]) {
    expect([path, await statusOf(path)]).toEqual([path, 200])
  }
  await indexed('kin')
  for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200])
  expect(idsOf(await server.fhir('GET', '/Patient?kin=Patient/target'))).toEqual(['linked'])
  expect(await stateOf('kin')).toMatchObject({ state: 'complete', done: patients, left: 0, failed: 0 })
})

test('a second parameter of the type leaves the first one answered, and so does a change of another one', async () => {
  await put(parameter('second', { type: 'string', expression: 'Patient.name.family' }))
  expect(await statusOf('/Patient?kin=Patient/target')).toBe(200)
  expect(await statusOf('/Patient?second=x')).toBe(503)
  await indexed('second')
  await put(parameter('second', { type: 'string', expression: 'Patient.name.given' }))
  expect(await statusOf('/Patient?second=x')).toBe(503)
  expect(await statusOf('/Patient?kin=Patient/target')).toBe(200)
  // An include by every reference would find entries of the old expression.
  expect(await statusOf('/Patient?_include=Patient:*')).toBe(200)
  await put(parameter('kin', { type: 'reference', expression: 'Patient.generalPractitioner' }))
  expect(await statusOf('/Patient?_include=Patient:*')).toBe(503)
  await indexed('kin')
  expect(await statusOf('/Patient?second=x')).toBe(200)
})

test('one that is deleted while it is indexed is gone, and leaves nothing that an include follows', async () => {
  await put(parameter('kin', { type: 'reference', expression: 'Patient.link.other' }))
  await server.fhir('DELETE', '/SearchParameter/kin')
  expect(await statusOf('/Patient?kin=Patient/target')).toBe(400)
  expect(await stateOf('kin')).toEqual({})
  gate.resolve()
  await until(async () => (await statusOf('/Patient?_include=Patient:*')) === 200)
  gate = Promise.withResolvers()
})
