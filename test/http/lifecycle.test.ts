/** The order of refusals, as docs/lifecycle.md has it: a request with several faults is refused for the earliest one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { STAGES } from '../../src/main/http-server.ts'
import { request, startServer, type TestServer } from '../support/server.ts'

const JWT_SECRET = 'one secret for the tokens of this suite'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ JWT_SECRET, MAX_BODY_BYTES: '2000' })
  await server.fhir('PUT', '/Patient/known', { resourceType: 'Patient', id: 'known' })
})
afterAll(() => server.close())

const tokenOf = (clinic: string) =>
  jsonwebtoken.sign({ sub: 'gateway', clinic, role: 'staff', name: 'Gateway' }, JWT_SECRET, { expiresIn: 60 })

interface Fault {
  /** The stage in docs/lifecycle.md. */
  readonly stage: string
  readonly status: number
  readonly fault: Partial<Sent>
}

interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const valid = (): Sent => ({
  method: 'PUT',
  path: '/Patient/known',
  headers: {
    authorization: `Bearer ${tokenOf(DEMO_CLINIC)}`,
    'content-type': 'application/fhir+json',
    accept: 'application/fhir+json',
    'if-match': 'W/"1"',
  },
  body: JSON.stringify({ resourceType: 'Patient', id: 'known' }),
})

/** The earliest stage first. */
const FAULTS: readonly Fault[] = [
  { stage: 'token', status: 401, fault: { headers: { authorization: 'Bearer nonsense' } } },
  { stage: 'clinic', status: 403, fault: { headers: { authorization: `Bearer ${tokenOf('nowhere')}` } } },
  { stage: 'faults', status: 400, fault: { headers: { 'x-sandbox-fault': 'no-such-fault' } } },
  { stage: 'import', status: 403, fault: { headers: { 'x-import': 'true' } } },
  { stage: 'response format', status: 406, fault: { headers: { accept: 'image/png' } } },
  { stage: 'body type', status: 415, fault: { headers: { 'content-type': 'text/csv' } } },
  {
    stage: 'body size',
    status: 413,
    fault: { body: `{"resourceType":"Patient","id":"known","x":"${'x'.repeat(3_000)}"}` },
  },
  { stage: 'body syntax', status: 400, fault: { body: '{' } },
  { stage: 'structure', status: 422, fault: { body: '{"resourceType":"Patient","id":"known","gender":"x"}' } },
  { stage: 'precondition', status: 412, fault: { headers: { 'if-match': 'W/"9"' } } },
]

async function send({ method, path, headers, body }: Sent): Promise<number> {
  return (await request(server.url, method, path, body, headers)).status
}

/** The request with all faults; the earlier one where two are of one part. */
function withFaults(faults: readonly Fault[]): Sent {
  const parts: readonly Partial<Sent>[] = [valid(), ...faults.toReversed().map(({ fault }) => fault)]
  return Object.assign({}, ...parts, { headers: Object.assign({}, ...parts.map(({ headers }) => headers)) })
}

test('a request without a fault is carried out, and changes nothing where nothing is new', async () => {
  expect(await send(valid())).toBe(200)
})

test.each(FAULTS)('a fault of $stage alone is $status', async (fault) => {
  expect(await send(withFaults([fault]))).toBe(fault.status)
})

test.each(FAULTS.map((fault, index) => ({ ...fault, index })))(
  'with the faults of all later stages a request is still refused for its $stage',
  async ({ status, index }) => {
    expect(await send(withFaults(FAULTS.slice(index)))).toBe(status)
  },
)

const page = readFileSync(join(import.meta.dirname, '../../docs/lifecycle.md'), 'utf8')

test('the page names these stages, in this order', () => {
  const named = [...page.matchAll(/^\| \d+ \| \*\*(.+?)\*\*/gm)].map(([, stage]) => stage)
  expect(named.filter((stage) => FAULTS.some((fault) => fault.stage === stage))).toEqual(
    FAULTS.map(({ stage }) => stage),
  )
})

test('the page says of each stage before the interaction what it refuses with', () => {
  const rows = [...page.matchAll(/^\| \d+ \| \*\*(.+?)\*\* \| (.+?) \|/gm)].map(([, name, refusals = '']) => ({
    name,
    refusals: [...refusals.matchAll(/\b[45]\d\d\b/g)].map(([status]) => Number(status)),
  }))
  const refusing = STAGES.filter(({ refusals }) => refusals.length > 0)
  expect(rows.slice(1, 1 + refusing.length)).toEqual(refusing)
  expect(rows[refusing.length + 1]?.name).toBe('import')
})
