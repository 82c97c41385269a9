/** Metrics of real processes: what Prometheus reads, and that no text of a client or about a patient is in it. */
import { expect, test } from '@jest/globals'
import { freePort } from '../../src/main/listen.ts'
import { eventually } from '../events/support.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop } from '../support/server-process.ts'

endProcessesAfterEach()

async function startMeasured(env: Record<string, string> = {}) {
  const port = await freePort({ host: '127.0.0.1', port: 0 })
  const server = await start({ METRICS_PORT: String(port), DATABASE_URL: await newLastingDatabaseUrl(), ...env })
  const token = await login(server.url)
  const fhir = (method: string, path: string, body?: unknown) =>
    request(server.url, method, path, body, { authorization: `Bearer ${token}` })
  const read = async () => (await request(`http://127.0.0.1:${port}`, 'GET', '/metrics')).text
  return { ...server, port, fhir, read }
}

/** The value of a sample; undefined where there is none. */
function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  const line = text.split('\n').find((one) => one.startsWith(name) && all.every((label) => one.includes(label)))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

const tool = (url: string, name: string, args: object, id = 'one') =>
  request(
    url,
    'POST',
    `/patient-intake/${name}`,
    { message: { toolCalls: [{ id, function: { arguments: args } }] } },
    { 'x-voice-secret': 'demo-secret', 'x-call-id': 'MARKED-call' },
  )

test('the metrics count exchanges by interaction and status, tool calls by their result, and show the parts', async () => {
  const { fhir, read, url } = await startMeasured()
  for (let reads = 0; reads < 3; reads += 1) expect((await fhir('GET', '/Patient/abernathy-ruth')).status).toBe(200)
  expect((await fhir('GET', '/Patient/MARKED-nobody')).status).toBe(404)
  await tool(url, 'validate_intake_field', { fieldName: 'email', value: 'john dot doe at example dot com' })
  await tool(url, 'validate_intake_field', { fieldName: 'email', value: 'MARKED' }, 'two')
  const text = await read()
  const requests = 'emr_request_duration_seconds_count'
  expect(sampleOf(text, requests, { interaction: 'read', status: '200' })).toBe(3)
  expect(sampleOf(text, requests, { interaction: 'read', status: '404' })).toBe(1)
  expect(sampleOf(text, requests, { interaction: 'login', status: '200' })).toBe(1)
  const calls = 'emr_tool_calls_total'
  expect(sampleOf(text, calls, { tool: 'validate_intake_field', outcome: 'ok' })).toBe(1)
  const outcomes = text.split('\n').filter((line) => line.startsWith(calls))
  expect(outcomes).toHaveLength(2)
  expect(sampleOf(text, 'emr_tool_duration_seconds_count', { tool: 'validate_intake_field' })).toBe(2)
  // The event loop is behind on a busy machine.
  for (const part of ['event loop', 'work threads', 'audit trail', 'journal'])
    expect(sampleOf(text, 'emr_part_state', { part })).toBeLessThanOrEqual(part === 'event loop' ? 1 : 0)
  expect(sampleOf(text, 'emr_outbox_due')).toBeGreaterThanOrEqual(0)
  for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(sampleOf(text, name)).toBeGreaterThan(0)
})

test('Subscriptions are counted by status, without a name of a clinic or an endpoint', async () => {
  const { fhir, read } = await startMeasured()
  const channel = { type: 'rest-hook', endpoint: 'http://127.0.0.1:9/MARKED' }
  const asked = { resourceType: 'Subscription', status: 'requested', reason: 'a test', criteria: 'Patient', channel }
  const { body } = await fhir('POST', '/Subscription', asked)
  const text = await eventually(async () => {
    const found = await read()
    return sampleOf(found, 'emr_subscriptions', { status: 'active' }) === 1 ? found : undefined
  })
  expect(sampleOf(text, 'emr_subscriptions', { status: 'error' })).toBe(0)
  expect(sampleOf(text, 'emr_events_waiting')).toBe(0)
  expect(text).not.toMatch(/MARKED|demo-clinic/)
  await fhir('PUT', `/Subscription/${body.id}`, { ...asked, id: body.id, status: 'off' })
  expect(sampleOf(await read(), 'emr_subscriptions', { status: 'active' })).toBe(0)
})

test('no text of a client is in them: neither in a path, a query, a body, a header, nor the name of a tool', async () => {
  const { fhir, read, url } = await startMeasured()
  await fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'MARKED' }], birthDate: '1970-01-01' })
  await fhir('GET', '/Patient?family=MARKED')
  await fhir('GET', '/MARKED/x')
  await fhir('MARKED', '/Patient')
  await fhir('POST', '/Patient/$MARKED', {})
  await tool(url, 'MARKED', {})
  const named = { message: { toolCalls: [{ id: 'x', function: { name: 'MARKED', arguments: {} } }] } }
  await request(url, 'POST', '/patient-intake', named, { 'x-voice-secret': 'demo-secret' })
  await fhir('GET', '/clinics/MARKED/settings')
  const text = await read()
  expect(text).toContain('interaction="create"')
  expect(text).not.toMatch(/MARKED|abernathy|demo-clinic/i)
})

test('they are served at their own port, and nowhere without one', async () => {
  const { url, port } = await startMeasured()
  expect((await request(url, 'GET', '/metrics')).status).not.toBe(200)
  expect((await request(`http://127.0.0.1:${port}`, 'GET', '/Patient')).status).toBe(404)
  const type = (await request(`http://127.0.0.1:${port}`, 'GET', '/metrics')).headers.get('content-type')
  expect(type).toMatch(/^text\/plain; version=0\.0\.4/)
})

test('several processes are summed up, and the server ends when it is told to', async () => {
  const { fhir, read, ...server } = await startMeasured({ WORKERS: '2' })
  for (let reads = 0; reads < 20; reads += 1) await fhir('GET', '/Patient/abernathy-ruth')
  const text = await read()
  expect(sampleOf(text, 'emr_request_duration_seconds_count', { interaction: 'read', status: '200' })).toBe(20)
  expect(sampleOf(text, 'emr_part_state', { part: 'event loop' })).toBeLessThanOrEqual(1)
  expect(await stop(server, 'SIGTERM')).toBe(0)
})
