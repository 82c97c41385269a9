/** Responses and log entries when the store is unavailable. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { failureOf, faultOf } from '../../src/http/errors.ts'
import { QueueFull } from '../../src/isolation/fair-queue.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'

const AWAY = new StoreUnavailable('the server is gone')
const FULL = new StoreUnavailable('the disk is full', { reason: 'full' })
const UNKNOWN = new StoreUnavailable('lost on the way', { mayBeWritten: true })

let server: TestServer
/** The fault that writes fail with. */
let fault: StoreUnavailable | undefined
beforeAll(async () => {
  const real = await openTestStore()
  const store: ResourceStore = {
    ...real,
    write: async (changes) => {
      if (fault !== undefined) throw fault
      await real.write(changes)
    },
  }
  server = await startServer({}, { store })
  // The first request of a clinic stores the resources that the server ships.
  await server.fhir('GET', '/Patient')
})
afterAll(() => server.close())
beforeEach(() => {
  fault = undefined
})

const PATIENT = { resourceType: 'Patient', active: true }

describe.each([
  ['away', AWAY, 503, 'transient', '5', 'nothing was changed'],
  ['full', FULL, 507, 'no-store', '60', 'free space'],
  ['lost while it wrote', UNKNOWN, 503, 'transient', '5', 'stored as a whole, or not at all'],
])('a store that is %s', (_what, met, status, code, retryAfter, said) => {
  beforeEach(() => {
    fault = met
  })

  test('is an OperationOutcome that says what was written and what to do, and Retry-After', async () => {
    const { headers, body, ...answer } = await server.fhir('POST', '/Patient', PATIENT)
    expect([answer.status, headers.get('retry-after'), body.resourceType]).toEqual([
      status,
      retryAfter,
      'OperationOutcome',
    ])
    expect(body.issue).toEqual([{ severity: 'error', code, diagnostics: expect.stringContaining(said) }])
  })

  test('is the answer of each entry of a batch that writes', async () => {
    const entry = [
      { resource: PATIENT, request: { method: 'POST', url: 'Patient' } },
      { request: { method: 'GET', url: 'Patient?_count=1' } },
    ]
    const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    const statuses = body.entry.map(({ response }: { response: { status: string } }) =>
      Number(response.status.slice(0, 3)),
    )
    expect(statuses).toEqual([status, 200])
  })

  test('is an error in JSON on a route that is not FHIR, and its code in the result of a tool', async () => {
    const login = await fetch(`${server.url}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":"demo","password":"demo"}',
    })
    expect([login.status, await login.json()]).toEqual([status, { error: expect.stringContaining(said) }])
    const result = await server.tool('/patient-journey/update_registration_field', { email: 'jane@example.org' })
    expect(result).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(said),
      say: expect.any(String),
    })
  })
})

describe('a queue for the work threads', () => {
  const failureBy = (by: QueueFull['by']) =>
    failureOf(new QueueFull(by, 32), pino({ level: 'silent' }), { method: 'POST', route: '/:type' })

  test('that is full of one clinic is 429, with Retry-After and how many may wait', () => {
    expect(failureBy('clinic')).toMatchObject({
      status: 429,
      code: 'throttled',
      headers: {
        'retry-after': '5',
        'ratelimit-policy': '"clinic-waiting";q=32;qu="concurrent-requests"',
        ratelimit: '"clinic-waiting";r=0;t=5',
      },
    })
  })

  test('that is full of all is 503, with Retry-After', () => {
    expect(failureBy('all')).toMatchObject({ status: 503, code: 'throttled', headers: { 'retry-after': '5' } })
  })
})

describe('the log', () => {
  const place = { method: 'POST', route: '/:type' }

  function logged(...errors: readonly unknown[]): readonly Record<string, unknown>[] {
    const lines: Record<string, unknown>[] = []
    const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
    for (const error of errors) failureOf(error, logger, place)
    return lines
  }

  test('has the reason of a store that cannot serve, once for many requests that meet it', () => {
    expect(logged(FULL, FULL, AWAY)).toEqual([
      expect.objectContaining({ level: 40, msg: 'the store cannot serve', reason: 'the disk is full', ...place }),
    ])
  })

  test('has the kind and the place of an unexpected fault, not its message, not even where that looks like a place', () => {
    const error = new TypeError('Jane Roe\n    at 5 Main Street')
    expect(logged(error)).toEqual([expect.objectContaining({ level: 50, fault: faultOf(error), ...place })])
    expect(faultOf(error).stack[0]).toContain('fault.test.ts')
    expect(JSON.stringify(logged(error))).not.toMatch(/Jane|Main Street/)
  })
})
