/** `npm run sandbox -- record`: a plan drafted from what a client has done, which the same client passes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RunReport } from '../../src/rehearsal/runs/run.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { type CommandLine, commandLine } from './command-line.ts'

let server: TestServer
let line: CommandLine
let admin: { readonly authorization: string }
beforeAll(async () => {
  server = await startServer()
  line = commandLine(server.url)
  admin = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
})
afterAll(() => server.close())

const own = async (method: string, path: string, body?: object) =>
  (await request(server.url, method, `/clinics/demo-clinic/${path}`, body, { ...admin })).body

type Part = 'look' | 'read' | 'register' | 'find' | 'tell'
const ALL: readonly Part[] = ['look', 'read', 'register', 'find', 'tell']

/** A client that does its work by FHIR and by phone. @param run by which its requests are found */
async function work(run: string, parts: readonly Part[] = ALL, more: Readonly<Record<string, string>> = {}) {
  const headers = { 'x-run-id': run, ...more }
  const nina = { resourceType: 'Patient', name: [{ family: 'Recorded' }], birthDate: '1970-01-01' }
  const does: Readonly<Record<Part, () => Promise<unknown>>> = {
    look: () => server.fhir('GET', '/Slot?status=free&start=ge2026-01-01&_count=5', undefined, headers),
    read: () => server.fhir('GET', '/Patient/abernathy-ruth', undefined, headers),
    register: () => server.fhir('POST', '/Patient', nina, headers),
    find: () => server.fhir('POST', '/Patient/$match', nina, headers),
    tell: () => server.tool('/patient-journey/update_registration_field', { firstName: 'Nina' }, headers),
  }
  for (const part of parts) await does[part]()
}

const drafted = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await line.run(['record', ...args])
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

/** The verdict on a client by a stored plan. */
async function judged(plan: string, parts: readonly Part[]): Promise<RunReport> {
  const { run, callPrefix } = await own('POST', 'runs', { plan })
  await work(run, parts, { 'x-call-id': `${callPrefix}${parts.length}` })
  return await own('POST', `runs/${run}/finish`)
}

describe('a draft', () => {
  test('has a step for each kind of request and tool call, in the order in which they came', async () => {
    await work('once')
    const { steps, ...plan } = await drafted('--run', 'once', '--name', 'my-client')
    expect(plan).toMatchObject({ plan: 'my-client', version: '1.0.0' })
    expect(steps.map(({ id, title, expect: expected }: never) => ({ id, title, ...(expected as object) }))).toEqual([
      {
        ...{ id: 'search-slot', title: 'Searches Slot by start, status', interaction: 'search-type', type: 'Slot' },
        ...{ query: { start: '', status: '' }, status: 200 },
      },
      { id: 'read-patient', title: 'Reads Patient', interaction: 'read', type: 'Patient', status: 200 },
      { id: 'create-patient', title: 'Creates Patient', interaction: 'create', type: 'Patient', status: 201 },
      {
        ...{ id: 'match-patient', title: 'Calls Patient $match', interaction: 'operation', type: 'Patient' },
        ...{ operation: '$match', status: 200 },
      },
      {
        ...{ id: 'update-registration-field', title: 'Calls update_registration_field' },
        ...{ tool: 'update_registration_field', result: { success: true } },
      },
    ])
  })

  test('asks as often as it came, takes requests of one kind for one, and what was refused for optional', async () => {
    await work('often', ['read', 'look', 'read'])
    await server.fhir('GET', '/Patient/nobody', undefined, { 'x-run-id': 'often' })
    const { steps } = await drafted('--run', 'often')
    expect(steps.map(({ id, times, optional }: never) => [id, times, optional])).toEqual([
      ['read-patient', { least: 2 }, undefined],
      ['search-slot', undefined, undefined],
      ['read-patient-refused-404', undefined, true],
    ])
  })

  test('is of a call, or of all that has come in since a time', async () => {
    await work('called', ['tell'], { 'x-call-id': 'recorded-call' })
    expect((await drafted('--call', 'recorded-call')).steps).toHaveLength(1)
    expect((await drafted('--since', '1h')).steps.length).toBeGreaterThan(4)
  })

  test('leaves out what met a fault, and says so', async () => {
    await work('faulty', ['look'])
    await server.fhir('GET', '/Slot', undefined, { 'x-run-id': 'faulty', 'x-sandbox-fault': 'throttled' })
    const { code, stdout, stderr } = await line.run(['record', '--run', 'faulty'])
    expect([code, JSON.parse(stdout).steps.length]).toEqual([0, 1])
    expect(stderr).toMatch(/^Left out: 1 that met a fault/)
  })
})

describe('a stored draft', () => {
  beforeAll(async () => {
    await work('model')
    const { code, stdout } = await line.run(['record', '--run', 'model', '--name', 'as-model', '--store'])
    expect([code, stdout]).toEqual([0, 'Stored as-model: 5 steps\n'])
  })

  test('is passed by the same client', async () => {
    expect(await judged('as-model', ALL)).toMatchObject({ result: 'pass', score: 100 })
  })

  test.each([
    ['look', 'search-slot'],
    ['read', 'read-patient'],
    ['register', 'create-patient'],
    ['find', 'match-patient'],
    ['tell', 'update-registration-field'],
  ] as const)('is failed by one that leaves out to %s, in that step alone', async (part, step) => {
    const { result, steps } = await judged(
      'as-model',
      ALL.filter((one) => one !== part),
    )
    expect([result, steps.filter((one) => one.result === 'fail').map(({ id }) => id)]).toEqual(['fail', [step]])
  })
})

test.each([
  ['no choice of requests', [], /^Which requests\? One of --since TIME, --run ID and --call ID/],
  ['two of them', ['--run', 'a', '--call', 'b'], /^Which requests\?/],
  ['a time that is none', ['--since', 'yesterday'], /^'yesterday' is no time: 10m, 1h/],
  [
    'a run of which nothing is recorded',
    ['--run', 'nothing'],
    /^No request of FHIR and no tool call is recorded in run/,
  ],
])('%s ends with 2, and says what would be right', async (_what, args, said) => {
  const { code, stdout, stderr } = await line.run(['record', ...args])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(said)
})

test('a name that is none is refused with 1, as the server says', async () => {
  await work('named', ['look'])
  const { code, stderr } = await line.run(['record', '--run', 'named', '--name', 'My client'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('lower-case words joined by hyphens')])
})
