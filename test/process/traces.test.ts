/** Traces of real processes: what a collector of OpenTelemetry, the systems of clinics and the journal have of them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { startVendor, type VendorRequest } from '../integrations/crm/vendor.ts'
import { startSystem, TOKEN } from '../integrations/insurance/system.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { newFolder } from '../support/run.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'
import { rsaKey, startIssuer } from '../support/token-issuer.ts'

endProcessesAfterEach()

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const TRACEPARENT = { traceparent: `00-${TRACE}-${SPAN}-01` }
const VOICE = { 'content-type': 'application/json', 'x-voice-secret': 'demo-secret' }

async function collector(): Promise<Collector> {
  const started = await startCollector()
  closing.push(started.close)
  return started
}

async function startTraced(env: Record<string, string>) {
  const server = await start({ DATABASE_URL: await newLastingDatabaseUrl(), OTEL_BSP_SCHEDULE_DELAY: '20', ...env })
  const authorization = `Bearer ${await login(server.url)}`
  const fhir = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(server.url, method, path, body, { authorization, ...headers })
  const exchanges = async (trace: string) =>
    (await fhir('GET', `/clinics/demo-clinic/exchanges?trace=${trace}`)).body.exchanges
  return { ...server, fhir, exchanges }
}

const exporting = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url })

async function crm(answers?: (sent: VendorRequest) => { status: number }) {
  const vendor = await startVendor(answers ?? (() => ({ status: 204 })))
  closing.push(vendor.close)
  return vendor
}

/** Changes settings of the demo clinic. */
async function use({ fhir }: Awaited<ReturnType<typeof startTraced>>, settings: object): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const { body } = await fhir('GET', path)
  const json = { 'content-type': 'application/json' }
  expect((await fhir('PUT', path, { ...body, ...settings }, json)).status).toBe(200)
}

