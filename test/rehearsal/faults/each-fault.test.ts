/** Each fault of the catalogue for FHIR requests, named by a header and by a rule: the same, and true in the data. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { type Visits, visitsOn } from '../../support/appointment-operations.ts'
import { visit } from '../../support/booking.ts'
import { attempt, FAULTS, type Met } from '../../support/faults.ts'
import { exchanges } from '../../support/journal.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/server-process.ts'
import { withToken } from '../../support/two-clinics.ts'

let server: TestServer
let visits: Visits
/** Changes the rules, which staff may not. */
let admin: TestServer
const clock = { now: Date.now() }
beforeAll(async () => {
  server = await startServer({}, { clock: () => clock.now })
  visits = visitsOn(server)
  await visits.open()
  admin = withToken(server, await server.login('admin', 'admin'))
})
afterEach(() => admin.fhir('DELETE', FAULTS))
afterAll(() => server.close())

/** A request, and what is looked at behind it. */
interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

interface Case {
  /** Names its parameters too, short ones where it waits. */
  readonly fault: string
  readonly prepare: () => Promise<Sent>
  readonly check: (met: Met, sent: Sent) => Promise<void> | void
}

const family = () => `Fault-${randomUUID()}`
const create = async (name = family()): Promise<Sent> => ({
  method: 'POST',
  path: '/Patient',
  body: { resourceType: 'Patient', name: [{ family: name }] },
})
const search = async (): Promise<Sent> => ({ method: 'GET', path: '/Patient?_count=5&_sort=_id' })
const booking = async (): Promise<Sent> => ({
  method: 'POST',
  path: '/Appointment',
  body: visit(await visits.slots()),
})

const stored = async ({ body }: Sent): Promise<number> => {
  const { name } = body as { name: [{ family: string }] }
  return (await server.fhir('GET', `/Patient?family=${name[0].family}`)).body.total
}

const slotOf = ({ body }: Sent): string => (body as { slot: [{ reference: string }] }).slot[0].reference

const visitsIn = async (sent: Sent) =>
  (await server.fhir('GET', `/Appointment?slot=${slotOf(sent)}`)).body.entry?.map(
    ({ resource }: { resource: object }) => resource,
  ) ?? []

const is =
  (status: number, more: (met: Met) => void = () => {}) =>
  async (met: Met, sent: Sent) => {
    expect([met.status, met.text]).toEqual([status, expect.anything()])
    more(met)
    // A request that a fault answers is not handled.
    if (sent.method === 'POST') expect(await stored(sent)).toBe(0)
  }

