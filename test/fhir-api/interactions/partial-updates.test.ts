/** Updates with less than the whole resource: a subset that a search has returned, and a resource without meta. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const LABELS = {
  tag: [{ system: 'urn:tags', code: 'vip' }],
  security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code: 'R' }],
  profile: ['http://example.org/StructureDefinition/unknown'],
}

async function stored(meta?: object) {
  const id = randomUUID()
  const resource = { resourceType: 'Patient', id, ...(meta && { meta }), name: [{ family: 'Whole' }], gender: 'female' }
  const { status } = await server.fhir('PUT', `/Patient/${id}`, resource)
  expect(status).toBe(201)
  return { id, resource }
}

const read = async (address: string) => (await server.fhir('GET', address)).body
const transaction = (id: string, resource: object) =>
  server.fhir('POST', '/', {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [{ resource, request: { method: 'PUT', url: `Patient/${id}` } }],
  })

describe('a part of a resource', () => {
  const PARTS = ['_summary=true', '_summary=text', '_summary=data', '_elements=gender', '_elements=id']

  test.each(PARTS)('that was read with %s is 422 as an update, which would delete the rest', async (query) => {
    const { id } = await stored()
    const part = await read(`/Patient/${id}?${query}`)
    const refused = await server.fhir('PUT', `/Patient/${id}`, part)
    expect([refused.status, refused.body.issue[0].details.coding[0].code]).toEqual([422, 'subsetted'])
    expect(refused.body.issue[0].expression).toEqual([`Patient.meta.tag[0]`])
    expect((await transaction(id, part)).status).toBe(422)
    expect(await read(`/Patient/${id}`)).toMatchObject({ meta: { versionId: '1' }, gender: 'female' })
  })

  test('that a search has found is 422 too, beside other tags, and by criteria', async () => {
    const { id } = await stored(LABELS)
    const found = await read(`/Patient?_id=${id}&_summary=true`)
    const part = found.entry[0].resource
    const refused = await server.fhir('PUT', `/Patient?_id=${id}`, part)
    expect([refused.status, refused.body.issue[0].expression]).toEqual([422, ['Patient.meta.tag[1]']])
  })

  test('is stored where its tag was taken out, and what is not marked by that system is no part', async () => {
    const { id, resource } = await stored()
    const { meta: _meta, ...part } = await read(`/Patient/${id}?_elements=gender`)
    expect((await server.fhir('PUT', `/Patient/${id}`, part)).status).toBe(200)
    const tag = [{ system: 'urn:mine', code: 'SUBSETTED' }]
    expect((await server.fhir('PUT', `/Patient/${id}`, { ...resource, meta: { tag } })).status).toBe(200)
  })

  test('is stored where the clinic accepts it', async () => {
    const { id } = await stored()
    const part = await read(`/Patient/${id}?_summary=true`)
    const { body: settings } = await server.fhir('GET', '/clinics/demo-clinic/settings')
    const set = (policies: object) =>
      server.fhir(
        'PUT',
        '/clinics/demo-clinic/settings',
        { ...settings, policies },
        { 'content-type': 'application/json' },
      )
    expect((await set({ ...settings.policies, subsetted: 'maybe' })).status).toBe(422)
    expect((await set({ ...settings.policies, subsetted: 'accept' })).status).toBe(200)
    expect((await server.fhir('PUT', `/Patient/${id}`, part)).status).toBe(200)
    await set(settings.policies)
  })
})

describe('an update without meta', () => {
  test.each<readonly [string, (id: string, resource: object) => Promise<{ status: number }>]>([
    ['PUT', (id, resource) => server.fhir('PUT', `/Patient/${id}`, resource)],
    ['PUT by criteria', (id, resource) => server.fhir('PUT', `/Patient?_id=${id}`, resource)],
    ['a transaction', transaction],
  ])('keeps tags, security labels and profiles (%s)', async (_way, update) => {
    const { id, resource } = await stored(LABELS)
    const { meta: _meta, ...without } = resource
    expect((await update(id, { ...without, gender: 'male' })).status).toBe(200)
    const now = await read(`/Patient/${id}`)
    expect([now.gender, now.meta]).toEqual(['male', { ...LABELS, versionId: '2', lastUpdated: now.meta.lastUpdated }])
    expect((await read(`/Patient?_tag=urn:tags|vip&_id=${id}`)).total).toBe(1)
  })

  test('has none where there were none, or the resource was deleted', async () => {
    const { id, resource } = await stored(LABELS)
    await server.fhir('DELETE', `/Patient/${id}`)
    const { meta: _meta, ...without } = resource
    await server.fhir('PUT', `/Patient/${id}`, without)
    expect(Object.keys((await read(`/Patient/${id}`)).meta).sort()).toEqual(['lastUpdated', 'versionId'])
  })

  test('keeps no tag by which the server itself has marked the resource', async () => {
    const own = { system: 'https://sandbox-emr.example/fhir/CodeSystem/slot-origin', code: 'generated' }
    const { id, resource } = await stored({ tag: [own, ...LABELS.tag] })
    const { meta: _meta, ...without } = resource
    await server.fhir('PUT', `/Patient/${id}`, without)
    expect((await read(`/Patient/${id}`)).meta.tag).toEqual(LABELS.tag)
  })

  test('one with meta says what there is', async () => {
    const { id, resource } = await stored(LABELS)
    await server.fhir('PUT', `/Patient/${id}`, { ...resource, meta: { tag: [{ code: 'other' }] } })
    const { tag, security, profile } = (await read(`/Patient/${id}`)).meta
    expect([tag, security, profile]).toEqual([[{ code: 'other' }], undefined, undefined])
  })
})
