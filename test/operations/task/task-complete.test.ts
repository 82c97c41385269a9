/** Task/$complete: the outcome of a Task of the staff's list. docs/operations/task-complete.md */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CodeableConcept, Task } from 'fhir/r4'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../../support/two-clinics.ts'

type Send = TwoClinics['ours']

let clinics: TwoClinics
let colleague: Send
let operator: Send
beforeAll(async () => {
  clinics = await startTwoClinics()
  const { server } = clinics
  const as = async (username: string, role: 'staff' | 'operator') =>
    withToken(server, await logInAs(server, { username, clinic: DEMO_CLINIC, role })).fhir
  colleague = await as('colleague', 'staff')
  operator = await as('the-operator', 'operator')
})
afterAll(() => clinics.server.close())

const newTask = async (more: Partial<Task> = {}): Promise<string> => {
  const id = `task-${randomUUID()}`
  const task = { resourceType: 'Task', id, status: 'requested', intent: 'order', ...more }
  expect((await clinics.ours('PUT', `/Task/${id}`, task)).status).toBe(201)
  return id
}
const DONE: CodeableConcept = { text: 'called back' }
const complete = (send: Send, id: string, outcome: CodeableConcept = DONE, note?: string) =>
  send('POST', `/Task/${id}/$complete`, {
    resourceType: 'Parameters',
    parameter: [
      { name: 'outcome', valueCodeableConcept: outcome },
      ...(note === undefined ? [] : [{ name: 'note', valueString: note }]),
    ],
  })
const US = { identifier: { system: 'urn:sandbox-emr:user', value: 'ours' } }
const isClosed = { status: 409, body: { issue: [{ expression: ['Task.status'] }] } }

describe('completes the Task', () => {
  test('with outcome, note, end and owner', async () => {
    const id = await newTask({ note: [{ text: 'earlier' }] })
    const { status, body } = await complete(clinics.ours, id, DONE, 'will come on Friday')
    expect([status, body]).toMatchObject([
      200,
      {
        status: 'completed',
        owner: US,
        executionPeriod: { end: expect.any(String) },
        output: [{ type: { coding: [{ code: 'outcome' }] }, valueCodeableConcept: DONE }],
        note: [{ text: 'earlier' }, { text: 'will come on Friday', authorReference: US, time: expect.any(String) }],
      },
    ])
  })

  test('with a code', async () => {
    const outcome = {
      coding: [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/task-outcome', code: 'no-answer' }],
    }
    expect((await complete(clinics.ours, await newTask(), outcome)).body.output).toMatchObject([
      { valueCodeableConcept: outcome },
    ])
  })

  test('that the user has claimed, from its start to its end', async () => {
    const id = await newTask()
    const { executionPeriod } = (await clinics.ours('POST', `/Task/${id}/$claim`)).body
    const { body } = await complete(clinics.ours, id)
    expect(body.executionPeriod).toEqual({ ...executionPeriod, end: expect.any(String) })
  })
})

test('the same outcome once more changes nothing, and another one is 409', async () => {
  const id = await newTask()
  const first = (await complete(clinics.ours, id)).body
  expect((await complete(clinics.ours, id, DONE, 'again')).body).toEqual(first)
  expect(await complete(clinics.ours, id, { text: 'not reached' })).toMatchObject(isClosed)
})

test('of several outcomes at the same time one is stored', async () => {
  const id = await newTask()
  const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => complete(clinics.ours, id, { text })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await clinics.ours('GET', `/Task/${id}`)).body.output).toHaveLength(1)
})

test('of what a colleague has claimed is 409', async () => {
  const id = await newTask()
  await colleague('POST', `/Task/${id}/$claim`)
  expect(await complete(clinics.ours, id)).toMatchObject({
    status: 409,
    body: { issue: [{ expression: ['Task.owner'] }] },
  })
})

test.each(['cancelled', 'rejected', 'failed', 'completed', 'draft'] as const)(
  'of one that is %s is 409',
  async (status) => {
    expect(await complete(clinics.ours, await newTask({ status }))).toMatchObject(isClosed)
  },
)

describe('what was wrong is named', () => {
  test.each([
    ['no outcome', []],
    ['an outcome that says nothing', [{ name: 'outcome', valueCodeableConcept: { coding: [{ display: 'x' }] } }]],
    [
      'a note of more than 10,000 characters',
      [
        { name: 'outcome', valueCodeableConcept: DONE },
        { name: 'note', valueString: 'x'.repeat(10_001) },
      ],
    ],
  ])('%s', async (what, parameter) => {
    const id = await newTask()
    const { status, text } = await clinics.ours('POST', `/Task/${id}/$complete`, {
      resourceType: 'Parameters',
      parameter,
    })
    expect([status, text]).toEqual([400, expect.stringContaining(what.includes('note') ? 'note' : 'outcome')])
    expect((await clinics.ours('GET', `/Task/${id}`)).body.status).toBe('requested')
  })
})

describe('who may', () => {
  test('not an operator of the service', async () => {
    expect((await complete(operator, await newTask())).status).toBe(403)
  })

  test('nobody of another clinic, for whom it does not exist', async () => {
    const id = await newTask()
    expect((await complete(clinics.theirs, id)).status).toBe(404)
    expect((await clinics.ours('GET', `/Task/${id}`)).body.status).toBe('requested')
  })
})
