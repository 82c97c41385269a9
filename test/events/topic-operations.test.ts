/** $status, $events and $get-ws-binding-token of Subscription. docs/operations/ */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { PATIENT } from '../support/booking.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'
import { eventually, subscribe, wanted } from './support.ts'
import { notifiedIn, statusIn, TOPIC, toTopic } from './topic-support.ts'

let clinics: TwoClinics
let receiver: Receiver
/** A Subscription to a topic with three events, in full, and the Tasks that they are about. */
let id: string
const tasks: string[] = []

const task = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: PATIENT } }

beforeAll(async () => {
  clinics = await startTwoClinics({ ALLOW_PRIVATE_ADDRESSES: 'on' })
  receiver = await startReceiver()
  id = await subscribe(clinics.server, toTopic({ endpoint: receiver.url, content: 'full-resource' }))
  for (let count = 0; count < 3; count += 1) tasks.push((await clinics.ours('POST', '/Task', task)).body.id)
  await eventually(async () => (await sinceOf(id)) === 3 || undefined, 'three events')
})
afterAll(async () => {
  await clinics.server.close()
  await receiver.close()
})

const sinceOf = async (of: string) =>
  statusIn((await clinics.ours('GET', `/Subscription/${of}/$status`)).body.entry[0].resource).since

const events = async (query = '') => {
  const { status, body } = await clinics.ours('GET', `/Subscription/${id}/$events${query}`)
  expect([status, body]).toEqual([200, expect.anything()])
  return notifiedIn(body)
}

describe('$status', () => {
  test('of one has its status, its topic and the number of its newest event', async () => {
    const { body } = await clinics.ours('GET', `/Subscription/${id}/$status`)
    expect([body.resourceType, body.type, body.total]).toEqual(['Bundle', 'searchset', 1])
    expect(statusIn(body.entry[0].resource)).toMatchObject({
      ...{ status: 'active', type: 'query-status', topic: `${TOPIC}/task-raised`, since: 3 },
    })
  })

  test('of several by id and status, by GET and by POST', async () => {
    const other = (await clinics.ours('POST', '/Subscription', { ...wanted('Task', {}), status: 'off' })).body.id
    const both = `id=${id}&id=${other}`
    const found = async (query: string) =>
      (await clinics.ours('GET', `/Subscription/$status?${query}`)).body.entry.map(
        ({ resource }: { resource: never }) => statusIn(resource).status,
      )
    expect(await found(both)).toEqual(['active', 'off'])
    expect(await found(`${both}&status=off`)).toEqual(['off'])
    expect(await found('status=active&status=error')).toEqual(['active'])
    const parameter = [{ name: 'id', valueId: other }]
    const posted = await clinics.ours('POST', '/Subscription/$status', { resourceType: 'Parameters', parameter })
    expect(posted.body.total).toBe(1)
  })
})

describe('$events', () => {
  test('has all events that are kept, as a notification would tell them', async () => {
    const found = await events()
    expect(found).toMatchObject({ type: 'query-event', status: 'active', numbers: [1, 2, 3] })
    expect(found.focuses).toEqual(tasks.map((one) => `Task/${one}`))
    expect(found.entries.length).toBe(4)
  })

  test('has those of a range, both ends included', async () => {
    expect((await events('?eventsSinceNumber=2')).numbers).toEqual([2, 3])
    expect((await events('?eventsUntilNumber=2')).numbers).toEqual([1, 2])
    expect((await events('?eventsSinceNumber=2&eventsUntilNumber=2')).numbers).toEqual([2])
    expect((await events('?eventsSinceNumber=4')).numbers).toEqual([])
  })

  test('has less content where that is asked for, and never more than the Subscription has', async () => {
    expect(await events('?content=id-only')).toMatchObject({ entries: [], context: [PATIENT, PATIENT, PATIENT] })
    expect(await events('?content=empty')).toMatchObject({ numbers: [1, 2, 3], focuses: [], entries: [] })
    const slim = await subscribe(clinics.server, toTopic({ endpoint: receiver.url, content: 'empty' }))
    await clinics.ours('POST', '/Task', task)
    await eventually(async () => (await sinceOf(slim)) === 1 || undefined)
    const { body } = await clinics.ours('GET', `/Subscription/${slim}/$events?content=full-resource`)
    expect(notifiedIn(body)).toMatchObject({ numbers: [1], focuses: [], entries: [] })
  })

  test('is as well of a Subscription with criteria', async () => {
    const r4 = await subscribe(clinics.server, wanted('Task?status=requested', { endpoint: receiver.url }))
    await clinics.ours('POST', '/Task', task)
    await eventually(async () => (await sinceOf(r4)) === 1 || undefined)
    const { body } = await clinics.ours('GET', `/Subscription/${r4}/$events`)
    expect(notifiedIn(body)).toMatchObject({ type: 'query-event', numbers: [1], focuses: [] })
  })

  test('tells of the version that was the event, also when there is a later one, or none any more', async () => {
    await clinics.ours('PUT', `/Task/${tasks[1]}`, { ...task, id: tasks[1], status: 'completed' })
    await clinics.ours('DELETE', `/Task/${tasks[2]}`)
    const { entries } = await events('?eventsSinceNumber=2&eventsUntilNumber=3')
    expect(entries.slice(0, 2).map(({ resource }) => resource)).toMatchObject([
      { id: tasks[1], status: 'requested' },
      { id: tasks[2], status: 'requested' },
    ])
  })
})

