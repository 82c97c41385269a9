/** The life of a Subscription: which are refused, and which status they have. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Subscription } from 'fhir/r4'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { arrived, change, eventually, inStatus, patient, read, subscribe, wanted } from './support.ts'

let ahead = 0
let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
  receiver = await startReceiver()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const asked = (criteria: string, more: Partial<Subscription> = {}) =>
  server.fhir('POST', '/Subscription', wanted(criteria, { endpoint: receiver.url }, more))

describe('criteria that cannot be decided from the resource alone are refused with a sentence', () => {
  test.each([
    ['Observation?subject:Patient.name=x', 'other resources decide'],
    ['Patient?_has:Observation:patient:code=x', 'other resources decide'],
    ['Patient?_list=42', 'other resources decide'],
    ['Observation?code:in=http://hl7.org/fhir/ValueSet/observation-vitalsignresult', 'looked up'],
    ['Patient?_sort=name', 'chooses no resource'],
    ['Patient?_include=Patient:link', 'chooses no resource'],
    ['Patient?_filter=organization.name eq "x"', 'another resource'],
    ['Patient?birthdate=ap2000', 'time of the search'],
    ['Patient?shoe-size=42', 'shoe-size'],
    ['Patient?gender:contains=male', 'gender'],
    ['Unicorn?name=x', 'resource type'],
    ['AuditEvent', 'no notifications of changes of AuditEvent'],
    ['Subscription?status=error', 'no notifications of changes of Subscription'],
    [`Patient?_id=${Array.from({ length: 101 }, (_, n) => `a${n}`).join('&_id=')}`, 'parameters'],
    [`Patient?family=${Array.from({ length: 101 }, (_, n) => `a${n}`).join()}`, 'may have'],
    ['', 'resource type'],
    [`Patient?family=${'a'.repeat(4_000)}`, '4000 characters at most'],
  ])('%p', async (criteria, sentence) => {
    const { status, body } = await asked(criteria === '' ? ' ' : criteria)
    expect([status >= 400 && status < 500, body.issue[0].diagnostics]).toEqual([
      true,
      expect.stringContaining(sentence),
    ])
  })
})

test('one that is imported is off, and its hidden headers have no value, as it is carried out where it comes from', async () => {
  const admin = await server.login('admin', 'admin')
  const channel = { type: 'rest-hook' as const, endpoint: receiver.url, header: ['X-Hook: set', 'X-Own: open'] }
  const imported = { ...wanted('Patient?family=Imported', channel), id: 'imported', status: 'active', error: 'once' }
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/fhir+ndjson' }
  const path = '/clinics/demo-clinic/import'
  const { body } = await request(server.url, 'POST', path, JSON.stringify(imported), headers)
  expect(body).toEqual({ imported: 1, updated: 0, refused: [] })
  const { status, error, channel: found } = await read(server, 'imported')
  expect({ status, error, header: found.header }).toEqual({ status: 'off', header: ['X-Hook: set', 'X-Own: set'] })
  const again = await change(server, 'imported', { status: 'requested' })
  expect([again.status, again.body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('X-Hook has no value')])
})

describe('a Subscription that could not be carried out is refused', () => {
  const unknown = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
  }
  const channel = (more: object) => wanted('Patient', { endpoint: 'https://example.org/', ...more } as never)
  test.each<[string, object, string, string]>([
    ['a channel for text messages', channel({ type: 'sms' }), 'channel.type', 'sms'],
    ['a channel for messages', channel({ type: 'message' }), 'channel.type', 'message'],
    ['an endpoint that is no http address', channel({ endpoint: 'mailto:a@example.org' }), 'channel.endpoint', 'http'],
    [
      'an endpoint with a password',
      channel({ endpoint: 'https://a:b@example.org/' }),
      'channel.endpoint',
      'channel.header',
    ],
    ['no endpoint', channel({ endpoint: undefined }), 'channel.endpoint', 'http'],
    ['a payload in another format', channel({ payload: 'text/csv' }), 'channel.payload', 'text/csv'],
    ['a header without a name', channel({ header: ['secret'] }), 'channel.header[0]', 'Name: value'],
    ['a header of the connection', channel({ header: ['Host: a'] }), 'channel.header[0]', 'Host'],
    ['a line within a header', channel({ header: ['A: b\r\nHost: c'] }), 'channel.header[0]', 'Name: value'],
    ['a hidden value that was never set', channel({ header: ['A: set'] }), 'channel.header[0]', 'no value yet'],
    ['an end in the past', { ...channel({}), end: '2020-01-01T00:00:00Z' }, 'end', 'has ended'],
    ['no status', { ...channel({}), status: undefined, _status: unknown }, 'status', 'status is missing'],
    ['no channel type', channel({ type: undefined, _type: unknown }), 'channel.type', 'without a type'],
    ['the status active', { ...channel({}), status: 'active' }, 'status', "send 'requested'"],
    ['the status error', { ...channel({}), status: 'error' }, 'status', "send 'requested'"],
  ])('%s', async (_what, subscription, element, sentence) => {
    const { status, body } = await server.fhir('POST', '/Subscription', subscription)
    expect([status, body.issue[0].expression, body.issue[0].diagnostics]).toEqual([
      422,
      [`Subscription.${element}`],
      expect.stringContaining(sentence),
    ])
  })

  test('criteria and an endpoint that are absent, with an extension in their place', async () => {
    const extension = [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }]
    const { criteria: _, ...rest } = wanted('Patient', { endpoint: receiver.url })
    const without = await server.fhir('POST', '/Subscription', { ...rest, _criteria: { extension } })
    expect(without.status).toBe(422)
    const channel = { type: 'rest-hook', _endpoint: { extension } }
    expect((await server.fhir('POST', '/Subscription', { ...wanted('Patient', {}), channel })).status).toBe(422)
  })
})

test('what is off is stored whatever it is, and tells nobody', async () => {
  const { status, body } = await asked('Patient?_has:Observation:patient:code=x', { status: 'off' })
  expect([status, body.status]).toEqual([201, 'off'])
  const on = await change(server, body.id, { status: 'requested' })
  expect(on.status).toBe(422)
})

test('a client ends it with off and starts it again with requested, and another definition is activated anew', async () => {
  const id = await subscribe(
    server,
    wanted('Patient?family=Life', { endpoint: receiver.url, payload: 'application/json' }),
  )
  expect((await change(server, id, { status: 'off' })).body.status).toBe('off')
  await server.fhir('POST', '/Patient', patient('Life', { gender: 'male' }))
  expect((await change(server, id, { status: 'requested' })).body.status).toBe('requested')
  await inStatus(server, id, 'active')
  expect((await change(server, id, { criteria: 'Patient?family=Other' })).body.status).toBe('requested')
  await inStatus(server, id, 'active')
  await server.fhir('POST', '/Patient', patient('Other', { gender: 'female' }))
  await arrived(receiver, 1)
  expect(receiver.received.map(({ body }) => JSON.parse(body).gender)).toEqual(['female'])
  await server.fhir('DELETE', `/Subscription/${id}`)
})

test('every status but the two of a client is set by the server alone, in a patch too', async () => {
  const id = await subscribe(server, wanted('Patient?family=Life', { endpoint: receiver.url }))
  const headers = { 'content-type': 'application/json-patch+json' }
  const patched = (value: string) =>
    server.fhir('PATCH', `/Subscription/${id}`, [{ op: 'replace', path: '/status', value }], headers)
  expect((await patched('error')).status).toBe(422)
  expect((await patched('off')).body.status).toBe('off')
  expect((await patched('active')).status).toBe(422)
})

test('it is off when its end is reached, by the clock of the clinic', async () => {
  const end = new Date(Date.now() + 3_600_000).toISOString()
  const id = await subscribe(server, wanted('Patient?family=End', { endpoint: receiver.url }, { end }))
  ahead += 3_601_000
  expect((await inStatus(server, id, 'off')).error).toBeUndefined()
})

test('a deleted one tells nobody, and one that is written at its address afterwards goes on with the numbers of its events', async () => {
  const hook = await startReceiver()
  const id = await subscribe(server, wanted('Patient?family=Back', { endpoint: hook.url }))
  await server.fhir('POST', '/Patient', patient('Back'))
  await arrived(hook, 1)
  await server.fhir('DELETE', `/Subscription/${id}`)
  await server.fhir('POST', '/Patient', patient('Back'))
  await server.fhir('PUT', `/Subscription/${id}`, { ...wanted('Patient?family=Back', { endpoint: hook.url }), id })
  await inStatus(server, id, 'active')
  await server.fhir('POST', '/Patient', patient('Back'))
  await arrived(hook, 2)
  const ids = hook.received.map(({ headers }) => headers['webhook-id'])
  expect(ids[0]).toBe(`${id}.1`)
  expect(hook.received).toHaveLength(2)
  await hook.close()
})

test('a clinic has a thousand at most that are not off, and those that are off are not counted', async () => {
  const one = (status: string, n: number) => ({
    resource: wanted('Basic', { endpoint: receiver.url }, { id: `many-${n}`, status: status as 'off' }),
    request: { method: 'PUT', url: `Subscription/many-${n}` },
  })
  const all = (status: string, numbers: readonly number[]) =>
    server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry: numbers.map((n) => one(status, n)) })
  const numbers = Array.from({ length: 1_001 }, (_, n) => n)
  for (let from = 0; from < 1_000; from += 100) await all('off', numbers.slice(from, from + 100))
  const running = (await server.fhir('GET', '/Subscription?status=active,requested,error&_summary=count')).body.total
  const results: number[] = []
  for (let from = 0; from < 1_000 - running; from += 100) {
    results.push((await all('requested', numbers.slice(from, Math.min(from + 100, 1_000 - running)))).status)
  }
  expect(new Set(results)).toEqual(new Set([200]))
  const beyond = await all('requested', [1_000])
  expect([beyond.status, beyond.body.issue[0].diagnostics]).toEqual([
    422,
    expect.stringContaining('1000 Subscriptions'),
  ])
  await eventually(async () => {
    const { body } = await server.fhir('GET', '/Subscription?status=requested&_summary=count')
    return body.total === 0 || undefined
  }, 'the end of all activations')
  expect((await read(server, 'many-7')).status).toBe('active')
})
