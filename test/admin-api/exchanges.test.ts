/** The journal over HTTP: every request of a clinic and its response, for its own staff. */
import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { EXCHANGES, exchangeOf, exchanges, exchangeWith, type Shown, setJournal } from '../support/journal.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { request, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { logInAs, OTHER_CLINIC, PASSWORD, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
let operator: TestServer
let admin: TestServer
let receiver: Receiver

beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
  operator = withToken(server, await logInAs(server, { username: 'otto', clinic: SERVICE, role: 'operator' }))
  admin = withToken(server, await logInAs(server, { username: 'our-admin', clinic: DEMO_CLINIC, role: 'admin' }))
  receiver = await startReceiver()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

let runs = 0
const newRun = () => `run-${++runs}`

const PATIENT = { resourceType: 'Patient', name: [{ family: 'Journal' }] }
const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

describe('every answer', () => {
  test.each([
    ['a read', 'GET', '/Patient?_count=1'],
    ['what needs no token', 'GET', '/metadata'],
    ['health', 'GET', '/health/live'],
    ['what is not there', 'GET', '/nothing'],
    ['the journal itself', 'GET', EXCHANGES],
    ['a method that is not served', 'PUT', '/session'],
    ['OPTIONS', 'OPTIONS', '/Patient'],
  ])('of %s has an X-Request-Id of its own', async (_what, method, path) => {
    const ids = await Promise.all([1, 2].map(async () => (await server.fhir(method, path)).headers.get('x-request-id')))
    expect(ids).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)])
    expect(new Set(ids).size).toBe(2)
  })

  test('to what is no HTTP has one too', async () => {
    const { hostname, port } = new URL(server.url)
    const answer = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname, () => socket.write('this is no HTTP\r\n\r\n'))
      socket.on('data', (chunk) => {
        text += String(chunk)
      })
      socket.on('close', () => resolve(text))
    })
    expect(answer).toMatch(/^HTTP\/1.1 400.*\r\nX-Request-Id: [\da-f-]{36}\r\n/s)
  })

  test.each([
    ['its X-Request-Id', { 'x-request-id': 'mine' }, 'mine'],
    ['its X-Correlation-Id', { 'x-correlation-id': 'mine-too' }, 'mine-too'],
    ['the first of both', { 'x-request-id': 'a', 'x-correlation-id': 'b' }, 'a'],
    ['nothing where it sends none', {}, null],
    ['nothing for what is no id', { 'x-request-id': 'two words' }, null],
    ['nothing for what is too long', { 'x-request-id': 'x'.repeat(129) }, null],
  ])('gives the client back %s as X-Correlation-Id', async (_what, headers, expected) => {
    const answer = await server.fhir('GET', '/Patient?_count=1', undefined, headers as Record<string, string>)
    expect(answer.headers.get('x-correlation-id')).toBe(expected)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
  })
})

