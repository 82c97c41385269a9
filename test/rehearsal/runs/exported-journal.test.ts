/** The report of a run, made again from the journal as it was exported. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { REFERENCE_CLIENTS } from '../plans/clients/reference-clients.ts'
import { askAs, type Rehearsed, startRehearsed } from '../rehearsed.ts'

let at: Rehearsed
beforeAll(async () => {
  at = await startRehearsed()
})
afterAll(() => at.server.close())

interface Step {
  readonly id: string
  readonly attest?: string
}

const NDJSON = { 'content-type': 'application/x-ndjson' }

const judge = async (token: string, clinic: string, query: string, body: string) => {
  const headers = { authorization: `Bearer ${token}`, ...NDJSON }
  const url = `${at.server.url}/clinics/${clinic}/plans/$dry-run${query}`
  const response = await fetch(url, { method: 'POST', headers, body })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test.each(REFERENCE_CLIENTS)('$plan is judged by an exported journal as by the journal', async ({ plan, good }) => {
  const { body: opened } = await at.ask('POST', '/runs', { plan, clientName: 'a client', clone: true })
  const { token, clinic, run } = opened
  await new good(opened).run()
  const { body: finished } = await askAs(at.server, token, 'POST', `/clinics/${clinic}/runs/${run}/finish`, {})
  const path = `/clinics/${clinic}/exchanges/export?format=ndjson&run=${run}`
  const { text } = await askAs(at.server, token, 'GET', path)
  const again = await judge(token, clinic, `?plan=${plan}`, text)
  expect(again.status).toBe(200)
  const attested = finished.steps.filter((step: Step) => step.attest !== undefined).map(({ id }: Step) => id)
  const byTraffic = (steps: readonly Step[]) => steps.filter(({ id }) => !attested.includes(id))
  // The steps of a run are shown with what the plan says of them.
  expect(byTraffic(finished.steps)).toMatchObject(byTraffic(again.body.steps))
  expect(again.body).toMatchObject({ traffic: finished.traffic, observed: finished.observed })
})

describe('an exported journal', () => {
  const exchange = {
    ...{
      number: 7,
      id: 'x',
      time: '2026-11-28T10:00:00Z',
      direction: 'in',
      method: 'GET',
      address: '/Slot?status=free',
    },
    ...{ status: 200, duration: 3, interaction: 'search-type', type: 'Slot' },
    ...{ request: { headers: {} }, response: { headers: {} } },
  }
  const judged = async (lines: readonly unknown[], query = '?plan=availability') => {
    const admin = await at.server.login('admin', 'admin')
    return await judge(admin, 'demo-clinic', query, lines.map((line) => JSON.stringify(line)).join('\n'))
  }

  test('with a gap decides nothing that the gap may have', async () => {
    const gap = { number: 8, gap: { count: 3, from: exchange.time, to: exchange.time, why: 'queue-full' } }
    const { body } = await judged([gap, exchange])
    expect(body.traffic).toMatchObject({ exchanges: 1, byStatus: { '2xx': 1 } })
    expect(body.notes).toEqual([expect.stringContaining('missing from the journal')])
    expect(body.steps.map(({ result }: { result: string }) => result)).not.toContain('fail')
  })

  test.each<[string, unknown, string]>([
    ['a number', 1, 'Line 2 is no exchange'],
    ['an exchange without a number', { ...exchange, number: undefined }, 'Line 2 is no exchange'],
    ['an exchange of no time', { ...exchange, time: 'yesterday' }, 'Line 2 is no exchange'],
    ['tools that are no list', { ...exchange, tools: { tool: 'x' } }, 'Line 2 is no exchange'],
    ['a header that is no text', { ...exchange, request: { headers: { a: 1 } } }, 'Line 2 is no exchange'],
    ['a body that is no text', { ...exchange, response: { headers: {}, body: { text: 1 } } }, 'Line 2 is no exchange'],
  ])('with %s is refused, and the line is named', async (_what, line, message) => {
    const { status, body } = await judged([exchange, line])
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)])
  })

  test('with too many lines, or for a plan that there is not, is refused', async () => {
    expect((await judged(Array(2_001).fill(exchange))).status).toBe(400)
    expect((await judged([exchange], '?plan=nothing')).status).toBe(404)
  })

  test('is judged for admins alone', async () => {
    const staff = await at.server.login('demo', 'demo')
    expect((await judge(staff, 'demo-clinic', '?plan=availability', JSON.stringify(exchange))).status).toBe(403)
  })
})
