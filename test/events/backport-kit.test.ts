/**
 * The tests of Inferno's Subscriptions Test Kit for servers of the R5 backport on R4, under their titles: the same requests and
 * assertions. https://github.com/inferno-framework/subscriptions-test-kit
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, Subscription } from 'fhir/r4'
import { validate } from '../../src/fhir/validate/validate.ts'
import { PATIENT } from '../support/booking.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { eventually, inStatus } from './support.ts'
import { type Notified, notifiedIn, statusIn, TOPIC, toTopic } from './topic-support.ts'

const IG = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition'
const CONTENTS = ['empty', 'id-only', 'full-resource'] as const
/** Seconds. */
const HEARTBEAT = 600

let server: TestServer
let listener: Receiver
/** Milliseconds that the clock of the server is fast. */
let fast = 0

beforeAll(async () => {
  listener = await startReceiver()
  server = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'on' }, { clock: () => Date.now() + fast })
})
afterAll(async () => {
  await server.close()
  await listener.close()
})

type Asked = Parameters<typeof toTopic>[0]

/** A Subscription as the kit sends it: JSON, with a token of the listener. */
function asked(more: Asked = {}): Subscription {
  const { content = 'id-only' } = more
  const wanted = toTopic({ endpoint: listener.url, payload: 'application/json', heartbeat: HEARTBEAT, ...more })
  return { ...wanted, channel: { ...wanted.channel, header: [`Authorization: Bearer ${content}`] } }
}

const create = (subscription: Subscription): Promise<FhirResponse> => server.fhir('POST', '/Subscription', subscription)

/** The notifications of a type that have come with this token. */
const received = (token: string, type: string): readonly Notified[] =>
  listener.received
    .filter(({ headers }) => headers.authorization === `Bearer ${token}`)
    .map(({ body }) => notifiedIn(JSON.parse(body) as Bundle))
    .filter((one) => one.type === type)

const first = (token: string, type: string): Promise<Notified> => eventually(() => received(token, type)[0], type)

describe.each(CONTENTS)('a Subscription with content %s', (content) => {
  let created: FhirResponse
  let task: string

  beforeAll(async () => {
    created = await create(asked({ content }))
    await inStatus(server, created.body.id, 'active')
    const raised = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: PATIENT } }
    task = (await server.fhir('POST', '/Task', raised)).body.id
    await first(content, 'event-notification')
  })

  test('Verify Subscription Creation Response', () => {
    expect(created).toMatchObject({ status: 201, body: { resourceType: 'Subscription', status: 'requested' } })
  })

  test('Notification Presence Verification', () => {
    expect(received(content, 'event-notification')).toHaveLength(1)
  })

  test('Subscription Event Notification Verification', async () => {
    const [{ body = '' } = {}] = listener.received.filter(
      ({ headers }) => headers.authorization === `Bearer ${content}`,
    )
    expect(JSON.parse(body).entry[0].request.url).toMatch(new RegExp(`/Subscription/${created.body.id}/\\$status$`))
    expect((await first(content, 'event-notification')).status).toBe('active')
  })

  test('Subscription Handshake Verification', async () => {
    expect(await first(content, 'handshake')).toMatchObject({ status: 'requested', numbers: [], entries: [] })
  })

  test('Subscription Heartbeat Verification', async () => {
    expect(received(content, 'heartbeat')).toEqual([])
    await eventually(async () => {
      const { body } = await server.fhir('GET', `/clinics/demo-clinic/subscriptions?ids=${created.body.id}`)
      return body.subscriptions[0].undelivered === 0 || undefined
    }, 'the delivery of all events')
    fast += (HEARTBEAT + 1) * 1_000
    expect(await first(content, 'heartbeat')).toMatchObject({ status: 'active', numbers: [], entries: [] })
  })

  test('Server supports subscription $status operation', async () => {
    const { status, body } = await server.fhir('GET', `/Subscription/${created.body.id}/$status`)
    expect([status, body.resourceType, body.type]).toEqual([200, 'Bundle', 'searchset'])
    expect(validate(body)).toEqual([])
    const [{ resource }] = body.entry
    expect(resource.parameter[0].valueReference.reference.split('/').at(-1)).toBe(created.body.id)
    expect(statusIn(resource).status).toBe('active')
  })

  const titles = { empty: 'Empty', 'id-only': 'Id-Only', 'full-resource': 'Full-Resource' }
  test(`Subscription ${titles[content]} Notification Verification`, async () => {
    const { topic, numbers, focuses, context, entries } = await first(content, 'event-notification')
    expect(numbers).toEqual([1])
    if (content === 'empty') expect([topic, focuses, context, entries]).toEqual([undefined, [], [], []])
    else expect([topic, focuses, context]).toEqual([`${TOPIC}/task-raised`, [`Task/${task}`], [PATIENT]])
    const resources = content === 'full-resource' ? [`Task/${task}`, PATIENT] : []
    expect(entries.map(({ resource }) => `${resource?.resourceType}/${resource?.id}`)).toEqual(resources)
    for (const { resource } of entries) expect(validate(resource)).toEqual([])
  })
})

describe('the CapabilityStatement', () => {
  const declared = async () => {
    const { body } = await server.fhir('GET', '/metadata')
    return body.rest[0].resource.find(({ type }: { type: string }) => type === 'Subscription')
  }

  test('Capability Statement Conformance Verification', async () => {
    expect((await declared()).supportedProfile).toContain(`${IG}/backport-subscription`)
  })

  test('Attempt topic discovery', async () => {
    const url = `${IG}/capabilitystatement-subscriptiontopic-canonical`
    expect((await declared()).extension).toContainEqual({ url, valueCanonical: `${TOPIC}/task-raised` })
  })
})

describe('Server Handles Unsupported', () => {
  const inChannel = (channel: object, subscription = asked()) =>
    ({ ...subscription, channel: { ...subscription.channel, ...channel } }) as Subscription
  const withFilter = (url: string, valueString: string) => ({
    ...asked(),
    _criteria: { extension: [{ url, valueString }] },
  })

  test.each<[string, () => Subscription]>([
    [
      'Cross-Version Extensions',
      () =>
        withFilter(
          'http://hl7.org/fhir/5.0/subscriptions-backport/StructureDefinition/backport-filter-criteria',
          'Encounter?patient=Patient/123',
        ),
    ],
    ['Subscription Topics', () => asked({ topic: 'http://example.org/topics/patient-admission' })],
    ['Subscription Filters', () => withFilter(`${IG}/backport-filter-criteria`, 'Task?status=draft')],
    ['Subscription Channel Types', () => inChannel({ type: 'message' })],
    ['Subscription Channel Endpoints', () => inChannel({ endpoint: 'not an address' })],
    ['Subscription Payload Types', () => inChannel({ payload: 'application/pdf' })],
    ['Subscription Payload for Channel Type', () => inChannel({ type: 'email', endpoint: 'mailto:a@example.org' })],
  ])('%s', async (_what, subscription) => {
    const { status, body } = await create(subscription())
    expect([status, body.resourceType]).toEqual([422, 'OperationOutcome'])
  })
})