describe('an exchange', () => {
  test('has what came in, what was answered, and why', async () => {
    const run = newRun()
    const body = { resourceType: 'Patient', gender: 'f' }
    const answer = await server.fhir('POST', '/Patient?x=1', body, { 'x-run-id': run, 'x-request-id': 'mine' })
    const exchange = await exchangeOf(server, answer)
    expect(exchange).toMatchObject({
      id: answer.headers.get('x-request-id'),
      direction: 'in',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      duration: expect.any(Number),
      user: { id: 'ours', name: 'ours', role: 'staff' },
      run,
      correlation: 'mine',
      method: 'POST',
      address: '/Patient?x=1',
      interaction: 'create',
      type: 'Patient',
      status: 422,
      outcome: 'refused',
      reason: { code: 'code-invalid', text: expect.stringContaining('Patient.gender has the code') },
      request: {
        headers: { authorization: '[removed]', 'content-type': 'application/fhir+json' },
        body: { type: 'application/fhir+json', text: JSON.stringify(body) },
      },
      response: { headers: { 'x-correlation-id': 'mine' }, body: { text: answer.text } },
      replay: { possible: true },
    })
    expect(JSON.stringify(exchange)).not.toContain(server.token)
    const [listed, ...others] = await exchanges(server, `?run=${run}`)
    expect(others).toEqual([])
    const { request: _request, response: _response, curl: _curl, replay: _replay, ...summary } = exchange
    expect(listed).toEqual({ number: expect.any(Number), ...summary })
  })

  test('of a tool call has its arguments and its result, its call, and why it was refused', async () => {
    const headers = { 'x-call-id': 'journal-1', 'x-run-id': newRun(), 'x-voice-secret': 'demo-secret' }
    const call = (id: string, args: object) => ({ id, function: { arguments: args } })
    const body = {
      message: {
        toolCalls: [call('1', { firstName: 'Ann' }), call('2', { firstName: ['Bea'] })],
      },
    }
    const answer = await server.fhir('POST', '/patient-journey/update_registration_field', body, {
      ...headers,
      authorization: '',
    })
    expect(await exchangeOf(server, answer)).toMatchObject({
      call: 'journal-1',
      interaction: 'tool',
      operation: 'update_registration_field',
      status: 200,
      outcome: 'refused',
      reason: { code: expect.any(String), text: expect.stringContaining('firstName') },
      tools: [
        { tool: 'update_registration_field', id: '1', success: true, arguments: { firstName: 'Ann' } },
        { id: '2', success: false, arguments: { firstName: ['Bea'] }, result: { success: false } },
      ],
      request: { headers: { 'x-voice-secret': '[removed]' } },
    })
    const [listed] = await exchanges(server, '?call=journal-1')
    expect(listed.tools).toEqual([
      { tool: 'update_registration_field', id: '1', success: true, code: expect.any(String) },
      { tool: 'update_registration_field', id: '2', success: false, code: expect.any(String) },
    ])
  })

  test('of a batch is one, which says how many of its entries have failed', async () => {
    const run = newRun()
    const entry = ['Patient?_count=1', 'Patient/there-is-none'].map((url) => ({ request: { method: 'GET', url } }))
    await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry }, { 'x-run-id': run })
    expect(await exchanges(server, `?run=${run}`)).toEqual([
      expect.objectContaining({
        interaction: 'batch',
        outcome: 'ok',
        reason: { code: 'entries-failed', text: '1 of the 2 entries that were tried have failed' },
      }),
    ])
  })

  test('of a file has its type, its size and its hash', async () => {
    const bytes = Buffer.alloc(30_000, 'a file ')
    const answer = await fetch(`${server.url}/Binary`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/pdf' },
      body: bytes,
    })
    const exchange = await exchangeWith(server, answer.headers.get('x-request-id') ?? '')
    expect(exchange.request.body).toEqual({
      type: 'application/pdf',
      size: 30_000,
      sha256: hash('sha256', bytes),
    })
    expect(exchange.replay).toEqual({ possible: false, reason: 'its body is not kept' })
    const { id } = (await answer.json()) as Shown
    const read = await server.fhir('GET', `/Binary/${id}`, undefined, { accept: 'application/pdf' })
    const shown = await exchangeOf(server, read)
    expect(shown.response.body).toEqual({ type: 'application/pdf', size: 30_000 })
  })

  test('of a long base64 content has what it is, in and out, and not the content', async () => {
    const data = Buffer.alloc(40_000, 'some text ').toString('base64')
    const attachment = { contentType: 'text/plain', data }
    const document = {
      resourceType: 'DocumentReference',
      status: 'current',
      content: [{ attachment }],
    }
    const created = await exchangeOf(server, await server.fhir('POST', '/DocumentReference', document))
    for (const side of [created.request, created.response]) {
      expect(side.body.text).toMatch(/\[content: 40000 bytes, sha256 [\da-f]{64}\]/)
      expect(side.body.text).not.toContain(data.slice(0, 200))
    }
  })

  test('of a body that is longer than 64 KiB has its beginning', async () => {
    const text = { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(100_000)}</div>` }
    const { request: sent } = await exchangeOf(server, await server.fhir('POST', '/Patient', { ...PATIENT, text }))
    expect(sent.body).toMatchObject({ cut: true, size: expect.any(Number) })
    expect(sent.body.text).toHaveLength(65_536)
  })

  test('whose client has left says so', async () => {
    const run = newRun()
    const { hostname, port } = new URL(server.url)
    const sent = httpRequest({
      hostname,
      port,
      path: '/Patient/_search',
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': 100,
        'x-run-id': run,
      },
    })
    sent.on('error', () => {})
    sent.write('family=x')
    await sleep(100)
    sent.destroy()
    await until(async () => (await exchanges(server, `?run=${run}`)).length === 1)
    expect(await exchanges(server, `?run=${run}&status=499`)).toEqual([
      expect.objectContaining({
        status: 499,
        outcome: 'left',
        reason: {
          code: 'client-left',
          text: expect.stringContaining('closed its connection before it had the response'),
        },
      }),
    ])
  })

  test('of the journal itself, and of what watches the server, there is none', async () => {
    const run = newRun()
    const headers = { 'x-run-id': run }
    for (const path of [EXCHANGES, `${EXCHANGES}/x`, '/health/live', '/health/ready', '/dashboard/x.js', '/metrics']) {
      await server.fhir('GET', path, undefined, headers)
    }
    await server.fhir('GET', '/Patient?_count=1', undefined, headers)
    expect((await exchanges(server, `?run=${run}`)).map(({ address }) => address)).toEqual(['/Patient?_count=1'])
  })
})

describe('a list', () => {
  test('has the newest first, and goes on page by page whatever comes meanwhile', async () => {
    const run = newRun()
    const read = (n: number) => server.fhir('GET', `/Patient?identifier=${n}`, undefined, { 'x-run-id': run })
    for (let n = 0; n < 5; n += 1) await read(n)
    const first = (await server.fhir('GET', `${EXCHANGES}?run=${run}&count=2`)).body
    await read(5)
    const second = (await server.fhir('GET', first.next)).body
    const third = (await server.fhir('GET', second.next)).body
    const numbers = [first, second, third].map(({ exchanges }) =>
      exchanges.map(({ address }: Shown) => Number(address.split('=')[1])),
    )
    expect(numbers).toEqual([[4, 3], [2, 1], [0]])
    expect(third.next).toBeUndefined()
  })

  test('tells of no exchange as earlier than it was', async () => {
    const run = newRun()
    const sentAt: number[] = []
    for (let n = 0; n < 200; n += 1) {
      sentAt.push(Date.now())
      await server.fhir('GET', '/Task?_count=1', undefined, { 'x-run-id': run })
    }
    const times = (await exchanges(server, `?run=${run}&count=200`)).map(({ time }) => Date.parse(time)).reverse()
    expect(times).toHaveLength(200)
    expect(times.filter((time, n) => time < (sentAt[n] ?? 0))).toEqual([])
  })

  test('is filtered by run, call, status, path, type and time', async () => {
    const run = newRun()
    const headers = { 'x-run-id': run }
    const before = new Date().toISOString()
    await server.fhir('GET', '/Patient/there-is-none', undefined, headers)
    await server.fhir('GET', '/Task?_count=1', undefined, headers)
    const found = async (query: string) =>
      (await exchanges(server, `?run=${run}&${query}`)).map(({ address }) => address)
    expect(await found('status=404')).toEqual(['/Patient/there-is-none'])
    expect(await found('status=4xx')).toEqual(['/Patient/there-is-none'])
    expect(await found('status=2xx')).toEqual(['/Task?_count=1'])
    expect(await found('path=/Task')).toEqual(['/Task?_count=1'])
    expect(await found('type=Task')).toEqual(['/Task?_count=1'])
    expect(await found(`since=${before}`)).toHaveLength(2)
    expect(await found('since=2999-01-01T00:00:00Z')).toEqual([])
    expect(await found('call=nobody')).toEqual([])
  })

  test.each([
    ['a parameter that is not known', 'page=2', /'page' is not known here; the parameters are run, call/],
    ['a status that is none', 'status=bad', /'status' must be a status such as 404/],
    ['a time that is none', 'since=yesterday', /'since' must be a time/],
    ['a number that is none', 'before=x', /'before' must be a whole number/],
    ['a parameter that comes twice', 'run=a&run=b', /'run' comes more than once/],
  ])('of %s is 400', async (_what, query, message) => {
    const { status, body } = await server.fhir('GET', `${EXCHANGES}?${query}`)
    expect([status, body.error]).toEqual([400, expect.stringMatching(message)])
  })
})

describe('the journal of a clinic', () => {
  test('is for its own staff and for operators, and another clinic cannot be told from none', async () => {
    const answer = await clinics.theirs('GET', '/Patient?identifier=theirs')
    const theirs = `/clinics/${OTHER_CLINIC}/exchanges`
    const id = (await exchangeOf({ fhir: clinics.theirs }, answer, theirs)).id
    expect((await server.fhir('GET', `${EXCHANGES}/${id}`)).status).toBe(404)
    expect((await server.fhir('POST', `${EXCHANGES}/${id}/$replay`)).status).toBe(404)
    for (const path of ['', '/live', `/${id}`]) {
      const refused = await server.fhir('GET', `${theirs}${path}`)
      const none = await server.fhir('GET', `/clinics/there-is-none/exchanges${path}`)
      expect([refused.status, refused.text]).toEqual([403, none.text])
    }
    expect((await server.fhir('POST', `${theirs}/${id}/$replay`)).status).toBe(403)
    expect((await exchanges(server, '')).filter(({ address }) => address?.includes('theirs'))).toEqual([])
    expect((await operator.fhir('GET', `${theirs}/${id}`)).body.address).toBe('/Patient?identifier=theirs')
    expect((await operator.fhir('GET', '/clinics/there-is-none/exchanges')).status).toBe(404)
    expect((await operator.fhir('POST', `${theirs}/${id}/$replay`)).status).toBe(403)
  })

  test('tells the audit trail of the clinic who has looked at it', async () => {
    await operator.fhir('GET', `${EXCHANGES}?type=Looked`)
    const admin = withToken(server, await logInAs(server, { username: 'ada', clinic: DEMO_CLINIC, role: 'admin' }))
    const { body } = await admin.fhir('GET', '/AuditEvent?altid=otto&_count=1')
    const queries = body.entry[0].resource.entity.map(({ query = '' }) => Buffer.from(query, 'base64').toString())
    expect(queries).toContain(`${EXCHANGES}?type=Looked`)
  })
})

describe('what belongs to no clinic', () => {
  test('is for operators alone, and without bodies', async () => {
    const anonymous = await request(server.url, 'GET', '/Patient?family=stranger')
    const name = 'perhaps-this-is-a-password'
    const login = await request(
      server.url,
      'POST',
      '/session',
      { username: name, password: PASSWORD },
      { 'content-type': 'application/json' },
    )
    const voice = await request(server.url, 'POST', '/patient-journey/get_clinic_info', {}, { 'x-voice-secret': 'no' })
    for (const [answer, path] of [
      [anonymous, '/Patient?family=stranger'],
      [login, '/session'],
      [voice, '/patient-journey/get_clinic_info'],
    ] as const) {
      const exchange = await exchangeOf(operator, answer, '/exchanges')
      expect(exchange).toMatchObject({ status: 401, outcome: 'refused', address: path, reason: { code: 'login' } })
      expect([exchange.request.body, exchange.response.body]).toEqual([undefined, undefined])
      expect(JSON.stringify(exchange)).not.toContain(name)
      expect((await server.fhir('GET', `${EXCHANGES}/${exchange.id}`)).status).toBe(404)
    }
    expect((await server.fhir('GET', '/exchanges')).status).toBe(403)
  })
})

describe('the command of an exchange', () => {
  test.each([
    ['a search', 'GET', '/Patient?family=Journal&_sort=_id', undefined],
    ['a body with quotes', 'POST', '/Patient/$validate', { ...PATIENT, name: [{ text: `it's "$HOME" \`x\`` }] }],
    ['what was refused', 'PUT', '/Patient/a', { resourceType: 'Patient', id: 'b' }],
  ])('repeats %s, and gets the same answer', async (_what, method, path, body) => {
    const answer = await server.fhir(method, path, body)
    const { curl } = await exchangeOf(server, answer)
    const env = { ...process.env, BASE: server.url, TOKEN: server.token }
    expect((await promisify(execFile)('bash', ['-c', curl], { env })).stdout).toBe(answer.text)
  })
})