const useCrm = (server: Awaited<ReturnType<typeof startTraced>>, url: string): Promise<void> =>
  use(server, { crm: { enabled: true, url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` } })

const INTAKE = {
  firstName: 'Marked',
  lastName: 'Markedly',
  dateOfBirth: '1980-03-03',
  phone: '212 555 0124',
  email: 'marked@example.com',
  address: '12 Marked Street, Springfield',
  reasonForVisit: 'a marked cough',
}

const submit = (url: string, headers: Record<string, string> = {}, call = 'MARKED-call') =>
  request(
    url,
    'POST',
    '/patient-intake/submit_intake',
    { message: { toolCalls: [{ id: '1', function: { arguments: INTAKE } }] } },
    { ...VOICE, 'x-call-id': call, ...headers },
  )

/** The spans of a trace, when the collector has that many. */
async function spansOf({ spans }: Collector, trace: string, count: number): Promise<readonly CollectedSpan[]> {
  const found = () => spans().filter(({ traceId }) => traceId === trace)
  await until(() => found().length >= count)
  return found()
}

const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find((span) => span.name === name)
  if (found === undefined) throw new Error(`There is no ${name} among ${spans.map((span) => span.name)}`)
  return found
}

test('a tool call is part of the trace of its client, and so are its commits and what it sends; the journal finds them all', async () => {
  const collected = await collector()
  const server = await startTraced({ ...exporting(collected.url), OTEL_SERVICE_NAME: 'the-sandbox' })
  const vendor = await crm()
  await useCrm(server, vendor.url)
  const response = await submit(server.url, TRACEPARENT)
  const spans = await spansOf(collected, TRACE, 4)
  const [received, tool] = [named(spans, 'POST /patient-intake/{toolName}'), named(spans, 'execute_tool submit_intake')]
  const sent = named(spans, 'POST crm')
  const parentsOfCommits = spans.filter(({ name }) => name === 'commit').map(({ parentSpanId }) => parentSpanId)
  expect([received.parentSpanId, received.kind]).toEqual([SPAN, 2])
  expect(received.attributes).toMatchObject({
    ...{ 'service.name': 'the-sandbox', 'http.request.method': 'POST', 'http.response.status_code': 200 },
    ...{ 'http.route': '/patient-intake/{toolName}', 'emr.exchange': response.headers.get('x-request-id') },
  })
  expect(response.headers.get('traceresponse')).toBe(`00-${TRACE}-${received.spanId}-01`)
  expect([tool.parentSpanId, sent.kind]).toEqual([received.spanId, 3])
  expect(sent.parentSpanId).toBe(tool.spanId)
  // The call is registered before the tool is called.
  expect(new Set(parentsOfCommits)).toEqual(new Set([received.spanId, tool.spanId]))
  expect(vendor.requests.map(({ headers }) => headers.traceparent)).toEqual([`00-${TRACE}-${sent.spanId}-01`])
  const exchanges = await server.exchanges(TRACE)
  expect(exchanges.map(({ direction, trace }: Record<string, string>) => [direction, trace]).sort()).toEqual([
    ['in', TRACE],
    ['out', TRACE],
  ])
})

test('a delivery of the background belongs to the trace of the commit that caused it', async () => {
  const collected = await collector()
  const server = await startTraced(exporting(collected.url))
  let status = 400
  const vendor = await crm(() => ({ status }))
  await useCrm(server, vendor.url)
  await submit(server.url, TRACEPARENT)
  const tried = named(await spansOf(collected, TRACE, 4), 'POST crm')
  expect([tried.isError, tried.attributes['error.type']]).toEqual([true, '400'])
  status = 204
  const { body } = await server.fhir('GET', '/clinics/demo-clinic/outbox')
  const [{ messageId }] = body.messages
  await server.fhir('POST', `/clinics/demo-clinic/outbox/${messageId}/$resend`)
  await until(() => vendor.requests.length === 2)
  expect(vendor.requests[1]?.headers.traceparent).toMatch(
    new RegExp(`^00-${TRACE}-(?!${tried.spanId})[0-9a-f]{16}-01$`),
  )
})

test('an insurance that is asked again belongs to the trace of the call that has submitted it', async () => {
  const server = await startTraced({})
  const system = await startSystem({ body: { status: 'PENDING' }, headers: { 'retry-after': '0' } })
  closing.push(system.close)
  await use(server, { insurance: { enabled: true, url: system.url, token: TOKEN, deadlineMs: 1_000 } })
  const card = { payerName: 'Acme Health', memberId: '1234567' }
  const body = { message: { toolCalls: [{ id: '1', function: { arguments: card } }] } }
  const headers = { ...VOICE, 'x-call-id': 'insured', ...TRACEPARENT }
  await request(server.url, 'POST', '/patient-journey/submit_insurance_info', body, headers)
  await until(() => system.asked.length > 1)
  expect(system.asked.slice(0, 2).map(({ headers }) => headers.traceparent)).toEqual(
    Array(2).fill(TRACEPARENT.traceparent),
  )
})

test('a header that is malformed begins a new trace, which has the id of the exchange', async () => {
  const collected = await collector()
  const server = await startTraced(exporting(collected.url))
  const response = await server.fhir('GET', '/Patient/abernathy-ruth', undefined, { traceparent: `00-${TRACE}-MARKED` })
  const trace = String(response.headers.get('x-request-id')).replaceAll('-', '')
  const [span] = await spansOf(collected, trace, 1)
  expect([span?.name, span?.parentSpanId]).toEqual(['GET /Patient/{id}', undefined])
  expect(await server.exchanges(trace)).toMatchObject([{ trace, address: '/Patient/abernathy-ruth' }])
  expect(collected.spans().some(({ traceId }) => traceId === TRACE)).toBe(false)
})

test('a request in a work thread is one trace, with the commits there, its tool calls and what they send', async () => {
  const collected = await collector()
  const server = await startTraced({ ...exporting(collected.url), WORKERS: '2', LOG_LEVEL: 'debug' })
  const patient = { resourceType: 'Patient', name: [{ family: 'Marked' }] }
  const entry = Array.from({ length: 200 }, () => ({ resource: patient, request: { method: 'POST', url: 'Patient' } }))
  const bundle = { resourceType: 'Bundle', type: 'transaction', entry }
  expect((await server.fhir('POST', '/', bundle, TRACEPARENT)).status).toBe(200)
  const spans = await spansOf(collected, TRACE, 2)
  expect(server.output()).toContain('a request goes to a work thread')
  expect(named(spans, 'commit').parentSpanId).toBe(named(spans, 'POST /').spanId)
  const vendor = await crm()
  await useCrm(server, vendor.url)
  const field = { name: 'validate_intake_field', arguments: { fieldName: 'email', value: 'john at example dot com' } }
  const calls = [field, field, field, field, { name: 'submit_intake', arguments: INTAKE }]
  const toolCalls = calls.map((call, index) => ({ id: String(index), function: call }))
  const other = TRACE.replaceAll('4', '5')
  const headers = { ...VOICE, 'x-call-id': 'many', traceparent: `00-${other}-${SPAN}-01` }
  await request(server.url, 'POST', '/tools', { message: { toolCalls } }, headers)
  const ofCalls = await spansOf(collected, other, 8)
  const [received, tool] = [named(ofCalls, 'POST /tools'), named(ofCalls, 'execute_tool submit_intake')]
  expect([received.parentSpanId, tool.parentSpanId]).toEqual([SPAN, received.spanId])
  expect(named(ofCalls, 'POST crm').parentSpanId).toBe(tool.spanId)
  expect(server.output().split('a request goes to a work thread').length - 1).toBe(2)
  expect(ofCalls.filter(({ name }) => name === 'execute_tool validate_intake_field')).toHaveLength(4)
})

test('the parts of an import that work threads carry out are in its trace', async () => {
  const collected = await collector()
  const server = await startTraced({ ...exporting(collected.url), WORKERS: '2' })
  const lines = Array.from({ length: 3 }, (_, n) =>
    JSON.stringify({ resourceType: 'Basic', id: `b${n}`, code: { text: 'x' } }),
  )
  const headers = { 'content-type': 'application/fhir+ndjson', ...TRACEPARENT }
  const path = '/clinics/demo-clinic/import'
  const authorization = `Bearer ${await login(server.url, 'admin')}`
  const sent = await fetch(`${server.url}${path}`, {
    ...{ method: 'POST', headers: { authorization, ...headers }, body: lines.join('\n') },
  })
  expect(await sent.text()).toContain('"imported":3')
  const spans = await spansOf(collected, TRACE, 2)
  expect(named(spans, 'commit').parentSpanId).toBe(named(spans, 'POST /clinics/{clinic}/import').spanId)
})

test('the keys of an issuer are fetched within the trace of the request that needs them', async () => {
  const issuer = await startIssuer(rsaKey('first'))
  closing.push(async () => void (await issuer.close()))
  const [JWT_ISSUER, JWT_AUDIENCE] = ['https://login.example', 'https://emr.example']
  const given = { JWKS_URL: issuer.jwksUrl, JWT_ISSUER, JWT_AUDIENCE }
  const { url } = await start({ DATABASE_URL: await newLastingDatabaseUrl(), ...given })
  const exp = Math.floor(Date.now() / 1_000) + 600
  const user = { sub: 'u-1', name: 'Ada', clinic: 'demo-clinic', role: 'admin' }
  const token = issuer.sign({ iss: JWT_ISSUER, aud: JWT_AUDIENCE, exp, ...user })
  const path = '/Patient/abernathy-ruth'
  const read = await request(url, 'GET', path, undefined, { authorization: `Bearer ${token}`, ...TRACEPARENT })
  expect([read.status, issuer.traces]).toEqual([200, [TRACEPARENT.traceparent]])
})

test('no text of a client or about a patient is in spans, log lines or what they carry', async () => {
  const collected = await collector()
  const server = await startTraced(exporting(collected.url))
  const vendor = await crm(() => ({ status: 500 }))
  await useCrm(server, vendor.url)
  await submit(server.url, { 'x-run-id': 'MARKED', tracestate: 'marked=MARKED', baggage: 'marked=MARKED' })
  await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'MARKED' }] })
  await server.fhir('GET', '/Patient?family=MARKED')
  await server.fhir('GET', '/Patient/MARKED')
  await server.fhir('GET', '/MARKED/x')
  await server.fhir('DELETE', '/MARKED/x')
  await server.fhir('POST', '/Patient/$MARKED', {})
  await server.fhir('GET', '/clinics/MARKED/settings')
  await request(server.url, 'POST', '/patient-intake/MARKED', { message: { toolCalls: [{ id: 'MARKED' }] } }, VOICE)
  const last = await server.fhir('GET', '/Patient/abernathy-ruth')
  await spansOf(collected, String(last.headers.get('x-request-id')).replaceAll('-', ''), 1)
  expect(await stop(server, 'SIGTERM')).toBe(0)
  expect(collected.spans().length).toBeGreaterThan(10)
  expect(collected.lines().length).toBeGreaterThan(0)
  expect(collected.texts().match(/marked|abernathy|demo-clinic|555.?0124|1980-03-03|cough/gi)).toBeNull()
  expect(JSON.stringify(vendor.requests.map(({ headers }) => headers))).not.toMatch(/marked/i)
})

test('log lines have the ids of their span, on standard output and at the collector', async () => {
  const collected = await collector()
  const server = await startTraced(exporting(collected.url))
  await request(server.url, 'POST', '/patient-intake/validate_intake_field', {}, { ...VOICE, ...TRACEPARENT })
  const ofTrace = () => collected.lines().filter(({ traceId }) => traceId === TRACE)
  await until(() => ofTrace().length > 0)
  expect(server.output()).toContain(`"trace_id":"${TRACE}"`)
})

test('while the collector is away or silent requests are served, that is logged once, and the server stops in time', async () => {
  const collected = await collector()
  collected.fallSilent()
  for (const url of ['http://127.0.0.1:9', collected.url]) {
    const server = await startTraced({ ...exporting(url), OTEL_EXPORTER_OTLP_TIMEOUT: '300' })
    for (let reads = 0; reads < 50; reads += 1)
      expect((await server.fhir('GET', '/Patient/abernathy-ruth')).status).toBe(200)
    const told = () => server.output().split('"what":"traces"').length - 1
    await until(() => told() > 0)
    for (let reads = 0; reads < 50; reads += 1) await server.fhir('GET', '/Patient/abernathy-ruth')
    expect(told()).toBe(1)
    expect(await stop(server, 'SIGTERM')).toBe(0)
  }
})

test('without the switch nothing of OpenTelemetry is loaded, and the trace of a client is passed on as it came', async () => {
  const loaded = newFolder()
  const server = await startTraced({ OTEL_SERVICE_NAME: 'the-sandbox', NODE_V8_COVERAGE: loaded })
  const vendor = await crm()
  await useCrm(server, vendor.url)
  const response = await submit(server.url, TRACEPARENT)
  expect(response.headers.get('traceresponse')).toBeNull()
  expect(vendor.requests.map(({ headers }) => headers.traceparent)).toEqual([TRACEPARENT.traceparent])
  expect(await server.exchanges(TRACE)).toHaveLength(2)
  await stop(server, 'SIGTERM')
  const scripts = globSync('*.json', { cwd: loaded }).map((file) => readFileSync(join(loaded, file), 'utf8'))
  expect(scripts.join()).toContain('/src/main/app.ts')
  expect(scripts.join().match(/@opentelemetry|main\/telemetry\.ts/)).toBeNull()
})

test('health checks are not recorded', async () => {
  const collected = await collector()
  const server = await startTraced(exporting(collected.url))
  for (const path of ['/health/live', '/health/ready']) await request(server.url, 'GET', path, undefined, TRACEPARENT)
  await stop(server, 'SIGTERM')
  expect(collected.spans().map(({ name }) => name)).toContain('POST /session')
  expect(collected.spans().filter(({ traceId }) => traceId === TRACE)).toEqual([])
})
