/** Questions about the journal as a whole: counts by time, files of what is filtered, and who failed to authenticate. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import { cellOf } from '../../src/admin-api/exchange-export.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { EXCHANGES, exchangeOf, exchanges, exchangeWith, type Shown, setJournal } from '../support/journal.ts'
import { request, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let server: TestServer
let admin: TestServer
let theirStaff: Pick<TestServer, 'fhir'>
let operator: TestServer

beforeAll(async () => {
  const clinics: TwoClinics = await startTwoClinics()
  server = clinics.server
  theirStaff = { fhir: clinics.theirs }
  admin = withToken(server, await logInAs(server, { username: 'our-admin', clinic: DEMO_CLINIC, role: 'admin' }))
  operator = withToken(server, await logInAs(server, { username: 'otto', clinic: SERVICE, role: 'operator' }))
})
afterAll(() => server.close())

let runs = 0
/** A run in which one search is done, one refused, and a patient read. */
async function newRun(): Promise<string> {
  const run = `queries-${++runs}`
  const headers = { 'x-run-id': run }
  const { body: patient } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
  await server.fhir('GET', '/Patient?family=Näf', undefined, headers)
  await server.fhir('GET', '/Patient?birthdate=yesterday', undefined, headers)
  await server.fhir('GET', `/Patient/${patient.id}`, undefined, headers)
  return run
}

const idOf = ({ headers }: { readonly headers: Headers }): string => headers.get('x-request-id') ?? ''

describe('the list', () => {
  test.each([
    ['the method', 'method=get', 3],
    ['another method', 'method=PUT', 0],
    ['the direction', 'direction=in', 3],
    ['what this server has sent', 'direction=out', 0],
    ['the user', 'user=ours', 3],
    ['another user', 'user=theirs', 0],
    ['the interaction', 'operation=search-type', 2],
    ['a word of the reason', 'text=YESTERDAY', 1],
    ['a word of the address without its accent', 'text=family%3Dnäf', 1],
    ['a time that is over', 'until=2020-01-01', 0],
    ['a run that they are not of', 'run:not=dashboard', 3],
  ])('is filtered by %s', async (_what, query, count) => {
    const run = await newRun()
    expect(await exchanges(server, `?run=${run}&${query}`)).toHaveLength(count)
  })

  test('goes on to newer exchanges with after, the oldest first, page by page', async () => {
    const run = await newRun()
    const [, second, first] = await exchanges(server, `?run=${run}`)
    const { body } = await server.fhir('GET', `${EXCHANGES}?run=${run}&after=${first.number}&count=1`)
    expect(body.exchanges.map(({ id }: Shown) => id)).toEqual([second.id])
    const rest = await server.fhir('GET', body.next)
    expect(rest.body.exchanges).toHaveLength(1)
  })

  test.each(['before=1&after=1', 'until=never', 'authentication=perhaps'])('refuses %s', async (query) => {
    expect((await server.fhir('GET', `${EXCHANGES}?${query}`)).status).toBe(400)
  })

  test('has the parts of the duration of what came in', async () => {
    const { duration, timing } = await exchangeOf(server, await server.fhir('GET', '/Patient?_count=1'))
    const time = expect.any(Number)
    expect(timing).toEqual({ waiting: time, work: time, store: time, sending: time })
    expect(timing.waiting + timing.work + timing.sending).toBeCloseTo(duration, 0)
    expect(timing.store).toBeLessThanOrEqual(timing.work)
  })
})

