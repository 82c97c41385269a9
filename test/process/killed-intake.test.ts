/**
 * kill -9 in the middle of submit_intake: each intake is stored whole (Patient, Encounter, Task or outbox row) or not
 * at all.
 */
import { expect, test } from '@jest/globals'
import type { Encounter, Patient, Task } from 'fhir/r4'
import { attachedTo, INTAKE } from '../calls/caller.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startReceiver } from '../support/receiver.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** Acknowledged intakes after which the server is killed, round by round. */
const ROUNDS = [10, 40]
const CLIENTS = 6

/** A name has no digits. */
const nameOf = (call: string): string =>
  `Z${call.replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit))).replaceAll('-', 'z')}`

const submit = (url: string, call: string) =>
  request(
    url,
    'POST',
    '/patient-intake/submit_intake',
    {
      message: {
        toolCalls: [{ id: call, function: { arguments: { ...INTAKE, firstName: 'Killed', lastName: nameOf(call) } } }],
      },
    },
    { 'x-voice-secret': 'demo-secret', 'x-call-id': call, 'content-type': 'application/json' },
  )

/** Until the server is gone. */
async function keepSubmitting(url: string, answered: Set<string>, asked: Set<string>, name: string): Promise<void> {
  for (let n = 0; ; n += 1) {
    const call = `intake-${name}-${n}`
    asked.add(call)
    await submit(url, call)
    answered.add(call)
  }
}

test('what was answered is there, and a repeat after the restart writes nothing twice', async () => {
  const crm = await startReceiver()
  crm.answer(503)
  try {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
    let server = await start(env)
    let authorization = `Bearer ${await login(server.url)}`
    const settings = '/clinics/demo-clinic/settings'
    const { body } = await request(server.url, 'GET', settings, undefined, { authorization })
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const withCrm = { ...body, crm: { enabled: true, url: crm.url, secret } }
    const saved = await request(server.url, 'PUT', settings, withCrm, {
      authorization,
      'content-type': 'application/json',
    })
    expect(saved.status).toBe(200)
    const answered = new Set<string>()
    const asked = new Set<string>()
    for (const [round, count] of ROUNDS.entries()) {
      const before = answered.size
      const names = Array.from({ length: CLIENTS }, (_, client) => `${round}-${client}`)
      const clients = names.map((name) => keepSubmitting(server.url, answered, asked, name).catch(() => 'gone'))
      await until(() => answered.size >= before + count)
      await stop(server, 'SIGKILL')
      await Promise.all(clients)
      server = await start(env)
      authorization = `Bearer ${await login(server.url)}`
    }
    const find = async <R>(path: string): Promise<readonly R[]> =>
      ((await request(server.url, 'GET', path, undefined, { authorization })).body.entry ?? []).map(
        ({ resource }: { resource: R }) => resource,
      )
    const namesOf = async () => {
      const patients = await find<Patient>('/Patient?given=Killed&_count=1000')
      return patients.map(({ name }) => name?.[0]?.family ?? '').sort()
    }
    const stored = await namesOf()
    expect(stored).toEqual(expect.arrayContaining([...answered].map(nameOf)))
    expect([...asked].map(nameOf)).toEqual(expect.arrayContaining([...stored]))
    const encounters = await find<Encounter>('/Encounter?class=VR&_count=1000')
    expect(encounters.map(({ identifier }) => nameOf(identifier?.[0]?.value ?? '')).sort()).toEqual(stored)
    // The row is with the Patient: where the process died before the CRM was asked, the next one asks it, and raises the Task.
    const raised = async () =>
      (await find<Task>('/Task?code=crm-sync-failed&_count=1000'))
        .map((task) => nameOf(String(attachedTo(task)['call-id']?.[0])))
        .sort()
    await until(async () => (await raised()).length === stored.length)
    expect(await raised()).toEqual(stored)
    for (const call of asked) await submit(server.url, call)
    expect(await namesOf()).toEqual([...asked].map(nameOf).sort())
  } finally {
    await crm.close()
  }
})