describe('a replay', () => {
  const replay = (exchange: Shown, as = server) => as.fhir('POST', `${EXCHANGES}/${exchange.id}/$replay`)

  test('sends the request once more as a request of whoever asks, and tells what is different', async () => {
    const { body: patient } = await server.fhir('POST', '/Patient', PATIENT)
    const first = await exchangeOf(server, await server.fhir('GET', `/Patient/${patient.id}`))
    const same = await replay(first)
    expect(same.body).toMatchObject({ status: 200, same: true, differences: [], hasBodies: true })
    await server.fhir('PUT', `/Patient/${patient.id}`, { ...PATIENT, id: patient.id, gender: 'other' })
    const admin = withToken(server, await logInAs(server, { username: 'anna', clinic: DEMO_CLINIC, role: 'admin' }))
    const { body } = await replay(first, admin)
    expect(body).toMatchObject({ same: false, hasBodies: true })
    expect(body.differences).toEqual(
      expect.arrayContaining([
        { at: 'headers.etag', before: 'W/"1"', after: 'W/"2"' },
        { at: 'body.gender', after: 'other' },
        { at: 'body.meta.versionId', before: '1', after: '2' },
      ]),
    )
    expect(await exchangeWith(server, body.exchange)).toMatchObject({ replayOf: first.id, user: { id: 'anna' } })
  })

  test('belongs to the trace of whoever asks, and not to that of the first one', async () => {
    const [before, after] = ['4bf92f3577b34da6a3ce929d0e0e4736', '0af7651916cd43dd8448eb211c80319c']
    const within = (trace: string) => ({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })
    const first = await exchangeOf(server, await server.fhir('GET', '/Patient?_count=1', undefined, within(before)))
    const { body } = await server.fhir('POST', `${EXCHANGES}/${first.id}/$replay`, undefined, within(after))
    expect([first.trace, (await exchangeWith(server, body.exchange)).trace]).toEqual([before, after])
    const found = await server.fhir('GET', `${EXCHANGES}?trace=${before.toUpperCase()}`)
    expect(found.body.exchanges.map(({ id }: Shown) => id)).toEqual([first.id])
  })

  test('of a tool call is a new call to the clinic, and changes nothing of the first one', async () => {
    const headers = { 'x-voice-secret': 'demo-secret', 'x-call-id': 'journal-2', 'content-type': 'application/json' }
    const body = { message: { toolCalls: [{ id: '1', function: { arguments: { firstName: 'Replayed' } } }] } }
    const answer = await request(server.url, 'POST', '/patient-journey/update_registration_field', body, headers)
    const first = await exchangeOf(server, answer)
    const { body: replayed } = await replay(first)
    expect(replayed).toMatchObject({ status: 200, same: true })
    const second = await exchangeWith(server, replayed.exchange)
    expect(second.call).toMatch(/^replay-/)
    const found = (await server.fhir('GET', '/Patient?given=Replayed')).body
    expect(found.entry).toHaveLength(2)
  })

  test.each([
    ['about a session', '/session', { username: 'ours', password: PASSWORD }, 'it is about sessions'],
    ['with a secret in its address', '/Patient/_search?access_token=abcdef123456', '', 'something in its address'],
  ])('of one that is %s is 422', async (_what, path, body, reason) => {
    const exchange = await exchangeOf(
      operator,
      await server.fhir('POST', path, body, { 'content-type': 'application/json' }),
    )
    // Logins are read by admins.
    const answer = await admin.fhir('POST', `${EXCHANGES}/${exchange.id}/$replay`)
    expect([answer.status, answer.body]).toEqual([
      422,
      { error: expect.stringContaining(reason), code: 'not-replayable' },
    ])
  })
})