describe('counts', () => {
  const countsOf = (query: string, as: Pick<TestServer, 'fhir'> = server, of = EXCHANGES) =>
    as.fhir('GET', `${of}/counts${query}`)

  test('are those of what the filters let through, by periods of the time', async () => {
    const run = await newRun()
    const { body } = await countsOf(`?run=${run}&since=${new Date(Date.now() - 3_600_000).toISOString()}`)
    expect(body).toMatchObject({ requests: 3, errors: 1, p95: expect.any(Number), period: 120, isWhole: true })
    expect(body).toMatchObject({ methods: { GET: 3 }, users: { ours: 3 }, operations: { 'search-type': 2, read: 1 } })
    const inPeriods = body.periods.map(({ requests }: Shown) => requests)
    expect(inPeriods.reduce((sum: number, one: number) => sum + one, 0)).toBe(3)
  })

  test('begin with the oldest exchange where no time is asked for', async () => {
    const { body } = await countsOf('')
    expect(Date.parse(body.from)).toBeGreaterThan(Date.now() - 3_600_000)
    expect(body.requests).toBeGreaterThan(0)
  })

  test('are those of the own clinic, and of what the role may read', async () => {
    const run = `counted-${++runs}`
    const headers = { 'x-run-id': run }
    await theirStaff.fhir('GET', '/Patient?_count=1', undefined, headers)
    await admin.fhir('GET', '/AuditEvent?_count=1', undefined, headers)
    const requestsFor = async (as: Pick<TestServer, 'fhir'>, of: string) =>
      (await countsOf(`?run=${run}`, as, of)).body.requests
    expect(await requestsFor(server, EXCHANGES)).toBe(0)
    expect(await requestsFor(admin, EXCHANGES)).toBe(1)
    expect(await requestsFor(theirStaff, `/clinics/${OTHER_CLINIC}/exchanges`)).toBe(1)
    expect((await countsOf('', server, `/clinics/${OTHER_CLINIC}/exchanges`)).status).toBe(403)
    expect((await countsOf('', server, '/exchanges')).status).toBe(403)
    expect((await countsOf('', operator, '/exchanges')).status).toBe(200)
  })
})

describe('a file of exchanges', () => {
  const fileOf = (query: string, as: Pick<TestServer, 'fhir'> = server, of = EXCHANGES) =>
    as.fhir('GET', `${of}/export?${query}`)

  test('is HAR 1.2 with headers and bodies, and without the token', async () => {
    const run = await newRun()
    const { body, text, headers } = await fileOf(`run=${run}&format=har`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="exchanges.har"')
    expect(body.log).toMatchObject({ version: '1.2', creator: { name: 'sandbox-emr' } })
    expect(body.log.entries).toHaveLength(3)
    const refused = body.log.entries.find(({ response }: Shown) => response.status === 400)
    expect(refused).toMatchObject({
      startedDateTime: expect.stringMatching(/Z$/),
      request: { method: 'GET', url: expect.stringMatching(/^http:.*\?birthdate=yesterday$/) },
      response: { content: { text: expect.stringContaining('OperationOutcome') } },
      timings: { blocked: expect.any(Number), send: 0, wait: expect.any(Number), receive: expect.any(Number) },
    })
    expect(refused.request.queryString).toEqual([{ name: 'birthdate', value: 'yesterday' }])
    expect(text).not.toContain(server.token)
  })

  test('is NDJSON, one exchange in a line, or CSV with a line of names', async () => {
    const run = await newRun()
    const lines = (await fileOf(`run=${run}&format=ndjson`)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ method, request: { headers } }) => [method, headers.authorization])).toEqual(
      Array.from({ length: 3 }, () => ['GET', '[removed]']),
    )
    const rows = (await fileOf(`run=${run}&format=csv`)).text.split('\r\n')
    expect(rows[0]).toMatch(/^time,direction,method,address,status,/)
    expect(rows).toHaveLength(5)
    expect((await fileOf('format=xlsx')).status).toBe(400)
  })

  test.each([
    ['=1+1', "'=1+1"],
    ['+1 212', "'+1 212"],
    ['@x', "'@x"],
    ['-x', "'-x"],
    ['\t=x', "'\t=x"],
    ['a,"b"', '"a,""b"""'],
    ['a\nb', '"a\nb"'],
    ['/Patient', '/Patient'],
    [undefined, ''],
    [-5, '-5'],
  ])('has the cell %j as %j in CSV, so that no spreadsheet runs it', (value, cell) => {
    expect(cellOf(value)).toBe(cell)
  })

  test('is recorded as an access to the patients in it, and is that of the own clinic only', async () => {
    const run = await newRun()
    const { body } = await fileOf(`run=${run}&format=har`)
    const read = body.log.entries.find(({ request: { url } }: Shown) => /\/Patient\/[^?]+$/.test(url))
    const patient = read.request.url.split('/').at(-1)
    const { body: found } = await admin.fhir('GET', `/AuditEvent?patient=Patient/${patient}&altid=ours&_count=50`)
    const queries = JSON.stringify(found.entry).match(/"query":"[^"]+"/g) ?? []
    const decoded = queries.map((one) => Buffer.from(one.slice(9, -1), 'base64').toString())
    expect(decoded.filter((query) => query.includes('/export'))).toEqual([expect.stringContaining(run)])
    expect((await fileOf('format=har', theirStaff)).status).toBe(403)
  })
})

