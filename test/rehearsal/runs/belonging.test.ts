/** Which requests belong to an open run of their clinic, and that the faults of a run meet those alone. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { untilKnown } from '../../../src/admin-api/known-everywhere.ts'
import { readConfig } from '../../../src/config.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { readClaims, signToken } from '../../../src/http/token.ts'
import { faultsOfPlan, type OpenRun, stageClosedRun, stageOpenRun } from '../../../src/rehearsal/runs/open-runs.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { attempt } from '../../support/faults.ts'
import { exchangeOf, exchanges, exchangeWith, type Shown, setJournal } from '../../support/journal.ts'
import { callMcpTool, fhirMcp } from '../../support/mcp.ts'
import { startReceiver } from '../../support/receiver.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics, withToken } from '../../support/two-clinics.ts'

const JWT_SECRET = 's'.repeat(40)
const HOUR = 3_600_000

let clinics: TwoClinics
let server: TestServer
let admin: TestServer
beforeAll(async () => {
  clinics = await startTwoClinics({ JWT_SECRET })
  server = clinics.server
  admin = withToken(server, tokenOf({ role: 'admin' }))
})
afterAll(() => server.close())

/** A token as a run gives it, unless `run` is left out. */
function tokenOf({
  role = 'staff',
  clinic = DEMO_CLINIC,
  ...more
}: {
  role?: 'staff' | 'admin'
  clinic?: string
  run?: string
}): string {
  return signToken(readConfig({ JWT_SECRET }).jwt, { username: role, name: role, clinic, role }, more).token
}

type Provoked = Parameters<typeof faultsOfPlan>[0]['steps'][number]['do']

interface Started extends Pick<OpenRun, 'id'> {
  readonly until?: number
  readonly provoked?: Readonly<Record<string, NonNullable<Provoked>>>
}

const openedIn: (readonly [TestServer, string, string])[] = []

/** Opens a run, whose calls begin with its id and a dot. @returns its id */
async function open({ id, until: end = Date.now() + HOUR, provoked = {} }: Started, clinic = DEMO_CLINIC, on = server) {
  const steps = Object.entries(provoked).map(([step, one]) => ({ id: step, title: '', source: '', do: one }))
  const run = { id, callPrefix: `${id}.`, until: end, faults: faultsOfPlan({ steps }) }
  await on.app.repository.change(clinic, (unit) => stageOpenRun(unit, run))
  openedIn.push([on, clinic, id])
  return id
}

const close = (id: string, clinic = DEMO_CLINIC, on = server) =>
  on.app.repository.change(clinic, (unit) => stageClosedRun(unit, id))

afterEach(async () => {
  for (const [on, clinic, id] of openedIn.splice(0)) await close(id, clinic, on)
})

type Headers = Record<string, string>

const read = (headers: Headers = {}, of = server): Promise<FhirResponse> =>
  of.fhir('GET', '/Patient?_count=1', undefined, headers)

/** The run of the exchange of a response. */
const runOf = async (answer: FhirResponse): Promise<string | undefined> => (await exchangeOf(admin, answer)).run

const withClaim = (run: string): Headers => ({ authorization: `Bearer ${tokenOf({ run })}` })

describe('a FHIR request, while two runs are open', () => {
  const openTwo = async () => {
    await open({ id: 'one' })
    await open({ id: 'two' })
  }

  test.each<[string, Headers, string | undefined]>([
    ['by the claim of its token', withClaim('two'), 'two'],
    ['by X-Sandbox-Run', { 'x-sandbox-run': 'two' }, 'two'],
    ['by X-Run-Id', { 'x-run-id': 'two' }, 'two'],
    ['by the prefix of its call', { 'x-call-id': 'two.17' }, 'two'],
    ['by X-Sandbox-Run before X-Run-Id', { 'x-sandbox-run': 'two', 'x-run-id': 'one' }, 'two'],
    ['by its token before its header', { ...withClaim('two'), 'x-sandbox-run': 'one' }, 'two'],
    ['by its header before its call', { 'x-run-id': 'two', 'x-call-id': 'one.17' }, 'two'],
    ['to none, where it names none', {}, undefined],
    ['to none, where its headers have any other text, which stays', { 'x-run-id': 'tour' }, 'tour'],
  ])('belongs %s', async (_, headers, run) => {
    await openTwo()
    expect(await runOf(await read(headers))).toBe(run)
  })

  test('belongs to the run of its token, and the journal keeps the other that it has named', async () => {
    await openTwo()
    const { run, request: sent } = await exchangeOf(admin, await read({ ...withClaim('one'), 'x-run-id': 'two' }))
    expect([run, sent.headers['x-run-id']]).toEqual(['one', 'two'])
  })

  test('is found by the run in the journal, side by side with those of the other', async () => {
    const [one, two] = [await open({ id: randomUUID() }), await open({ id: randomUUID() })]
    const asked = [one, two, two, one, one]
    for (const run of asked) await exchangeOf(admin, await read(withClaim(run)))
    const found = async (run: string) => (await exchanges(admin, `?run=${run}`)).length
    expect([await found(one), await found(two)]).toEqual([3, 2])
  })
})

