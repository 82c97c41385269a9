/** Subscriptions to topics by rest-hook: handshake, notifications, heartbeat, errors. docs/subscriptions.md */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Subscription } from 'fhir/r4'
import { PATIENT } from '../support/booking.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { eventually, inStatus, subscribe } from './support.ts'
import { type Notified, notifiedIn, TOPIC, toTopic } from './topic-support.ts'

const BACKPORT = 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition'

let server: TestServer
let receiver: Receiver
/** Milliseconds that the clock of the server is fast. */
let fast = 0

beforeAll(async () => {
  server = await startServer({ ALLOW_PRIVATE_ADDRESSES: 'on' }, { clock: () => Date.now() + fast })
})
afterAll(() => server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const task = (more: object = {}) => ({
  resourceType: 'Task',
  status: 'requested',
  intent: 'order',
  for: { reference: PATIENT },
  ...more,
})

const raise = async (more: object = {}): Promise<string> => (await server.fhir('POST', '/Task', task(more))).body.id

const notifications = (): readonly Notified[] => receiver.received.map(({ body }) => notifiedIn(JSON.parse(body)))

/** The notifications of a type, once there are so many. */
const arrived = (count: number, type = 'event-notification'): Promise<readonly Notified[]> =>
  eventually(() => {
    const found = notifications().filter((one) => one.type === type)
    return found.length >= count ? found : undefined
  }, `${count} ${type}`)

test('a handshake that the receiver accepts makes it active', async () => {
  const id = await subscribe(server, toTopic({ endpoint: receiver.url }))
  const [handshake, ...more] = notifications()
  expect(more).toEqual([])
  expect(handshake).toMatchObject({
    ...{ type: 'handshake', status: 'requested', topic: `${TOPIC}/task-raised`, since: 0 },
    ...{ numbers: [], entries: [] },
  })
  expect(receiver.received[0]?.headers['content-type']).toBe('application/fhir+json')
  expect(receiver.received[0]?.headers['webhook-id']).toMatch(`${id}.handshake`)
})

describe('an event', () => {
  test('with content empty has its number and nothing of the resource', async () => {
    await subscribe(server, toTopic({ endpoint: receiver.url, content: 'empty' }))
    await raise()
    const [event] = await arrived(1)
    expect(event).toMatchObject({ status: 'active', since: 1, numbers: [1], focuses: [], context: [], entries: [] })
    expect(receiver.received.at(-1)?.body).not.toContain('Task/')
  })

  test('with id-only has its focus and what the topic includes, without content', async () => {
    await subscribe(server, toTopic({ endpoint: receiver.url }))
    const id = await raise()
    const [event] = await arrived(1)
    expect(event).toMatchObject({ numbers: [1], focuses: [`Task/${id}`], context: [PATIENT], entries: [] })
  })

  test('with full-resource has the version that is the event, and what it refers to', async () => {
    await subscribe(server, toTopic({ endpoint: receiver.url, content: 'full-resource' }))
    const id = await raise({ description: 'call back' })
    const [event] = await arrived(1)
    const [focus, context, ...more] = event?.entries ?? []
    expect(more).toEqual([])
    expect(focus).toMatchObject({
      resource: { resourceType: 'Task', id, description: 'call back', meta: { versionId: '1' } },
      request: { method: 'POST', url: 'Task' },
      response: { status: '201' },
    })
    expect(focus?.fullUrl).toMatch(new RegExp(`/Task/${id}$`))
    expect(context).toMatchObject({ resource: { resourceType: 'Patient' }, request: { method: 'GET', url: PATIENT } })
  })

  test('is numbered in order without gaps; what is no event of the topic is not sent', async () => {
    await subscribe(server, toTopic({ endpoint: receiver.url, maxCount: 1 }))
    const ids: string[] = []
    for (let count = 0; count < 4; count += 1) {
      ids.push(await raise())
      await server.fhir('PUT', `/Task/${ids.at(-1)}`, { ...task({ note: [{ text: 'seen' }] }), id: ids.at(-1) })
    }
    const found = await arrived(4)
    expect(found.flatMap(({ numbers }) => numbers)).toEqual([1, 2, 3, 4])
    expect(found.flatMap(({ focuses }) => focuses)).toEqual(ids.map((id) => `Task/${id}`))
    expect(found.map(({ since }) => since)).toEqual([1, 2, 3, 4])
  })

  test('that meets no filter is none; several filters must all be met', async () => {
    const filters = [`Task?patient=${PATIENT}`, 'priority=urgent']
    await subscribe(server, toTopic({ endpoint: receiver.url, filters }))
    await raise()
    await raise({ priority: 'urgent', for: { reference: 'Patient/somebody-else' } })
    const id = await raise({ priority: 'urgent' })
    expect((await arrived(1)).map(({ focuses, numbers }) => [focuses, numbers])).toEqual([[[`Task/${id}`], [1]]])
  })

  test('is sent as XML where the payload is', async () => {
    await subscribe(server, toTopic({ endpoint: receiver.url, payload: 'application/fhir+xml' }))
    await raise()
    const last = await eventually(() => receiver.received[1])
    expect(last.headers['content-type']).toBe('application/fhir+xml')
    expect(last.body).toMatch(/<Bundle xmlns="http:\/\/hl7\.org\/fhir">/)
    expect(last.body).toContain('<valueCode value="event-notification"/>')
  })
})

test('events that wait are sent together, up to max-count', async () => {
  const id = await subscribe(server, toTopic({ endpoint: receiver.url, maxCount: 3 }))
  receiver.answer(503)
  await raise()
  await eventually(() => receiver.received.length === 2 || undefined)
  for (let count = 0; count < 4; count += 1) await raise()
  await eventually(async () => {
    const { body } = await server.fhir('GET', `/Subscription/${id}/$status`)
    return statusSince(body) === 5 || undefined
  }, 'five events')
  const refused = receiver.received.length
  receiver.answer(204)
  const found = await eventually(() => {
    fast += 5_000
    const sent = notifications().slice(refused)
    return sent.flatMap(({ numbers }) => numbers).length === 5 ? sent : undefined
  })
  expect(found.map(({ numbers }) => numbers)).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
})

const statusSince = (bundle: { entry: { resource: { parameter: { name: string; valueString?: string }[] } }[] }) =>
  Number(
    bundle.entry[0]?.resource.parameter.find(({ name }) => name === 'events-since-subscription-start')?.valueString,
  )

test('a heartbeat is sent when nothing else was for its period, and an event puts it off', async () => {
  await subscribe(server, toTopic({ endpoint: receiver.url, heartbeat: 600 }))
  fast += 601_000
  const [beat] = await arrived(1, 'heartbeat')
  expect(beat).toMatchObject({ status: 'active', since: 0, numbers: [], entries: [] })
  await raise()
  await arrived(1)
  fast += 300_000
  await raise()
  await arrived(2)
  expect(notifications().filter(({ type }) => type === 'heartbeat').length).toBe(1)
  fast += 601_000
  expect((await arrived(2, 'heartbeat')).at(-1)?.since).toBe(2)
})

test('the receiver has as long as the timeout says', async () => {
  const id = await subscribe(server, toTopic({ endpoint: receiver.url, timeout: 1 }))
  receiver.answer('silent')
  await raise()
  const row = await eventually(async () => {
    const { body } = await server.fhir('GET', '/clinics/demo-clinic/outbox?state=waiting')
    return body.messages.find(
      ({ messageId, reason }: { messageId: string; reason?: string }) => messageId.includes(id) && reason,
    )
  }, 'a failed attempt')
  expect(row.reason).toBe('the receiver did not respond within 1000 ms')
})

describe('a handshake that is refused', () => {
  test('for good is an error that says why, until it is requested again', async () => {
    receiver.answer(404)
    const { body } = await server.fhir('POST', '/Subscription', toTopic({ endpoint: receiver.url }))
    const failed = await inStatus(server, body.id, 'error')
    expect(failed.error).toMatch(/responded with 404/)
    receiver.answer(200)
    await server.fhir('PUT', `/Subscription/${body.id}`, { ...failed, status: 'requested' })
    await inStatus(server, body.id, 'active')
  })

  test('for now is an error, and tried again', async () => {
    receiver.answer(503)
    const { body } = await server.fhir('POST', '/Subscription', toTopic({ endpoint: receiver.url }))
    expect((await inStatus(server, body.id, 'error')).error).toMatch(/503.*tried again/)
    receiver.answer(200)
    fast += 60_000
    const active = await inStatus(server, body.id, 'active')
    expect(active.error).toBeUndefined()
  })
})

test('events whose resources do not fit into one notification come in several, and $events gives as many as fit', async () => {
  const id = await subscribe(server, toTopic({ endpoint: receiver.url, content: 'full-resource' }))
  const note = Array.from({ length: 5 }, () => ({ text: 'a'.repeat(1_000_000) }))
  const entry = [1, 2].map(() => ({ request: { method: 'POST', url: 'Task' }, resource: task({ note }) }))
  const { status } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect(status).toBe(200)
  expect((await arrived(2)).map(({ numbers }) => numbers)).toEqual([[1], [2]])
  for (const number of [1, 2]) {
    const { body } = await server.fhir('GET', `/Subscription/${id}/$events?eventsSinceNumber=${number}`)
    expect(notifiedIn(body).numbers).toEqual([number])
  }
})

/** Codes that no other number has. */
const codes = (number: number): string => Array.from({ length: 60 }, (_, n) => `a${number}-${n}`).join()

describe('refused with a sentence is', () => {
  const from = (subscription: Subscription) => structuredClone(subscription)
  const base = () => from(toTopic({ endpoint: 'http://127.0.0.1:1/hook' }))
  test.each<[string, () => unknown, RegExp]>([
    [
      'an unknown topic',
      () => toTopic({ endpoint: 'http://x.org', topic: 'task-rised' }),
      /did you mean .*task-raised/,
    ],
    ['another version of a topic', () => ({ ...base(), criteria: `${TOPIC}/task-raised|9` }), /no topic/],
    ['no payload', () => ({ ...base(), channel: { type: 'rest-hook', endpoint: 'http://x.org' } }), /has a payload/],
    ['an unknown content', () => toTopic({ endpoint: 'http://x.org', content: 'some' }), /one of empty, id-only/],
    ['no content', () => ({ ...base(), channel: { ...base().channel, _payload: undefined } }), /payload-content/],
    ['a payload of text', () => toTopic({ endpoint: 'http://x.org', payload: 'text/plain' }), /is none of application/],
    ['a heartbeat each second', () => toTopic({ endpoint: 'http://x.org', heartbeat: 1 }), /from 10 to/],
    ['a max-count of 101', () => toTopic({ endpoint: 'http://x.org', maxCount: 101 }), /from 1 to 100/],
    ['a timeout of 0', () => toTopic({ endpoint: 'http://x.org', timeout: 0 }), /backport-timeout/],
    [
      'a filter by another parameter',
      () => toTopic({ endpoint: 'http://x.org', filters: ['Task?status=draft'] }),
      /must have one of code/,
    ],
    [
      'a filter of another type',
      () => toTopic({ endpoint: 'http://x.org', filters: ['Slot?start=2030'] }),
      /is about Slot/,
    ],
    [
      'filters with many values together',
      () => toTopic({ endpoint: 'http://x.org', filters: [1, 2].map((n) => `Task?code=${codes(n)}`) }),
      /120 conditions and values/,
    ],
    ['an empty filter', () => toTopic({ endpoint: 'http://x.org', filters: ['?'] }), /must have one of/],
    [
      'a chained filter',
      () => toTopic({ endpoint: 'http://x.org', filters: ['Task?patient.name=Ruth'] }),
      /must have one of/,
    ],
    [
      'a custom channel',
      () => ({
        ...base(),
        channel: {
          ...base().channel,
          _type: {
            extension: [
              {
                url: 'http://hl7.org/fhir/uv/subscriptions-backport/StructureDefinition/backport-channel-type',
                valueCoding: { code: 'zulip' },
              },
            ],
          },
        },
      }),
      /zulip/,
    ],
    [
      'a filter by an extension of another version',
      () => ({
        ...base(),
        _criteria: {
          extension: [
            {
              url: 'http://hl7.org/fhir/5.0/StructureDefinition/extension-Subscription.filterBy',
              valueString: 'Task?x',
            },
          ],
        },
      }),
      /extension-Subscription\.filterBy is not carried out.*backport-filter-criteria/,
    ],
    [
      'a second topic',
      () => ({
        ...base(),
        extension: [{ url: `${BACKPORT}/backport-additional-criteria`, valueString: `${TOPIC}/slot-freed` }],
      }),
      /backport-additional-criteria is not carried out/,
    ],
    [
      'criteria of R4 with the content of a notification',
      () => ({ ...base(), criteria: 'Task?status=requested' }),
      /backport-payload-content is not carried out/,
    ],
    ['an endpoint that is a file', () => toTopic({ endpoint: 'file:///etc/passwd' }), /http or https/],
  ])('%s', async (_what, subscription, sentence) => {
    const { status, body } = await server.fhir('POST', '/Subscription', subscription())
    expect([status, body.issue?.[0]?.diagnostics]).toEqual([422, expect.stringMatching(sentence)])
  })
})

test('a Subscription whose criteria and payload have extensions in place of values is refused, and no fault', async () => {
  const absent = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
  }
  const { criteria: _criteria, ...rest } = toTopic({ endpoint: receiver.url })
  const { status } = await server.fhir('POST', '/Subscription', { ...rest, _criteria: absent })
  expect([400, 422]).toContain(status)
})