describe('a failed authentication', () => {
  const failed = async (as: TestServer, query = '', of = EXCHANGES): Promise<readonly Shown[]> => {
    const { status, body, text } = await as.fhir('GET', `${of}?authentication=failed${query}`)
    if (status !== 200) throw new Error(text)
    return body.exchanges
  }
  const claiming = (clinic: string) =>
    jsonwebtoken.sign({ sub: 'mallory', name: 'Mallory', clinic, role: 'admin' }, 'a wrong secret of this clinic')
  const withBearer = (token: string, run: string) =>
    request(server.url, 'GET', '/Patient?family=Secret', undefined, {
      authorization: `Bearer ${token}`,
      'x-run-id': run,
    })
  const withVoiceSecret = (secret: string, to: string, run: string) =>
    request(
      server.url,
      'POST',
      '/patient-journey/verify_patient',
      { statedName: 'Ann' },
      {
        ...{ 'x-voice-secret': secret, 'x-call-id': 'stranger-1', 'x-call-to': to, 'x-run-id': run },
        'content-type': 'application/json',
      },
    )

  test('stands where the admins of the clinic that its token names see it, and nothing of the token', async () => {
    const run = `failed-${++runs}`
    const token = claiming(DEMO_CLINIC)
    const answer = await withBearer(token, run)
    expect(answer.status).toBe(401)
    const [found, ...others] = await failed(admin, `&run=${run}`)
    expect(others).toEqual([])
    expect(found).toMatchObject({
      id: idOf(answer),
      status: 401,
      reason: { code: 'login' },
      address: '/Patient?family=Secret',
    })
    const { status, text } = await admin.fhir('GET', `${EXCHANGES}/${idOf(answer)}?authentication=failed`)
    expect(status).toBe(200)
    for (const part of token.split('.')) expect(text).not.toContain(part)
    expect(text).not.toContain('mallory')
    expect(JSON.parse(text).replay).toEqual({ possible: false, reason: 'its authentication failed' })
  })

  test('with a wrong voice secret stands in the clinic whose number was dialled, without secret and body', async () => {
    const run = `failed-${++runs}`
    const answer = await withVoiceSecret('not-the-secret-of-this', '+1 (212) 555-0199', run)
    expect(answer.status).toBe(401)
    const theirAdmin = withToken(
      server,
      await logInAs(server, { username: 'their-admin', clinic: OTHER_CLINIC, role: 'admin' }),
    )
    const theirs = `/clinics/${OTHER_CLINIC}/exchanges`
    const [found] = await failed(theirAdmin, `&run=${run}`, theirs)
    expect(found.id).toBe(idOf(answer))
    const { text } = await theirAdmin.fhir('GET', `${theirs}/${found.id}?authentication=failed`)
    expect(text).not.toContain('not-the-secret')
    expect(text).not.toContain('Ann')
    expect(await failed(admin, `&run=${run}`)).toEqual([])
  })

  test('with a wrong voice secret stands in the clinic whose number was dialled, also without its country code', async () => {
    const run = `failed-${++runs}`
    const answer = await withVoiceSecret('wrong', '212 555 0100', run)
    const other = await withVoiceSecret('wrong', '212 555 0111', run)
    await exchangeWith(operator, idOf(other), '/exchanges')
    expect((await failed(admin, `&run=${run}`)).map(({ id }) => id)).toEqual([idOf(answer)])
  })

  test('with a wrong voice secret stands in the clinic of the call that it names, where no number leads to one', async () => {
    const run = `failed-${++runs}`
    const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
    const call = { callId: 'known-call', dialedNumber: '+12125550100' }
    expect((await request(server.url, 'POST', '/calls', call, headers)).status).toBe(201)
    const about = (callId: string, to: string) =>
      request(
        server.url,
        'POST',
        '/patient-journey/verify_patient',
        {},
        {
          ...{ ...headers, 'x-voice-secret': 'wrong', 'x-call-id': callId, 'x-call-to': to, 'x-run-id': run },
        },
      )
    const answers = [await about('known-call', ''), await about('known-call', '{{number}}')]
    const unknown = await about('unknown-call', '')
    await exchangeWith(operator, idOf(unknown), '/exchanges')
    expect((await failed(admin, `&run=${run}`)).map(({ id }) => id).toSorted()).toEqual(answers.map(idOf).toSorted())
  })

  test('without a token that names a clinic stands in the clinic of its path', async () => {
    const run = `failed-${++runs}`
    const headers = { authorization: 'Bearer x.y.z', 'x-run-id': run }
    const answer = await request(server.url, 'GET', `/clinics/${DEMO_CLINIC}/settings`, undefined, headers)
    const other = await request(server.url, 'GET', '/clinics/no-such-clinic/settings', undefined, headers)
    expect([answer.status, other.status]).toEqual([401, 401])
    await exchangeWith(operator, idOf(other), '/exchanges')
    expect(await failed(admin, `&run=${run}`)).toMatchObject([{ id: idOf(answer), status: 401 }])
  })

  test('is for admins and operators: staff get 403, and another clinic too', async () => {
    expect((await server.fhir('GET', `${EXCHANGES}?authentication=failed`)).status).toBe(403)
    expect((await server.fhir('GET', `${EXCHANGES}/live?authentication=failed`)).status).toBe(403)
    expect((await server.fhir('GET', `${EXCHANGES}/export?authentication=failed`)).status).toBe(403)
    expect((await theirStaff.fhir('GET', `${EXCHANGES}?authentication=failed`)).status).toBe(403)
    expect((await operator.fhir('GET', `${EXCHANGES}?authentication=failed`)).status).toBe(200)
    expect((await operator.fhir('GET', '/exchanges?authentication=failed')).status).toBe(400)
  })

  test('is none of the exchanges of the clinic, which it neither adds to nor displaces', async () => {
    const run = `failed-${++runs}`
    const answer = await withBearer(claiming(DEMO_CLINIC), run)
    expect(await exchanges(server, `?run=${run}`)).toEqual([])
    expect((await admin.fhir('GET', `${EXCHANGES}/${idOf(answer)}`)).status).toBe(404)
  })

  test.each([
    ['a clinic that there is not', () => claiming('no-such-clinic')],
    ['no clinic', () => claiming('')],
    ['nothing that is a token', () => 'x.y.z'],
  ])('that names %s belongs to no clinic', async (_what, token) => {
    const run = `failed-${++runs}`
    await withBearer(token(), run)
    const { body } = await operator.fhir('GET', `/exchanges?run=${run}`)
    expect(body.exchanges).toHaveLength(1)
    expect(await failed(admin, `&run=${run}`)).toEqual([])
  })

  test('belongs to no clinic where the journal of the clinic is off', async () => {
    const run = `failed-${++runs}`
    await setJournal(admin, { journal: 'off' })
    await withBearer(claiming(DEMO_CLINIC), run)
    await setJournal(admin, { journal: 'full' })
    expect((await operator.fhir('GET', `/exchanges?run=${run}`)).body.exchanges).toHaveLength(1)
  })

  test('beyond 60 at once is recorded as one of no clinic, so that strangers do not fill the journal of a clinic', async () => {
    const run = `failed-${++runs}`
    const token = claiming(OTHER_CLINIC)
    for (let sent = 0; sent < 100; sent += 1) await withBearer(token, run)
    const inClinic = await failed(operator, `&run=${run}&count=200`, `/clinics/${OTHER_CLINIC}/exchanges`)
    const inNone = (await operator.fhir('GET', `/exchanges?run=${run}&count=200`)).body.exchanges
    expect(inClinic.length).toBeLessThanOrEqual(61)
    expect(inClinic.filter((one) => one.gap !== undefined)).toEqual([])
    expect(inClinic.length + inNone.length).toBe(100)
  })
})
