/** Subscriptions of R4 by rest-hook, on the real server, with a receiver that listens. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { eventually, subscribe, wanted } from './support.ts'

let server: TestServer
let receiver: Receiver

beforeAll(async () => {
  server = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'on' })
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const patient = (family: string) => ({ resourceType: 'Patient', name: [{ family }] })

test('a Subscription becomes active, and its endpoint gets an empty POST for each change that meets the criteria', async () => {
  const id = await subscribe(server, wanted('Patient?family=Rest', { endpoint: receiver.url }))
  const { body } = await server.fhir('POST', '/Patient', patient('Rest'))
  await server.fhir('POST', '/Patient', patient('Other'))
  await server.fhir('PUT', `/Patient/${body.id}`, { ...patient('Rest'), id: body.id })
  await eventually(() => receiver.received.length === 2 || undefined)
  expect(receiver.received.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['POST', '/hook', ''],
    ['POST', '/hook', ''],
  ])
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([`${id}.1`, `${id}.2`])
})