describe('the only open run of a clinic', () => {
  test.each<[string, () => Promise<FhirResponse>, string | undefined]>([
    ['has FHIR requests that name none', () => read(), 'only'],
    ['has those whose call is of no run', () => read({ 'x-call-id': 'some' }), 'only'],
    ['has refused ones', () => server.fhir('GET', '/Patient?nonsense=1'), 'only'],
    ['has not those that name another text', () => read({ 'x-run-id': 'tour' }), 'tour'],
    ['has not those whose name of a run is too long', () => read({ 'x-sandbox-run': 'x'.repeat(129) }), undefined],
    ['has not what the dashboard reads', () => read({ 'x-run-id': 'dashboard' }), 'dashboard'],
    ['has not those whose token is of another run', () => read(withClaim('other')), undefined],
    ['has no administrative request', () => admin.fhir('GET', `/clinics/${DEMO_CLINIC}/settings`), undefined],
    ['has no request of the outbox', () => admin.fhir('GET', `/clinics/${DEMO_CLINIC}/outbox`), undefined],
    ['has no change of a rule', () => admin.fhir('DELETE', `/clinics/${DEMO_CLINIC}/faults`), undefined],
  ])('%s', async (_, send, run) => {
    await open({ id: 'only' })
    expect(await runOf(await send())).toBe(run)
  })

  test('has no login', async () => {
    const id = await open({ id: randomUUID() })
    const sent = { username: 'ours', password: 'wrong' }
    const answer = await request(server.url, 'POST', '/session', sent, { 'content-type': 'application/json' })
    expect(answer.status).toBe(401)
    expect(await exchanges(admin, `?run=${id}`)).toEqual([])
  })

  test('has no replay, which is not what the client does', async () => {
    await open({ id: 'only' })
    const { id } = await exchangeOf(admin, await read())
    const { body } = await server.fhir('POST', `/clinics/${DEMO_CLINIC}/exchanges/${id}/$replay`)
    const replayed = await exchangeWith(admin, body.exchange)
    expect([replayed.replayOf, replayed.run]).toEqual([id, undefined])
  })
})

describe('a run that is over', () => {
  test('has no requests from its end on', async () => {
    const id = await open({ id: randomUUID() })
    await close(id)
    expect(await runOf(await read())).toBe(undefined)
    expect(await runOf(await read(withClaim(id)))).toBe(undefined)
  })

  test('has none when its time is over, and does not keep another from being the only one', async () => {
    const id = await open({ id: randomUUID(), until: Date.now() + HOUR })
    const last = await open({ id: 'last' })
    expect(await runOf(await read())).toBe(undefined)
    await close(id)
    await open({ id, until: Date.now() - 1 })
    expect(await runOf(await read())).toBe(last)
    expect(await runOf(await read(withClaim(id)))).toBe(undefined)
  })
})

describe('a run of another clinic', () => {
  const GONE = { throttled: { fault: 'throttled', on: [1, 2, 3, 4] } }

  test('takes no request and provokes nothing, whatever the request names', async () => {
    await open({ id: 'theirs', provoked: GONE }, OTHER_CLINIC)
    for (const headers of [{}, withClaim('theirs'), { 'x-call-id': 'theirs.1' }]) {
      const answer = await read(headers)
      expect([answer.status, await runOf(answer)]).toEqual([200, undefined])
    }
    const named = await read({ 'x-sandbox-run': 'theirs' })
    expect([named.status, await runOf(named)]).toEqual([200, 'theirs'])
    expect((await clinics.theirs('GET', '/Patient?_count=1')).status).toBe(429)
  })

  test('is not counted when the clinic is asked for its only one', async () => {
    await open({ id: 'theirs' }, OTHER_CLINIC)
    await open({ id: 'ours' })
    expect(await runOf(await read())).toBe('ours')
  })
})

