/** Faults of tool calls: of their request, and within the envelope. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { appointmentsOf, startVisits, type Visits } from '../../calls/tools/visits.ts'
import { attempt, FAULTS, type Met } from '../../support/faults.ts'
import { exchanges } from '../../support/journal.ts'
import { callMcpTool } from '../../support/mcp.ts'
import type { TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'
import { withToken } from '../../support/two-clinics.ts'

let visits: Visits
let server: TestServer
let admin: TestServer
beforeAll(async () => {
  visits = await startVisits()
  server = visits.server
  admin = withToken(server, await server.login('admin', 'admin'))
})
afterEach(() => admin.fhir('DELETE', FAULTS))
afterAll(() => server.close())

const INFO = 'get_clinic_info'
const ADDRESS: Readonly<Record<string, string>> = {
  [INFO]: '/emr-scheduling/get_clinic_info',
  book_appointment: '/emr-scheduling/book_appointment',
}

interface ToolCall {
  readonly id: string | null
  readonly name: string
  readonly arguments?: object
}

/** Calls tools of one call, at the address for all of them. */
const call = (callId: string, calls: readonly ToolCall[], headers: Record<string, string> = {}): Promise<Met> =>
  attempt(
    server,
    'POST',
    '/tools',
    { message: { toolCalls: calls.map(({ id, ...tool }) => ({ id, function: { arguments: {}, ...tool } })) } },
    { 'content-type': 'application/json', 'x-voice-secret': 'demo-secret', 'x-call-id': callId, ...headers },
  )

const info = (headers: Record<string, string> = {}) => call(randomUUID(), [{ id: '1', name: INFO }], headers)

const resultsOf = ({ body }: Met): readonly string[] => body.results.map(({ result }: { result: string }) => result)

interface Case {
  readonly fault: string
  readonly check: (met: Met) => void
}

