/** Notifications of R4 by rest-hook, on the real server, with a receiver that listens. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { attempt } from '../support/faults.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { arrived, patient, read, subscribe, wanted } from './support.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const LAST = 'last'

let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(async () => {
  const { body } = await server.fhir('GET', '/Subscription?status=active')
  for (const { resource } of body.entry ?? []) await server.fhir('DELETE', `/Subscription/${resource.id}`)
  await receiver.close()
})

/** A change that every Subscription of the test is told of last, so that what is not told has had its time. */
const create = async (family: string, more: object = {}): Promise<string> =>
  (await server.fhir('POST', '/Patient', patient(family, more))).body.id

const put = (id: string, family: string) => server.fhir('PUT', `/Patient/${id}`, { ...patient(family), id })

const told = () => receiver.received.map(({ method, path, body }) => ({ method, path, body }))

describe('without a payload', () => {
  test('the endpoint gets an empty POST for each create and update that meets the criteria, and none for others', async () => {
    const id = await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url }))
    const first = await create('Rest')
    await create('Other')
    await put(first, 'Rest')
    await put(first, 'Gone')
    await server.fhir('DELETE', `/Patient/${first}`)
    await server.fhir('PATCH', `/Patient/${await create('Rest')}`, [{ op: 'add', path: '/active', value: true }], {
      'content-type': 'application/json-patch+json',
    })
    await arrived(receiver, 4)
    await create('Rest')
    await arrived(receiver, 5)
    expect(told()).toEqual(Array.from({ length: 5 }, () => ({ method: 'POST', path: '/hook', body: '' })))
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      [1, 2, 3, 4, 5].map((number) => `${id}.${number}`),
    )
  })

  test('the headers of the channel are sent, and neither the resource, its history, a search nor the journal shows their values', async () => {
    const header = ['Authorization: Bearer secret-token-abc-123', 'X-Hook: open sesame']
    const id = await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, header }))
    await create('Rest')
    await arrived(receiver, 1)
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer secret-token-abc-123',
      'x-hook': 'open sesame',
    })
    expect((await read(server, id)).channel.header).toEqual(['Authorization: set', 'X-Hook: set'])
    const admin = await server.login('admin', 'admin')
    for (const path of [
      `/Subscription/${id}`,
      `/Subscription/${id}/_history`,
      '/Subscription',
      '/clinics/demo-clinic/exchanges?count=100',
    ]) {
      const { status, text } = await request(server.url, 'GET', path, undefined, { authorization: `Bearer ${admin}` })
      expect(status).toBe(200)
      expect(text).not.toMatch(/secret-token|sesame/)
    }
  })

  test('an update that shows the headers as they were read keeps their values', async () => {
    const header = ['X-Hook: open sesame']
    const id = await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, header }))
    const updated = await server.fhir('PUT', `/Subscription/${id}`, { ...(await read(server, id)), reason: 'another' })
    expect([updated.status, updated.body.status]).toEqual([200, 'active'])
    await create('Rest')
    await arrived(receiver, 1)
    expect(receiver.received[0]?.headers['x-hook']).toBe('open sesame')
  })
})