describe('another clinic', () => {
  test.each(['$status', '$events', '$get-ws-binding-token'])('has no %s of this one', async (operation) => {
    expect((await clinics.theirs('GET', `/Subscription/${id}/${operation}`)).status).toBe(404)
  })

  test('has no status of this one in its list', async () => {
    const { body } = await clinics.theirs('GET', `/Subscription/$status?id=${id}`)
    expect(body.resourceType).toBe('OperationOutcome')
    expect((await clinics.theirs('GET', '/Subscription/$status')).body.total).toBe(0)
  })
})

test('no token is no answer', async () => {
  for (const path of [`${id}/$status`, `${id}/$events`, '$get-ws-binding-token']) {
    const { status } = await clinics.ours('GET', `/Subscription/${path}`, undefined, { authorization: '' })
    expect(status).toBe(401)
  }
})

describe('unexpected input is refused with a sentence:', () => {
  const long = 'x'.repeat(200)
  const rtl = encodeURIComponent('\u202eabc')
  test.each<[string, number]>([
    ['$status?status=paused', 400],
    ['$status?status=', 400],
    ['$status?id=no-such', 404],
    [`$status?id=${long}`, 400],
    ['$status?id=a%20b', 400],
    [`$status?id=${rtl}`, 400],
    ['$status?colour=red', 400],
    ['no-such/$status', 404],
    ['no-such/$events', 404],
    ['$status/extra', 404],
    ['ID/$events?eventsSinceNumber=-1', 400],
    ['ID/$events?eventsSinceNumber=1.5', 400],
    ['ID/$events?eventsSinceNumber=one', 400],
    ['ID/$events?eventsSinceNumber=9999999999999999999', 400],
    ['ID/$events?eventsSinceNumber=1&eventsSinceNumber=2', 400],
    ['ID/$events?eventsSinceNumber=3&eventsUntilNumber=1', 400],
    ['ID/$events?eventsUntilNumber=%3Cb%3E', 400],
    ['ID/$events?content=all', 400],
    ['ID/$events?content=FULL-RESOURCE', 400],
    [`ID/$events?content=${rtl}`, 400],
    ['ID/$get-ws-binding-token', 422],
    ['$get-ws-binding-token', 422],
    ['$get-ws-binding-token?id=ID', 422],
    ['$get-ws-binding-token?id=no-such', 404],
    ['$get-ws-binding-token?id=no-such&id=ID', 404],
    [`$get-ws-binding-token?id=${long}`, 400],
    ['$get-ws-binding-token?id=a%2Fb', 400],
    ['$get-ws-binding-token?token=mine', 400],
    ['no-such/$get-ws-binding-token', 404],
    ['$get-ws-binding-token/x', 404],
    ['$events', 404],
  ])('%s is %d', async (path, expected) => {
    const { status, body } = await clinics.ours('GET', `/Subscription/${path.replaceAll('ID', id)}`)
    expect([status, body.issue?.[0]?.diagnostics]).toEqual([expected, expect.stringMatching(/\w{3}/)])
  })
})