const CASES: Readonly<Record<string, Case>> = {
  throttled: {
    fault: 'throttled; retry-after=3',
    prepare: create,
    check: is(429, ({ headers, body }) =>
      expect([headers.get('retry-after'), body.issue[0].code]).toEqual(['3', 'throttled']),
    ),
  },
  maintenance: {
    fault: 'maintenance; form=date',
    prepare: create,
    check: is(503, ({ headers, body }) => {
      expect(Date.parse(headers.get('retry-after') ?? '')).toBeGreaterThan(Date.parse('2026-01-01'))
      expect(body.issue[0].code).toBe('transient')
    }),
  },
  gateway: {
    fault: 'gateway; status=504',
    prepare: create,
    check: is(504, ({ headers, text }) =>
      expect([headers.get('content-type'), text]).toEqual([
        'text/html; charset=utf-8',
        expect.stringContaining('<h1>504 Gateway Time-out</h1>'),
      ]),
    ),
  },
  'token-expired': {
    fault: 'token-expired',
    prepare: create,
    check: is(401, ({ headers, text }) =>
      expect([headers.get('www-authenticate'), text]).toEqual([expect.stringContaining('invalid_token'), '']),
    ),
  },
  'no-scope': { fault: 'no-scope', prepare: create, check: is(403, ({ text }) => expect(text).toBe('')) },
  slow: {
    fault: 'slow; seconds=1',
    prepare: create,
    check: async ({ status }, sent) => {
      expect(status).toBe(201)
      expect(await stored(sent)).toBe(1)
    },
  },
  hang: { fault: 'hang; seconds=1', prepare: create, check: lost(0) },
  reset: { fault: 'reset', prepare: create, check: lost(0) },
  'half-answer': {
    fault: 'half-answer',
    prepare: create,
    check: async (met, sent) => {
      // The head has arrived, with the length of all of the body.
      expect(Number(met.headers.get('content-length'))).toBeGreaterThan(100)
      await lost(1)(met, sent)
    },
  },
  'lost-answer': { fault: 'lost-answer', prepare: create, check: lost(1) },
  'version-moved': {
    fault: 'version-moved',
    prepare: async () => {
      const { body } = await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: family() }] })
      const changed = { ...body, gender: 'other' }
      return { method: 'PUT', path: `/Patient/${body.id}`, body: changed, headers: { 'if-match': 'W/"1"' } }
    },
    check: async ({ status }, { path }) => {
      expect(status).toBe(412)
      const { body } = await server.fhir('GET', path)
      expect([body.meta.versionId, body.meta.tag[0].code, body.gender]).toEqual(['2', 'version-moved', undefined])
    },
  },
  'slot-gone': {
    fault: 'slot-gone',
    prepare: booking,
    check: async ({ status, body }, sent) => {
      expect([status, body.issue[0].details.coding[0].code]).toEqual([409, 'slot-unavailable'])
      expect((await visits.read(slotOf(sent))).status).toBe('busy')
      const [other, ...more] = await visitsIn(sent)
      expect(more).toEqual([])
      expect(other).toMatchObject({
        status: 'booked',
        participant: [{ actor: { reference: 'Patient/somebody-else' } }],
      })
      expect((await visits.read('Patient/somebody-else')).name).toEqual([{ family: 'Else', given: ['Somebody'] }])
    },
  },
  moved: {
    fault: 'moved; after=60',
    prepare: async () => {
      const [first = '', second = ''] = await visits.slots(2)
      return { method: 'POST', path: '/Appointment', body: visit([first]), headers: { 'x-next': second } }
    },
    check: async ({ status, body }, sent) => {
      expect(status).toBe(201)
      clock.now += 61_000
      await until(async () => (await visits.read(slotOf(sent))).status === 'free')
      const moved = await visits.read(`Appointment/${body.id}`)
      expect(moved).toMatchObject({ status: 'booked', comment: 'Moved by the practice' })
      expect(Date.parse(moved.start)).toBeGreaterThan(Date.parse(body.start))
    },
  },
  accepted: {
    fault: 'accepted',
    prepare: create,
    check: async ({ status, text }, sent) => {
      expect([status, text]).toEqual([202, ''])
      expect(await stored(sent)).toBe(1)
    },
  },
  'empty-201': {
    fault: 'empty-201',
    prepare: create,
    check: async ({ status, text, headers }, sent) => {
      expect([status, text]).toEqual([201, ''])
      expect(headers.get('location')).toMatch(/\/Patient\/[^/]+\/_history\/1$/)
      expect(await stored(sent)).toBe(1)
    },
  },
  'outcome-in-bundle': {
    fault: 'outcome-in-bundle; severity=error',
    prepare: search,
    check: ({ status, body }) => {
      expect(status).toBe(200)
      const modes = body.entry.map(({ search: { mode } }: { search: { mode: string } }) => mode)
      expect(modes).toEqual(['match', 'match', 'match', 'match', 'match', 'outcome'])
      expect(body.entry.at(-1).resource.issue[0].severity).toBe('error')
    },
  },
  'unknown-extension': {
    fault: 'unknown-extension',
    prepare: search,
    check: ({ body }) => {
      for (const { resource } of body.entry)
        expect(resource.extension.at(-1).url).toBe('https://unknown.example/fhir/StructureDefinition/unknown')
    },
  },
  'unknown-modifier': {
    fault: 'unknown-modifier',
    prepare: async () => ({ method: 'GET', path: '/Patient/abernathy-ruth' }),
    check: ({ body }) =>
      expect(body.modifierExtension).toEqual([
        { url: 'https://unknown.example/fhir/StructureDefinition/unknown-modifier', valueString: 'unknown' },
      ]),
  },
  'small-pages': {
    fault: 'small-pages; count=2',
    prepare: search,
    check: ({ body }) => {
      expect(body.entry).toHaveLength(2)
      expect(body.link.map(({ relation }: { relation: string }) => relation)).toEqual(['self', 'next'])
    },
  },
  'page-expired': {
    fault: 'page-expired',
    prepare: async () => {
      const { body } = await server.fhir('GET', '/Patient?_count=1')
      const { url } = body.link.find(({ relation }: { relation: string }) => relation === 'next')
      return { method: 'GET', path: url.slice(url.indexOf('/Patient')) }
    },
    check: is(410, ({ body }) => expect(body.issue[0].code).toBe('deleted')),
  },
}

/** The connection broke, and so many resources are stored. */
function lost(count: number): Case['check'] {
  return async ({ status }, sent) => {
    expect(status).toBe(0)
    expect(await stored(sent)).toBe(count)
  }
}

const send = ({ method, path, body, headers }: Sent, more: Record<string, string> = {}) =>
  attempt(server, method, path, body, { ...headers, ...more })

/** The faults of the newest exchange that met one. */
const journaled = async (name: string) => (await exchanges(server, `?fault=${name}&count=1`))[0]

const BREAKS: readonly string[] = ['hang', 'reset', 'half-answer', 'lost-answer']

describe.each(Object.entries(CASES))('%s', (name, { fault, prepare, check }) => {
  const expectTold = async (met: Met) => {
    const label = expect.stringMatching(new RegExp(`^${name}#[1-9]\\d*$`))
    if (met.status !== 0 || name === 'half-answer') expect(met.label).toEqual(label)
    expect(await journaled(name)).toMatchObject(
      BREAKS.includes(name) ? { fault: label, outcome: 'broken', status: 0 } : { fault: label, status: met.status },
    )
  }

  test('by a header', async () => {
    const sent = await prepare()
    const met = await send(sent, { 'x-sandbox-fault': fault })
    await check(met, sent)
    await expectTold(met)
  })

  test('by a rule, as often as it says', async () => {
    const sent = await prepare()
    const [, ...pairs] = fault.split('; ')
    const values = Object.fromEntries(
      pairs.map((pair) => pair.split('=')).map(([key, value = '']) => [key, numeric(value)]),
    )
    const { status } = await admin.fhir('PUT', `${FAULTS}/once`, { fault: name, times: 1, with: values })
    expect(status).toBe(201)
    const met = await send(sent)
    await check(met, sent)
    await expectTold(met)
    expect((await server.fhir('GET', `${FAULTS}/once`)).body).toMatchObject({ fired: 1, last: expect.any(String) })
    const unharmed = await send(await prepare())
    expect([unharmed.status < 300, unharmed.label]).toEqual([unharmed.status !== 0, null])
  })
})

const numeric = (value: string): string | number => (/^\d+$/.test(value) && value.length < 3 ? Number(value) : value)

test('no entry of the catalogue for FHIR is without a case', () => {
  const ofFhir = [...CATALOGUE.values()].filter(({ of }) => of !== 'tools').map(({ name }) => name)
  expect(Object.keys(CASES).sort()).toEqual(ofFhir.sort())
})
