/** Rights: an event reaches a receiver only where the owner of the Subscription may read it, in its own clinic, in the current data. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { createAccount, removeAccount, setDisabled } from '../../src/clinics/accounts.ts'
import { defineProvider, standard } from '../../src/core/provider.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, PASSWORD, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'
import { arrived, change, inStatus, patient, read, subscribe, wanted } from './support.ts'

let clinics: TwoClinics
let admin: TestServer
let receiver: Receiver

beforeAll(async () => {
  clinics = await startTwoClinics()
  const token = await logInAs(clinics.server, { username: 'boss', clinic: DEMO_CLINIC, role: 'admin' })
  admin = withToken(clinics.server, token)
})
afterAll(() => clinics.server.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const PAYLOAD = 'application/fhir+json'
const sent = () => receiver.received.map(({ body }) => JSON.parse(body))

test('a change in another clinic is never told', async () => {
  await subscribe(clinics.server, wanted('Patient?family=Wall', { endpoint: receiver.url, payload: PAYLOAD }))
  await clinics.theirs('POST', '/Patient', patient('Wall', { gender: 'male' }))
  await clinics.ours('POST', '/Patient', patient('Wall', { gender: 'female' }))
  await arrived(receiver, 1)
  await clinics.theirs('POST', '/Patient', patient('Wall', { gender: 'male' }))
  await clinics.ours('POST', '/Patient', patient('Wall', { gender: 'female' }))
  await arrived(receiver, 2)
  expect(sent().map(({ gender }) => gender)).toEqual(['female', 'female'])
})

test('a Subscription of another clinic is as one that nobody has', async () => {
  const id = await subscribe(clinics.server, wanted('Patient?family=Wall', { endpoint: receiver.url }))
  const answers = await Promise.all([
    clinics.theirs('GET', `/Subscription/${id}`),
    clinics.theirs('DELETE', `/Subscription/${id}`),
    clinics.theirs('GET', '/Subscription'),
  ])
  expect(answers.map(({ status }) => status)).toEqual([404, 204, 200])
  expect(answers[2]?.body.total).toBe(0)
  expect((await read(clinics.server, id)).status).toBe('active')
})

test('a patient whom nobody may see is not told of, and later changes are', async () => {
  const system = 'https://sandbox-emr.example/fhir/CodeSystem/rehearsal'
  await subscribe(clinics.server, wanted('Patient?family=Hidden', { endpoint: receiver.url, payload: PAYLOAD }))
  await clinics.ours('POST', '/Patient', patient('Hidden', { meta: { security: [{ system, code: 'restricted' }] } }))
  await clinics.ours('POST', '/Patient', patient('Hidden', { active: true }))
  await arrived(receiver, 1)
  expect(sent().map(({ active }) => active)).toEqual([true])
})

test.each<[string, (username: string) => Promise<unknown>]>([
  ['removed', (username) => removeAccount(clinics.server.app.repository, username)],
  ['disabled', (username) => setDisabled(clinics.server.app.repository, username, true)],
])('when the account of its owner is %s, nothing is sent, and the Subscription says why', async (how, end) => {
  const username = `owner-${how}`
  const owner = withToken(
    clinics.server,
    await logInAs(clinics.server, { username, clinic: DEMO_CLINIC, role: 'staff' }),
  )
  const id = await subscribe(owner, wanted(`Patient?family=${how}`, { endpoint: receiver.url }))
  await end(username)
  await clinics.ours('POST', '/Patient', patient(how))
  expect((await inStatus(clinics.server, id, 'error')).error).toMatch(/account of its owner/)
  expect(receiver.received).toEqual([])
  // Somebody else takes it over.
  await change(clinics.server, id, { status: 'requested' })
  await arrived(receiver, 1)
})

/** A type whose versions admins alone read. */
const flags = defineProvider('Flag', {
  interactions: {
    ...standard,
    vread: async (ctx, ...of) => {
      if (ctx.agent.kind === 'user' && ctx.agent.role !== 'staff') return await standard.vread(ctx, ...of)
      throw new FhirError(403, { code: 'forbidden', diagnostics: 'Admins alone read it' })
    },
  },
})

