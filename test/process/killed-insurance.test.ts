/** kill -9 while insurance is verified: each inquiry is recorded whole or not at all, and a late result once. */
import { expect, test } from '@jest/globals'
import type { CoverageEligibilityResponse, FhirResource, Task } from 'fhir/r4'
import { attachedTo } from '../calls/caller.ts'
import { startSystem, TOKEN } from '../integrations/insurance/system.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const JSON_HEADERS = { 'content-type': 'application/json' }
const SETTINGS = '/clinics/demo-clinic/settings'
const STATUS = 'https://sandbox-emr.example/fhir/StructureDefinition/insurance-status'
const CALLS = ['call-a', 'call-b', 'call-c']

async function useSystem(url: string, system: string): Promise<void> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${await login(url)}` }
  const { body } = await request(url, 'GET', SETTINGS, undefined, headers)
  const insurance = { enabled: true, url: system, token: TOKEN, deadlineMs: 100 }
  expect((await request(url, 'PUT', SETTINGS, { ...body, insurance }, headers)).status).toBe(200)
}

/** @returns the text of its result */
async function submit(url: string, call: string): Promise<string> {
  const card = { payerName: 'Acme Health', memberId: `${call}-1234` }
  const headers = { ...JSON_HEADERS, 'x-voice-secret': 'demo-secret', 'x-call-id': call }
  const body = { message: { toolCalls: [{ id: '1', function: { arguments: card } }] } }
  return (await request(url, 'POST', '/patient-journey/submit_insurance_info', body, headers)).body.results[0].result
}

const tokens = new Map<string, string>()

async function find<R extends FhirResource>(url: string, path: string): Promise<readonly R[]> {
  const token = tokens.get(url) ?? (await login(url))
  tokens.set(url, token)
  const authorization = `Bearer ${token}`
  const { body } = await request(url, 'GET', `${path}&_count=1000`, undefined, { authorization })
  return (body.entry ?? []).map(({ resource }: { resource: R }) => resource)
}

const statusesOf = async (url: string) =>
  (await find<CoverageEligibilityResponse>(url, '/CoverageEligibilityResponse?status=active'))
    .map(({ extension }) => extension?.find((one) => one.url === STATUS)?.valueCode)
    .sort()

test('servers that are killed while the system is asked, before and after the caller has PENDING, record each answer once', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  const system = await startSystem('silent')
  try {
    let server = await start(env)
    await useSystem(server.url, system.url)

    // Killed before the result is recorded: the retry uses the same key.
    const gone = submit(server.url, CALLS[0] ?? '').catch(() => 'gone')
    await until(() => system.asked.length === 1)
    await stop(server, 'SIGKILL')
    const before = await gone
    server = await start(env)
    const results = new Map<string, string>()
    for (const call of CALLS) results.set(call, await submit(server.url, call))
    const asked = system.asked.length
    expect([...results.values()].map((result) => JSON.parse(result).status)).toEqual(CALLS.map(() => 'PENDING'))
    if (before !== 'gone') expect(results.get(CALLS[0] ?? '')).toBe(before)
    expect(system.keys()).toHaveLength(CALLS.length)
    expect(await statusesOf(server.url)).toEqual(CALLS.map(() => 'PENDING'))

    // Killed while the background asks the system: the inquiry is retried when its lease ends.
    await until(() => system.asked.length > asked)
    await stop(server, 'SIGKILL')
    system.answer({ body: { status: 'VERIFIED', copayCents: 2500 } })
    const both = await Promise.all([start(env), start(env)])
    const url = both[0].url
    await until(async () => (await statusesOf(url)).every((status) => status === 'VERIFIED'))
    expect(await statusesOf(url)).toEqual(CALLS.map(() => 'VERIFIED'))
    expect(system.keys()).toHaveLength(CALLS.length)
    const tasks = await find<Task>(url, '/Task?code=insurance-follow-up')
    expect(tasks.map((task) => attachedTo(task)['call-id']).sort()).toEqual(CALLS.map((call) => [call]))
    for (const task of tasks) {
      expect(task).toMatchObject({ status: 'requested', meta: { versionId: '2' } })
      expect(task.description).toContain('VERIFIED. Please tell the patient')
    }
    for (const call of CALLS) expect(await submit(url, call)).toBe(results.get(call))
    expect(await statusesOf(url)).toHaveLength(CALLS.length)
    await Promise.all(both.map((one) => stop(one, 'SIGTERM')))
  } finally {
    await system.close()
  }
})
