/** Subscriptions by e-mail, through the messaging service of the clinic. docs/subscriptions.md */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Subscription } from 'fhir/r4'
import { PATIENT } from '../support/booking.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { eventually, inStatus, subscribe, wanted } from './support.ts'
import { toTopic } from './topic-support.ts'

let server: TestServer
let service: Receiver
let fast = 0

beforeAll(async () => {
  server = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'on' }, { clock: () => Date.now() + fast })
})
afterAll(() => server.close())
beforeEach(async () => {
  service = await startReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await use({ enabled: true, url: service.url, secret })
})

afterEach(() => service.close())

async function use(messages: object): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const { body } = await server.fhir('GET', path)
  const { status, text } = await server.fhir('PUT', path, { ...body, messages })
  expect([status, text]).toEqual([200, expect.anything()])
}

const TO = { type: 'email', endpoint: 'mailto:front.desk@example.org' } as const
const raise = () =>
  server.fhir('POST', '/Task', {
    ...{ resourceType: 'Task', status: 'requested', intent: 'order', description: 'about Zanzibar' },
    for: { reference: PATIENT },
  })
const sent = () => service.received.map(({ body }) => JSON.parse(body).data)

const off = async (id: string) => {
  const { body } = await server.fhir('GET', `/Subscription/${id}`)
  await server.fhir('PUT', `/Subscription/${id}`, { ...body, status: 'off' })
}

test('without a payload an e-mail says that there is news, and nothing else', async () => {
  const id = await subscribe(server, wanted('Task?status=requested', TO))
  await raise()
  const [message] = await eventually(() => (sent().length === 1 ? sent() : undefined))
  expect(message).toEqual({
    ...{ clinic: 'demo-clinic', channel: 'email', to: 'front.desk@example.org' },
    text: 'A subscription has 1 new event.',
  })
  expect(service.received[0]?.headers['webhook-id']).toBe(`${id}.1`)
  await off(id)
})

test('with the payload text it has the title of the topic and a link, and no clinical data', async () => {
  const id = await subscribe(server, toTopic({ ...TO, payload: 'text/plain', content: 'empty' }))
  const { body } = await raise()
  const [message] = await eventually(() => (sent().length === 1 ? sent() : undefined))
  expect(message).toMatchObject({
    text: 'Task raised: 1 new event.',
    link: expect.stringMatching(new RegExp(`/Subscription/${id}/\\$events\\?eventsSinceNumber=1$`)),
  })
  expect(service.received[0]?.body).not.toMatch(new RegExp(`Zanzibar|${PATIENT}|${body.id}`))
  await off(id)
})

test('events that wait are told by one e-mail', async () => {
  const id = await subscribe(server, wanted('Task?status=requested', TO))
  service.answer(503)
  await raise()
  await eventually(() => service.received.length === 1 || undefined)
  await raise()
  await raise()
  const { length } = await eventually(() => (service.received.length === 1 ? sent() : undefined))
  service.answer(204)
  const later = await eventually(() => {
    fast += 5_000
    return sent()
      .slice(length)
      .find(({ text }) => text.includes('3 new events'))
  })
  expect(later.text).toBe('A subscription has 3 new events.')
  await off(id)
})

test('while the messaging service is switched off, events wait', async () => {
  const id = await subscribe(server, wanted('Task?status=requested', TO))
  await use({ enabled: false, url: service.url })
  await raise()
  const waiting = await eventually(async () => {
    const { body } = await server.fhir('GET', '/clinics/demo-clinic/outbox?state=waiting')
    return body.messages.find(({ reason }: { reason?: string }) => reason?.includes('switched off'))
  }, 'a row that waits')
  expect(waiting.subscription.reference).toBe(`Subscription/${id}`)
  expect(service.received).toEqual([])
  await off(id)
})

test('the simulator takes an e-mail', async () => {
  await use({ enabled: true, url: 'simulator' })
  const id = await subscribe(server, wanted('Task?status=requested', TO))
  await raise()
  await eventually(async () => {
    const { body } = await server.fhir('GET', '/clinics/demo-clinic/outbox?state=waiting')
    const { parameter } = (await server.fhir('GET', `/Subscription/${id}/$status`)).body.entry[0].resource
    const since = parameter.find(({ name }: { name: string }) => name.startsWith('events-since')).valueString
    const isWaiting = body.messages.some(({ messageId }: { messageId: string }) => messageId.includes(id))
    return (since === '1' && !isWaiting) || undefined
  }, 'a delivered e-mail')
  expect((await inStatus(server, id, 'active')).error).toBeUndefined()
  await off(id)
})

describe('refused is', () => {
  test.each<[string, Subscription]>([
    ['an endpoint without mailto', wanted('Task', { type: 'email', endpoint: 'front@example.org' })],
    ['an address without a domain', wanted('Task', { type: 'email', endpoint: 'mailto:front' })],
    ['several addresses', wanted('Task', { type: 'email', endpoint: 'mailto:a@example.org,b@example.org' })],
    [
      'headers of mail in the address',
      wanted('Task', { type: 'email', endpoint: 'mailto:a@example.org?bcc=b@example.org' }),
    ],
    ['no address', wanted('Task', { type: 'email' })],
    ['a resource as the payload', wanted('Task', { ...TO, payload: 'application/fhir+json' })],
    ['full resources of a topic', toTopic({ ...TO, payload: 'text/plain', content: 'full-resource' })],
    ['a text message', wanted('Task', { type: 'sms', endpoint: 'tel:+12125550100' })],
    ['a FHIR message', wanted('Task', { type: 'message', endpoint: 'https://example.org/fhir' })],
    [
      'an address of 300 characters',
      wanted('Task', { type: 'email', endpoint: `mailto:${'a'.repeat(300)}@example.org` }),
    ],
  ])('%s', async (_what, subscription) => {
    const { status, body } = await server.fhir('POST', '/Subscription', subscription)
    expect([status, body.issue[0].diagnostics]).toEqual([422, expect.stringMatching(/\w{3}/)])
  })
})