test('a token of a foreign issuer may have the claim, which is ignored where it is no text', () => {
  const claims = { sub: 'a', name: 'A', clinic: 'c', role: 'staff', exp: 4_000_000_000 }
  const jwt = { ...readConfig({ JWT_SECRET }).jwt, jwksUrl: 'https://issuer.example/jwks.json' }
  expect(readClaims({ ...claims, run: 'one' }, jwt).user.run).toBe('one')
  expect(readClaims({ ...claims, run: 7 }, jwt).user).toEqual({ sub: 'a', name: 'A', clinic: 'c', role: 'staff' })
})

describe('the faults of a run', () => {
  const READ = { interaction: 'read', type: 'Organization' }
  const organization = (headers: Headers = {}) =>
    attempt(server, 'GET', `/Organization/${DEMO_CLINIC}`, undefined, headers)
  const statuses = async (...named: readonly Headers[]) => {
    const found: number[] = []
    for (const headers of named) found.push((await organization(headers)).status)
    return found
  }

  test('meet the matching requests of the run by their numbers, and no others', async () => {
    await open({ id: 'one', provoked: { busy: { fault: 'throttled', when: READ, on: [2, 3] } } })
    await open({ id: 'two' })
    const [one, two] = [withClaim('one'), withClaim('two')]
    expect(await statuses(one, two, {}, two, one, {}, one, one)).toEqual([200, 200, 200, 200, 429, 200, 429, 200])
  })

  test('are counted by each run for itself', async () => {
    const provoked = { busy: { fault: 'throttled', when: READ } }
    await open({ id: 'one', provoked })
    await open({ id: 'two', provoked })
    const [one, two] = [withClaim('one'), withClaim('two')]
    expect(await statuses(one, two, one, two)).toEqual([429, 429, 200, 200])
  })

  test('are named in the answer and in the journal, as those of rules are', async () => {
    const id = await open({ id: randomUUID(), provoked: { busy: { fault: 'throttled', when: READ } } })
    const met = await organization()
    expect([met.status, met.label]).toEqual([429, 'throttled#1'])
    await until(async () => (await exchanges(admin, `?run=${id}`)).length === 1)
    expect(await exchanges(admin, `?run=${id}&fault=throttled`)).toMatchObject([{ fault: 'throttled#1', status: 429 }])
  })

  test('leave the exchange in the run where they break the connection', async () => {
    const id = await open({ id: randomUUID(), provoked: { lost: { fault: 'lost-answer', when: READ } } })
    expect((await organization()).status).toBe(0)
    await until(async () => (await exchanges(admin, `?run=${id}`)).length === 1)
    expect(await exchanges(admin, `?run=${id}`)).toMatchObject([{ outcome: 'broken', fault: 'lost-answer#1' }])
  })

  test('come before the rules of the clinic, which count on by themselves', async () => {
    const rule = `/clinics/${DEMO_CLINIC}/faults/rule`
    await admin.fhir('PUT', rule, { fault: 'maintenance', when: READ })
    await open({ id: 'only', provoked: { busy: { fault: 'throttled', when: READ } } })
    expect(await statuses({}, {}, {})).toEqual([429, 503, 503])
    expect((await admin.fhir('GET', rule)).body).toMatchObject({ matched: 2, fired: 2 })
    await admin.fhir('DELETE', rule)
  })

  test('are met beside one that the request names itself', async () => {
    await open({ id: 'only', provoked: { extra: { fault: 'unknown-extension', when: READ } } })
    const { label } = await organization({ 'x-sandbox-fault': 'slow; seconds=0' })
    expect(label).toMatch(/^slow#\d+, unknown-extension#1$/)
  })

  test('count anew in a later run of the same id', async () => {
    const provoked = { busy: { fault: 'throttled', when: READ } }
    await open({ id: 'one', provoked })
    expect(await statuses({}, {})).toEqual([429, 200])
    await close('one')
    await open({ id: 'one', provoked })
    expect(await statuses({}, {})).toEqual([429, 200])
  })

  test('count on where the clinic is reset meanwhile', async () => {
    await open({ id: 'only', provoked: { busy: { fault: 'throttled', when: READ, on: [2] } } })
    expect(await statuses({})).toEqual([200])
    const reset = await admin.fhir('POST', `/clinics/${DEMO_CLINIC}/reset`, { scenario: 'quiet-week' })
    expect(reset.status).toBe(200)
    expect(await statuses({}, {})).toEqual([429, 200])
  })

  test('meet nothing while the sandbox of the clinic is off', async () => {
    await open({ id: 'only', provoked: { busy: { fault: 'throttled', when: READ } } })
    await admin.fhir('PUT', `/clinics/${DEMO_CLINIC}/sandbox`, { enabled: false })
    expect(await statuses({})).toEqual([403])
    await admin.fhir('PUT', `/clinics/${DEMO_CLINIC}/sandbox`, { enabled: true })
    expect(await statuses({})).toEqual([429])
  })
})

describe('by the Model Context Protocol', () => {
  const search = (token: string) =>
    callMcpTool(fhirMcp(server.url, token), 'fhir_search', { type: 'Patient', query: '_count=1' })

  test('a request belongs by its token, or because the run is the only one', async () => {
    await open({ id: 'one' })
    expect(await runOf(await search(server.token))).toBe('one')
    await open({ id: 'two' })
    expect(await runOf(await search(server.token))).toBe(undefined)
    expect(await runOf(await search(tokenOf({ run: 'two' })))).toBe('two')
  })

  test('a request meets the faults of its run', async () => {
    await open({ id: 'one', provoked: { busy: { fault: 'throttled', when: { path: '/mcp/fhir' } } } })
    expect([(await search(server.token)).status, (await search(server.token)).status]).toEqual([429, 200])
  })
})

describe('by phone', () => {
  const PLATFORM = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
  const calling = (call: string, headers: Headers = {}): Headers => ({ ...PLATFORM, 'x-call-id': call, ...headers })
  const info = (call: string, headers: Headers = {}) =>
    request(server.url, 'POST', '/emr-scheduling/get_clinic_info', {}, calling(call, headers))

  test.each<[string, string, Headers, string | undefined]>([
    ['by its prefix', 'two.1', {}, 'two'],
    ['by the header of its request before its prefix', 'one.1', { 'x-sandbox-run': 'two' }, 'two'],
    ['to none of two, without either', 'some-call', {}, undefined],
  ])('a tool call belongs %s', async (_, call, headers, run) => {
    await open({ id: 'one' })
    await open({ id: 'two' })
    expect(await runOf(await info(call, headers))).toBe(run)
  })

  test('a tool call belongs to the only run, in each of the dialects and by MCP', async () => {
    await open({ id: 'only' })
    expect(await runOf(await info('some-call'))).toBe('only')
    const many = { message: { toolCalls: [{ id: '1', function: { name: 'get_clinic_info', arguments: {} } }] } }
    expect(await runOf(await request(server.url, 'POST', '/tools', many, calling('some-call')))).toBe('only')
    const mcp = { url: server.url, path: '/mcp', headers: calling('some-call') }
    expect(await runOf(await callMcpTool(mcp, 'get_clinic_info', {}))).toBe('only')
    const wrong = await info('some-call', { 'x-voice-secret': 'wrong' })
    expect(wrong.status).toBe(401)
  })

  test('the registration and the end of a call belong to its run, and an abandonment too', async () => {
    await open({ id: 'one' })
    await open({ id: 'two' })
    const call = `two.${randomUUID()}`
    const registered = { callId: call, dialedNumber: '+12125550100', callerNumber: '+12125550142' }
    expect(await runOf(await request(server.url, 'POST', '/calls', registered, PLATFORM))).toBe('two')
    expect(await runOf(await request(server.url, 'POST', `/calls/${call}/end`, {}, PLATFORM))).toBe('two')
    const abandoned = { source: 'web', patient: { phone: '+12125550143' } }
    const entered = await request(server.url, 'POST', '/abandonments', abandoned, calling('two.7'))
    expect(await runOf(entered)).toBe('two')
  })

  test('the faults of a run meet its calls alone', async () => {
    const provoked = { away: { fault: 'tool-transient', when: { tool: 'get_clinic_info' }, on: [2] } }
    await open({ id: 'one', provoked })
    await open({ id: 'two' })
    const code = async (call: string) => (await info(call)).body.code
    const ok = await code('two.0')
    expect([await code('one.1'), await code('two.1'), await code('one.2'), await code('one.3')]).toEqual([
      ok,
      ok,
      'transient',
      ok,
    ])
  })

  test('what a tool call sends to systems of the clinic belongs to its run', async () => {
    const id = await open({ id: randomUUID() })
    const args = { payerName: 'Aetna', memberId: 'W123456789' }
    await server.tool('/patient-journey/submit_insurance_info', args, { 'x-call-id': `${id}.1` })
    await until(async () => (await exchanges(admin, `?run=${id}`)).length === 2)
    expect((await exchanges(admin, `?run=${id}`)).map(({ direction }) => direction).toSorted()).toEqual(['in', 'out'])
  })
})

describe('a request that moves to a work thread', () => {
  let threaded: TestServer
  beforeAll(async () => {
    threaded = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 1 })
  })
  afterAll(() => threaded.close())
  const shown = (run: string): Promise<readonly Shown[]> => exchanges(threaded, `?run=${run}`)
  const LONG = 'x'.repeat(60_000)

  test('stays in its run, whose faults are counted once', async () => {
    const provoked = { busy: { fault: 'throttled', when: { interaction: 'create' }, on: [2] } }
    const id = await open({ id: randomUUID(), provoked }, DEMO_CLINIC, threaded)
    const large = { resourceType: 'Basic', code: { text: LONG } }
    const create = async () => (await threaded.fhir('POST', '/Basic', large)).status
    expect([await create(), await create(), await create()]).toEqual([201, 429, 201])
    await until(async () => (await shown(id)).length === 3)
  })

  test('stays in the run that it has joined there, with what it sends', async () => {
    const system = await startReceiver()
    system.answer(200, { 'content-type': 'application/json' }, '{"status": "VERIFIED"}')
    await setJournal(threaded, { insurance: { enabled: true, url: system.url, token: 'token-of-the-system' } })
    const id = await open({ id: randomUUID() }, DEMO_CLINIC, threaded)
    await untilKnown()
    const args = { payerName: 'Aetna', memberId: 'W123456789' }
    const toolCalls = [{ id: '1', function: { name: 'submit_insurance_info', arguments: args } }]
    const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json', 'x-call-id': `${id}.1` }
    const answer = await request(threaded.url, 'POST', '/tools', { message: { transcript: LONG, toolCalls } }, headers)
    expect(JSON.parse(answer.body.results[0].result).code).toBe('verified')
    await until(async () => (await shown(id)).length === 2)
    expect((await shown(id)).map(({ direction }) => direction).toSorted()).toEqual(['in', 'out'])
    await system.close()
  })
})

test('servers of one store know the runs that another has opened, and count their faults together', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl() }
  const [first, second] = [await startServer(env), await startServer(env)]
  const provoked = { busy: { fault: 'throttled', when: { interaction: 'search-type' }, on: [2] } }
  await open({ id: 'shared', provoked }, DEMO_CLINIC, first)
  await untilKnown()
  expect([(await read({}, first)).status, (await read({}, second)).status]).toEqual([200, 429])
  expect([(await read({}, second)).status, (await read({}, first)).status]).toEqual([200, 200])
  await close('shared', DEMO_CLINIC, first)
  openedIn.splice(0)
  await Promise.all([first.close(), second.close()])
})

test('where nobody rehearses, no request belongs to a run', async () => {
  const plain = await startServer({ REHEARSAL: 'off' })
  await open({ id: 'one', provoked: { busy: { fault: 'throttled' } } }, DEMO_CLINIC, plain)
  const answer = await read({ 'x-sandbox-run': 'tour' }, plain)
  expect([answer.status, (await exchangeOf(plain, answer)).run]).toEqual([200, 'tour'])
  expect((await exchangeOf(plain, await read({}, plain))).run).toBe(undefined)
  openedIn.splice(0)
  await plain.close()
})