test('an owner whose role was lowered is not sent what the role may no longer read, and is sent what it may', async () => {
  const server = await startServer({}, { providers: [...specialProviders, flags] })
  try {
    const account = { username: 'falling', name: 'Falling', clinic: DEMO_CLINIC }
    const owner = withToken(server, await logInAs(server, { ...account, role: 'admin' }))
    const of = { endpoint: receiver.url, payload: PAYLOAD }
    await subscribe(owner, wanted('Flag', of))
    await subscribe(owner, wanted('Patient?family=Falling', of))
    const flag = (text: string) => ({
      resourceType: 'Flag',
      status: 'active',
      code: { text },
      subject: { display: 'x' },
    })
    await server.fhir('POST', '/Flag', flag('before'))
    await arrived(receiver, 1)
    await removeAccount(server.app.repository, account.username)
    await createAccount(server.app.repository, { ...account, role: 'staff' }, PASSWORD, CHEAP_PASSWORDS)
    await server.fhir('POST', '/Flag', flag('after'))
    await server.fhir('POST', '/Patient', patient('Falling'))
    await arrived(receiver, 2)
    await removeAccount(server.app.repository, account.username)
    await createAccount(server.app.repository, { ...account, role: 'admin' }, PASSWORD, CHEAP_PASSWORDS)
    await server.fhir('POST', '/Flag', flag('again'))
    await arrived(receiver, 3)
    expect(sent().map(({ resourceType, code }) => code?.text ?? resourceType)).toEqual(['before', 'Patient', 'again'])
  } finally {
    await server.close()
  }
})

const rehearse = async (path: string, body?: object, method = 'POST') => {
  const answer = await request(clinics.server.url, method, path, body, { authorization: `Bearer ${admin.token}` })
  expect([200, 201]).toContain(answer.status)
  return answer.body
}

test('in a clone of the clinic the Subscriptions are off and tell nobody, and those of the source go on', async () => {
  const id = await subscribe(admin, wanted('Patient?family=Clone', { endpoint: receiver.url, payload: PAYLOAD }))
  const clone = await rehearse('/clinics', { from: {}, ttl: 'PT30M' })
  const copy = withToken(clinics.server, clone.token)
  expect((await read(copy, id)).status).toBe('off')
  await copy.fhir('POST', '/Patient', patient('Clone', { gender: 'male' }))
  await admin.fhir('POST', '/Patient', patient('Clone', { gender: 'female' }))
  await arrived(receiver, 1)
  expect(sent().map(({ gender }) => gender)).toEqual(['female'])
  await change(copy, id, { status: 'requested' })
  await inStatus(copy, id, 'active')
  await copy.fhir('POST', '/Patient', patient('Clone', { gender: 'male' }))
  await arrived(receiver, 2)
  expect(sent().map(({ gender }) => gender)).toEqual(['female', 'male'])
})

test('a snapshot and a reset to it have the Subscriptions off; a reset to a scenario has none, and its changes are not told', async () => {
  const id = await subscribe(admin, wanted('Patient', { endpoint: receiver.url }))
  await rehearse(`/clinics/${DEMO_CLINIC}/snapshots/with-subscription`, undefined, 'PUT')
  await rehearse(`/clinics/${DEMO_CLINIC}/reset`, { snapshot: 'with-subscription' })
  expect((await read(admin, id)).status).toBe('off')
  await change(admin, id, { status: 'requested' })
  await inStatus(admin, id, 'active')
  const before = receiver.received.length
  await admin.fhir('POST', '/Patient', patient('Reset'))
  await arrived(receiver, before + 1)
  await rehearse(`/clinics/${DEMO_CLINIC}/reset`, { scenario: 'empty' })
  expect((await admin.fhir('GET', `/Subscription/${id}`)).status).toBe(404)
  await admin.fhir('POST', '/Patient', patient('Reset'))
  const again = await subscribe(admin, wanted('Patient?family=After', { endpoint: receiver.url }))
  await admin.fhir('POST', '/Patient', patient('After'))
  await arrived(receiver, before + 2)
  expect(receiver.received.slice(before + 1).map(({ headers }) => headers['webhook-id'])).toEqual([`${again}.1`])
})

test('a reset to a snapshot that was made while events waited, or were given up, leaves none of them behind', async () => {
  const id = await subscribe(admin, wanted('Patient?family=Given', { endpoint: receiver.url }))
  for (let n = 0; n < 2; n += 1) await admin.fhir('POST', '/Patient', patient('Given'))
  await arrived(receiver, 2)
  receiver.answer(400)
  await admin.fhir('POST', '/Patient', patient('Given'))
  await inStatus(admin, id, 'error')
  await rehearse(`/clinics/${DEMO_CLINIC}/snapshots/given-up`, undefined, 'PUT')
  await rehearse(`/clinics/${DEMO_CLINIC}/reset`, { snapshot: 'given-up' })
  receiver.answer(204)
  for (const state of ['dead', 'waiting']) {
    const { messages } = await rehearse(`/clinics/${DEMO_CLINIC}/outbox?state=${state}`, undefined, 'GET')
    expect(messages).toEqual([])
  }
  await change(admin, id, { status: 'requested' })
  await inStatus(admin, id, 'active')
  await admin.fhir('POST', '/Patient', patient('Given'))
  await arrived(receiver, 4)
  expect(receiver.received.at(-1)?.headers['webhook-id']).toBe(`${id}.1`)
})
