/** Task/$claim: who works on a Task of the staff's list. docs/operations/task-claim.md */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../../support/two-clinics.ts'

type Send = TwoClinics['ours']

let clinics: TwoClinics
let colleague: Send
let admin: Send
let operator: Send
beforeAll(async () => {
  clinics = await startTwoClinics()
  const { server } = clinics
  const as = async (username: string, role: 'staff' | 'admin' | 'operator') =>
    withToken(server, await logInAs(server, { username, clinic: DEMO_CLINIC, role })).fhir
  colleague = await as('colleague', 'staff')
  admin = await as('the-admin', 'admin')
  operator = await as('the-operator', 'operator')
})
afterAll(() => clinics.server.close())

const newTask = async (more: Partial<Task> = {}): Promise<string> => {
  const id = `task-${randomUUID()}`
  const task = { resourceType: 'Task', id, status: 'requested', intent: 'order', ...more }
  expect((await clinics.ours('PUT', `/Task/${id}`, task)).status).toBe(201)
  return id
}
const claim = (send: Send, id: string) => send('POST', `/Task/${id}/$claim`)
const release = (send: Send, id: string) =>
  send('POST', `/Task/${id}/$claim`, {
    resourceType: 'Parameters',
    parameter: [{ name: 'release', valueBoolean: true }],
  })
const owner = (user: string) => ({ identifier: { system: 'urn:sandbox-emr:user', value: user } })
const isTaken = (by: string) => ({
  status: 409,
  body: { issue: [{ diagnostics: expect.stringContaining(`taken by ${by}`), expression: ['Task.owner'] }] },
})

test('makes the user its owner, in progress from then on', async () => {
  const id = await newTask()
  const { status, body } = await claim(clinics.ours, id)
  expect([status, body]).toMatchObject([
    200,
    {
      status: 'in-progress',
      owner: { ...owner('ours'), display: 'ours' },
      executionPeriod: { start: expect.any(String) },
    },
  ])
  const query = `/Task?owner:identifier=${encodeURIComponent('urn:sandbox-emr:user|ours')}&_id=${id}&status=in-progress`
  expect((await clinics.ours('GET', query)).body.entry).toHaveLength(1)
})

test('by the owner once more changes nothing', async () => {
  const id = await newTask()
  const first = (await claim(clinics.ours, id)).body
  expect((await claim(clinics.ours, id)).body).toEqual(first)
})

test('of what a colleague has is 409, and names the colleague', async () => {
  const id = await newTask()
  await claim(colleague, id)
  expect(await claim(clinics.ours, id)).toMatchObject(isTaken('colleague'))
  expect((await clinics.ours('GET', `/Task/${id}`)).body.owner).toMatchObject(owner('colleague'))
})

test('of what was assigned to somebody is 409 for all others', async () => {
  const id = await newTask({ owner: { reference: 'Practitioner/practitioner-okafor', display: 'Dr. Okafor' } })
  expect(await claim(clinics.ours, id)).toMatchObject(isTaken('Dr. Okafor'))
})

test('by several at the same time is one’s, and the others are told so', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await newTask()
    const users = [clinics.ours, colleague, admin, clinics.ours, colleague, admin]
    const answers = await Promise.all(users.map((user) => claim(user, id)))
    const won = answers.filter(({ status }) => status === 200).map(({ body }) => body.owner.identifier.value)
    expect(new Set(won).size).toBe(1)
    const lost = answers.filter(({ status }) => status !== 200)
    expect(lost).toHaveLength(4)
    for (const answer of lost) expect(answer).toMatchObject(isTaken(won[0]))
    expect((await clinics.ours('GET', `/Task/${id}/_history`)).body.total).toBe(2)
  }
})

test.each(['completed', 'cancelled', 'rejected', 'failed', 'draft'] as const)(
  'of one that is %s is 409',
  async (status) => {
    const id = await newTask({ status })
    expect(await claim(clinics.ours, id)).toMatchObject({
      status: 409,
      body: { issue: [{ expression: ['Task.status'] }] },
    })
  },
)

describe('with release', () => {
  test('the owner gives it back, and a colleague can claim it', async () => {
    const id = await newTask()
    await claim(clinics.ours, id)
    const { body } = await release(clinics.ours, id)
    expect(body.status).toBe('requested')
    expect([body.owner, body.executionPeriod]).toEqual([undefined, undefined])
    expect((await claim(colleague, id)).status).toBe(200)
  })

  test('of what nobody has changes nothing', async () => {
    const id = await newTask()
    expect((await release(clinics.ours, id)).body.meta.versionId).toBe('1')
  })

  test('of what a colleague has is 409, except for an admin', async () => {
    const id = await newTask()
    await claim(colleague, id)
    expect(await release(clinics.ours, id)).toMatchObject(isTaken('colleague'))
    expect((await release(admin, id)).body.owner).toBeUndefined()
  })
})

describe('who may', () => {
  test('not an operator of the service', async () => {
    const id = await newTask()
    expect((await claim(operator, id)).status).toBe(403)
  })

  test('nobody of another clinic, for whom it does not exist', async () => {
    const id = await newTask()
    expect((await claim(clinics.theirs, id)).status).toBe(404)
    expect((await clinics.ours('GET', `/Task/${id}`)).body.meta.versionId).toBe('1')
  })

  test('it changes data, so it is POST', async () => {
    expect((await clinics.ours('GET', `/Task/${await newTask()}/$claim`)).status).toBe(405)
  })
})