const CASES: Readonly<Record<string, Case>> = {
  throttled: {
    fault: 'throttled; retry-after=3',
    check: is(429, ({ headers }) => expect(headers.get('retry-after')).toBe('3')),
  },
  maintenance: { fault: 'maintenance', check: is(503) },
  gateway: { fault: 'gateway', check: is(502, ({ text }) => expect(text).toContain('502 Bad Gateway')) },
  slow: { fault: 'slow; seconds=1', check: is(200) },
  hang: { fault: 'hang; seconds=1', check: is(0) },
  reset: { fault: 'reset', check: is(0) },
  'half-answer': { fault: 'half-answer', check: is(0) },
  'lost-answer': { fault: 'lost-answer', check: is(0) },
  'version-moved': {
    fault: 'version-moved',
    check: is(200, (met) => expect(JSON.parse(resultsOf(met)[0] ?? '').success).toBe(true)),
  },
  'tool-slow': {
    fault: 'tool-slow; seconds=1',
    check: is(200, (met) => expect(JSON.parse(resultsOf(met)[0] ?? '').success).toBe(true)),
  },
  'tool-transient': {
    fault: 'tool-transient',
    check: is(200, (met) =>
      expect(JSON.parse(resultsOf(met)[0] ?? '')).toMatchObject({
        success: false,
        code: 'transient',
        error: expect.stringContaining('nothing was changed'),
        say: expect.any(String),
      }),
    ),
  },
  'tool-broken': {
    fault: 'tool-broken',
    check: is(200, (met) => {
      expect(resultsOf(met)[0]).toMatch(/^\{"success":true/)
      expect(() => JSON.parse(resultsOf(met)[0] ?? '')).toThrow(SyntaxError)
    }),
  },
  duplicate: {
    fault: 'duplicate',
    check: is(200, (met) => expect(JSON.parse(resultsOf(met)[0] ?? '').success).toBe(true)),
  },
}

function is(status: number, more: (met: Met) => void = () => {}): Case['check'] {
  return (met) => {
    expect([met.status, met.text]).toEqual([status, expect.anything()])
    more(met)
  }
}

describe.each(Object.entries(CASES))('%s', (name, { fault, check }) => {
  test('by a header', async () => {
    const met = await info({ 'x-sandbox-fault': fault })
    check(met)
    if (met.status > 0) expect(met.label).toMatch(new RegExp(`^${name}#\\d+$`))
    expect((await exchanges(server, `?fault=${name}&count=1`))[0]?.fault).toMatch(new RegExp(`^${name}#\\d+$`))
  })

  test('by a rule for the tool', async () => {
    const [, ...pairs] = fault.split('; ')
    const values = Object.fromEntries(pairs.map((pair) => pair.split('=')).map(([key, value]) => [key, Number(value)]))
    const rule = { fault: name, when: { tool: INFO }, times: 1, with: values }
    expect((await admin.fhir('PUT', `${FAULTS}/rule`, rule)).status).toBe(201)
    expect((await call(randomUUID(), [{ id: '1', name: 'list_appointment_types' }])).label).toBe(null)
    check(await info())
    expect(await info()).toMatchObject({ status: 200, label: null })
    expect((await server.fhir('GET', `${FAULTS}/rule`)).body).toMatchObject({ matched: 2, fired: 1 })
  })
})

test('no entry of the catalogue for tools is without a case, here or below', () => {
  const ofTools = [...CATALOGUE.values()].filter(({ of }) => of !== 'fhir').map(({ name }) => name)
  expect([...Object.keys(CASES), 'slot-gone', 'moved'].sort()).toEqual(ofTools.sort())
})

describe('a booking by tool', () => {
  const booked = async (header: string) => {
    const { id, caller } = await visits.verified()
    const args = { slotKey: await caller.slotKey() }
    const toolCallId = randomUUID()
    const book = (headers: Record<string, string> = {}, callId: string | null = toolCallId) =>
      call(caller.id, [{ id: callId, name: 'book_appointment', arguments: args }], headers)
    return { id, book, met: await book({ 'x-sandbox-fault': header }) }
  }

  test('finds that somebody else was first, where slot-gone is met', async () => {
    const { id, met } = await booked('slot-gone')
    expect(JSON.parse(resultsOf(met)[0] ?? '')).toMatchObject({ success: false, code: 'slot-unavailable' })
    expect(met.label).toMatch(/^slot-gone#\d+$/)
    expect(await appointmentsOf(visits, id)).toEqual([])
    expect((await appointmentsOf(visits, 'somebody-else')).map(({ status }) => status)).toContain('booked')
  })

  test('is made once, where its answer is lost and it is repeated', async () => {
    const { id, met, book } = await booked('lost-answer')
    expect(met.status).toBe(0)
    expect(await appointmentsOf(visits, id)).toHaveLength(1)
    expect(JSON.parse(resultsOf(await book())[0] ?? '').success).toBe(true)
    expect(await appointmentsOf(visits, id)).toHaveLength(1)
  })

  test('is made once, where the platform repeats it at once', async () => {
    const { id, met } = await booked('duplicate')
    expect(JSON.parse(resultsOf(met)[0] ?? '').success).toBe(true)
    expect(await appointmentsOf(visits, id)).toHaveLength(1)
  })

  test('is moved a while later, where moved is met', async () => {
    const { id, met } = await booked('moved; after=0')
    const { start } = JSON.parse(resultsOf(met)[0] ?? '')
    const timeOf = async () => (await appointmentsOf(visits, id))[0]?.start
    await until(async () => (await timeOf()) !== start)
    expect(Date.parse((await timeOf()) ?? '')).toBeGreaterThan(Date.parse(start))
  })
})

test('a booking with Dr. Gone finds that somebody else was first', async () => {
  const gone = { resourceType: 'Practitioner', id: 'practitioner-gone', name: [{ family: 'Gone', given: ['Greta'] }] }
  const { actor: _actor, ...hours } = await visits.read('Schedule/quill')
  await visits.put(gone)
  await visits.put({
    ...hours,
    resourceType: 'Schedule',
    id: 'gone',
    actor: [{ reference: `Practitioner/${gone.id}` }],
  })
  const { id, caller } = await visits.verified()
  let slotKey = 'none'
  await until(async () => {
    slotKey = await caller.slotKey({ practitionerName: 'Gone' })
    return slotKey !== 'none'
  })
  const met = await call(caller.id, [{ id: '1', name: 'book_appointment', arguments: { slotKey } }])
  expect([JSON.parse(resultsOf(met)[0] ?? '').code, met.label]).toEqual([
    'slot-unavailable',
    expect.stringMatching(/^slot-gone#\d+$/),
  ])
  expect(await appointmentsOf(visits, id)).toEqual([])
})

describe('within one envelope', () => {
  test('a fault of a tool meets its calls alone', async () => {
    await admin.fhir('PUT', `${FAULTS}/rule`, { fault: 'tool-transient', when: { tool: INFO } })
    const met = await call(randomUUID(), [
      { id: '1', name: INFO },
      { id: '2', name: 'list_appointment_types' },
    ])
    expect(resultsOf(met).map((result) => JSON.parse(result).success)).toEqual([false, true])
  })
})

describe('by other doors', () => {
  test('a result that is no JSON is an error of the tool for a client of MCP', async () => {
    const headers = { 'x-voice-secret': 'demo-secret', 'x-call-id': randomUUID(), 'x-sandbox-fault': 'tool-broken' }
    const answer = await callMcpTool({ url: server.url, path: '/mcp', headers }, INFO, {})
    expect(JSON.stringify(answer)).toContain('"isError":true')
  })

  test('with the arguments alone it is the body', async () => {
    const { status, text } = await attempt(
      server,
      'POST',
      ADDRESS[INFO] ?? '',
      {},
      {
        ...{ 'content-type': 'application/json', 'x-voice-secret': 'demo-secret', 'x-call-id': randomUUID() },
        ...{ 'x-sandbox-fault': 'tool-broken', prefer: 'status' },
      },
    )
    expect(status).toBe(200)
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
  })

  test('an unknown name in the header is 400 with the nearest', async () => {
    const { status, body } = await info({ 'x-sandbox-fault': 'tool-brocken' })
    expect([status, body.error]).toEqual([400, expect.stringContaining('the nearest is tool-broken')])
  })
})