describe('with a payload', () => {
  test('each version of a resource is PUT below the endpoint, in the order of the versions', async () => {
    const payload = 'application/fhir+json'
    await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, payload }))
    const id = await create('Rest')
    for (let n = 0; n < 30; n += 1) await put(id, 'Rest')
    await arrived(receiver, 31)
    expect(new Set(told().map(({ method, path }) => `${method} ${path}`))).toEqual(new Set([`PUT /hook/Patient/${id}`]))
    expect(told().map(({ body }) => JSON.parse(body).meta.versionId)).toEqual(
      Array.from({ length: 31 }, (_, index) => String(index + 1)),
    )
    expect(receiver.received[0]?.headers['content-type']).toBe(payload)
  })

  test('it may be XML', async () => {
    await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, payload: 'application/fhir+xml' }))
    await create('Rest')
    await arrived(receiver, 1)
    expect(told()[0]?.body).toMatch(/<Patient xmlns="http:\/\/hl7.org\/fhir">.*<family value="Rest"\/>/s)
  })

  test('it has the data that are kept beside the resource', async () => {
    const data = Buffer.alloc(30_000, 'x').toString('base64')
    await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, payload: 'application/json' }))
    await create('Rest', { photo: [{ contentType: 'image/png', data, title: 'a face' }] })
    await arrived(receiver, 1)
    expect(JSON.parse(told()[0]?.body ?? '').photo).toEqual([{ contentType: 'image/png', title: 'a face', data }])
  })

  test('it is signed by the event secret of the clinic, once that is set', async () => {
    const admin = await server.login('admin', 'admin')
    const settings = (method: string, body?: object) =>
      request(server.url, method, '/clinics/demo-clinic/settings', body, {
        authorization: `Bearer ${admin}`,
        'content-type': 'application/json',
      })
    const { body } = await settings('GET')
    expect((await settings('PUT', { ...body, eventSecret: SECRET })).body.eventSecret).toBe('set')
    await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, payload: 'application/fhir+json' }))
    await create('Rest')
    await arrived(receiver, 1)
    const [{ headers, body: sent } = { headers: {}, body: '' }] = receiver.received
    expect(new Webhook(SECRET).verify(sent, headers as Record<string, string>)).toMatchObject({
      resourceType: 'Patient',
    })
    expect((await settings('PUT', { ...body, eventSecret: 'short' })).text).toMatch(/eventSecret must be/)
    expect((await settings('PUT', { ...body, eventSecret: null })).body.eventSecret).toBeUndefined()
  })
})

test('a change whose response is lost is told once, and the repeat that changes nothing is not told', async () => {
  const id = await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url }))
  const identifier = [{ system: 'urn:test', value: 'lost' }]
  const headers = { 'if-none-exist': 'identifier=urn:test|lost' }
  const lost = await attempt(server, 'POST', '/Patient', patient('Rest', { identifier }), {
    ...headers,
    'x-sandbox-fault': 'lost-answer',
  })
  expect(lost.status).toBe(0)
  const again = await server.fhir('POST', '/Patient', patient('Rest', { identifier }), headers)
  expect(again.status).toBe(200)
  await create('Rest', { id: LAST })
  await arrived(receiver, 2)
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([`${id}.1`, `${id}.2`])
})

test('all changes of a transaction are told, and none of one that is refused', async () => {
  await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url, payload: 'application/fhir+json' }))
  const entry = (resource: object) => ({ resource, request: { method: 'POST', url: 'Patient' } })
  const bundle = (...resources: object[]) => ({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: resources.map(entry),
  })
  await server.fhir('POST', '/', bundle(patient('Rest'), { resourceType: 'Patient', gender: 'none' }))
  await server.fhir('POST', '/', bundle(patient('Rest', { active: true }), patient('Rest', { active: true })))
  await arrived(receiver, 2)
  expect(told().map(({ body }) => JSON.parse(body).active)).toEqual([true, true])
})

test('criteria with as many values as there may be are matched with resources that have hundreds', async () => {
  const values = Array.from({ length: 99 }, (_, index) => `part${index}x`)
  const criteria = `Patient?name:contains=${[...values, 'rest'].join()}`
  await subscribe(server, wanted(criteria, { endpoint: receiver.url, payload: 'application/fhir+json' }))
  const name = Array.from({ length: 300 }, (_, index) => ({ family: `Part${index}y`, given: ['a'.repeat(200)] }))
  await server.fhir('POST', '/Patient', { resourceType: 'Patient', name, gender: 'male' })
  await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [...name, { text: 'Forest' }] })
  await arrived(receiver, 1)
  await create('Rest')
  await arrived(receiver, 2)
  expect(told().map(({ body }) => JSON.parse(body).gender)).toEqual([undefined, undefined])
})