describe('the setting journal', () => {
  test('decides what is kept: all, all but bodies, nothing', async () => {
    const tool = { 'x-voice-secret': 'demo-secret', 'x-call-id': 'journal-3' }
    try {
      await setJournal(server, { journal: 'headers' })
      const exchange = await exchangeOf(server, await server.fhir('POST', '/Patient', PATIENT))
      expect(exchange).toMatchObject({ status: 201, request: { headers: { authorization: '[removed]' } } })
      expect([exchange.request.body, exchange.response.body]).toEqual([undefined, undefined])
      await server.tool('/patient-journey/update_registration_field', { firstName: 'Zoe' }, tool)
      const [called] = await exchanges(server, '?call=journal-3')
      expect((await exchangeWith(server, called.id)).tools).toEqual([
        { tool: 'update_registration_field', id: expect.anything(), success: true, code: expect.any(String) },
      ])
      await setJournal(server, { journal: 'off' })
      const run = newRun()
      await server.fhir('POST', '/Patient', PATIENT, { 'x-run-id': run })
      expect(await exchanges(server, `?run=${run}`)).toEqual([])
    } finally {
      await setJournal(server, { journal: 'full' })
    }
  })

  test.each([
    [{ journal: 'some' }, 'journal must be one of full, headers, off'],
    [{ journalDays: 0 }, 'journalDays must be a whole number from 1 to 3650'],
    [{ journalEntries: 5 }, 'journalEntries must be a whole number from 100 to 1000000'],
  ])('%j is refused', async (settings, problem) => {
    await expect(setJournal(server, settings)).rejects.toThrow(problem)
  })
})

describe('a request to the system of a clinic', () => {
  test('is an exchange that goes out, without credentials, and with the run and the exchange that brought it about', async () => {
    const run = newRun()
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    receiver.answer(200, { 'x-from': 'far away' })
    await setJournal(server, { messages: { enabled: true, url: receiver.url, secret } })
    const path = `/clinics/${DEMO_CLINIC}/connectors/messages/$try`
    const answer = await server.fhir('POST', path, undefined, { 'x-run-id': run })
    expect(answer.body).toMatchObject({ connector: 'messages', outcome: 'ok', status: 200 })
    const cause = answer.headers.get('x-request-id')
    await until(async () => (await exchanges(server, `?run=${run}`)).length === 2)
    const sent = (await exchanges(server, `?run=${run}`)).find(({ direction }) => direction === 'out')
    expect(sent).toMatchObject({ system: 'messages', cause, method: 'POST', address: receiver.url, status: 200 })
    const exchange = await exchangeWith(server, sent.id)
    expect(exchange.request).toMatchObject({
      headers: { 'webhook-signature': '[removed]', 'webhook-id': expect.any(String) },
      body: { text: expect.stringContaining('connection.test') },
    })
    expect(exchange.replay).toEqual({ possible: false, reason: 'it went to another system' })
    // Responses from private addresses are not shown.
    expect(JSON.stringify(exchange.response)).not.toContain('far away')
  })
})
