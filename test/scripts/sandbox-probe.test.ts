/** `npm run sandbox -- probe`: what it asks of a server, which mistakes it finds, and what it does not do. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { reportDifferences } from '../../scripts/sandbox/probe/report-differences.ts'
import { runProbe, STEPS } from '../../scripts/sandbox/probe/run-probe.ts'
import { junitProblems } from '../rehearsal/reports/junit-schema.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type CommandLine, commandLine } from './command-line.ts'
import { type SmallServer, startSmallServer } from './small-server.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-probe-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string) => join(folder, name)

const ALL = STEPS.map(({ id }) => id)

describe('this server', () => {
  let server: TestServer
  let line: CommandLine
  beforeAll(async () => {
    server = await startServer()
    line = commandLine(server.url)
  })
  afterAll(() => server.close())

  const count = async (type: string) => (await server.fhir('GET', `/${type}?_summary=count`)).body.total

  test('passes every step, and has afterwards what it had before', async () => {
    const before = [await count('Patient'), await count('Appointment'), await count('DocumentReference')]
    const { code, stdout, stderr } = await line.run(['probe', '--json'])
    const { steps, ...report } = JSON.parse(stdout)
    expect(steps.map(({ id, result, message }: never) => [id, result, message])).toEqual(
      ALL.map((id) => [id, 'pass', expect.any(String)]),
    )
    expect(report).toMatchObject({ result: 'pass', score: 100, clinic: 'demo-clinic', notes: [] })
    expect([code, stderr]).toEqual([0, ''])
    expect([await count('Patient'), await count('Appointment'), await count('DocumentReference')]).toEqual(before)
  })

  test('is named in each line by the ids of its journal, and the report is written as JUnit XML and Markdown', async () => {
    const { code } = await line.run(['probe', '--junit', file('out.xml'), '--markdown', file('out.md')])
    expect(code).toBe(0)
    const junit = readFileSync(file('out.xml'), 'utf8')
    expect(junitProblems(junit)).toEqual([])
    const [, exchange = ''] = /GET \/Schedule\?_count=5 200.*\/dashboard\/journal\/([\w-]+)/.exec(junit) ?? []
    const found = await server.fhir('GET', `/clinics/demo-clinic/exchanges/${exchange}`)
    expect(found.body).toMatchObject({ method: 'GET', address: '/Schedule?_count=5' })
    expect(readFileSync(file('out.md'), 'utf8')).toContain(': pass')
  })

  test('is asked below a strictness profile, where what the profile does not offer is skipped', async () => {
    const { stdout } = await line.run(['probe', `${server.url}/as/athena-fhir`, '--json'])
    const { steps, base, as } = JSON.parse(stdout)
    expect([base, as]).toEqual([`${server.url}/as/athena-fhir`, 'athena-fhir'])
    expect(steps.find(({ id }: { id: string }) => id === 'patient-create')).toMatchObject({
      ...{ result: 'skip', optional: true },
      message: 'The CapabilityStatement does not offer the interaction create of Patient.',
    })
  })
})

describe('another server', () => {
  let small: SmallServer
  beforeEach(async () => {
    small = await startSmallServer()
  })
  afterEach(() => small.close())

  const failing = async () => {
    const { steps } = await runProbe({ base: small.url })
    return steps.filter(({ result }) => result === 'fail' || result === 'error').map(({ id }) => id)
  }

  test('that does everything right passes every step', async () => {
    const { steps, result, score, notes } = await runProbe({ base: small.url })
    expect(steps.map(({ id, result: one, message }) => [id, one, message])).toEqual(
      ALL.map((id) => [id, 'pass', expect.any(String)]),
    )
    expect([result, score, notes]).toEqual(['pass', 100, []])
  })

  test.each(ALL)('that does wrong what %s is about fails that step and no other', async (id) => {
    small.mistakes.add(id)
    expect(await failing()).toEqual([id])
  })

  test('that does not offer something is not judged by it, and what is missing is named', async () => {
    for (const one of ['Slot/search-type', 'Patient/$match', 'Appointment/$hold']) small.unoffered.add(one)
    const { steps, result, score } = await runProbe({ base: small.url })
    const skipped = new Map(steps.filter((step) => step.result === 'skip').map(({ id, message }) => [id, message]))
    expect([...skipped.keys()]).toEqual([
      ...['slot-free', 'slot-range', 'match-certain', 'match-none', 'match-duplicate', 'match-only-certain'],
      ...['book', 'book-read', 'slot-busy', 'book-again', 'reschedule', 'reschedule-slots', 'stale-update', 'cancel'],
      ...['cancel-frees', 'hold', 'hold-again', 'book-held'],
    ])
    expect(skipped.get('hold')).toBe('The CapabilityStatement does not offer the operation $hold of Appointment.')
    expect(skipped.get('book')).toBe('It goes on from the step slot-free, which did not pass.')
    expect([result, score]).toEqual(['pass', 100])
  })

  test('that deletes nothing keeps what was created, visits cancelled, and the report names it', async () => {
    small.mistakes.add('delete')
    const { result, notes } = await runProbe({ base: small.url })
    expect([result, notes]).toEqual(['pass', [expect.stringMatching(/^The server keeps .*: .*Patient\//)]])
    const visits = [...small.store.values()].filter(({ resourceType }) => resourceType === 'Appointment')
    expect(new Set(visits.map(({ status }) => status))).toEqual(new Set(['cancelled']))
  })

  test('that has no answer is an error and no failure', async () => {
    await small.close()
    const { steps, result } = await runProbe({ base: small.url })
    expect(steps[0]).toMatchObject({ result: 'error', message: 'GET /metadata has no response: ECONNREFUSED.' })
    expect([result, steps.filter((step) => step.result === 'skip').length]).toEqual(['error', ALL.length - 1])
    small = await startSmallServer()
  })

  test('that redirects elsewhere is not followed, and its token goes nowhere', async () => {
    const { steps } = await runProbe({ base: `${small.url}/elsewhere`, token: 'secret' })
    expect(steps[0]?.message).toBe('It redirects to another server, http://127.0.0.2.')
  })

  test('is compared with the report of a server by what ends otherwise', async () => {
    const right = await runProbe({ base: small.url })
    small.mistakes.add('cancel-frees')
    const wrong = await runProbe({ base: small.url })
    expect(reportDifferences(right, right)).toEqual([])
    const [step, why, ...more] = reportDifferences(wrong, right)
    expect(step).toBe(`The Slot of a cancelled visit is free: fail at ${small.url}, pass at ${small.url}`)
    expect([why, more]).toEqual([expect.stringMatching(/^ {2}Slot\/.* is busy, not free\.$/), []])
  })
})

describe('the command', () => {
  let small: SmallServer
  let line: CommandLine
  beforeAll(async () => {
    small = await startSmallServer()
    line = commandLine('http://127.0.0.1:9')
  })
  afterAll(() => small.close())

  test('shows each step, ends with 1 where one fails, and says what is different from another report', async () => {
    const right = await line.run(['probe', small.url, '--json'])
    expect(right.code).toBe(0)
    writeFileSync(file('right.json'), right.stdout)
    small.mistakes.add('patient-read')
    const { code, stdout, stderr } = await line.run(['probe', small.url, '--against', file('right.json')])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {5}Reads the Patient as it was created\n {9}The birth date is 1900-01-01, not 1961-/m)
    expect(stderr).toMatch(/^Different from .*\nReads the Patient as it was created: fail at .*, pass at /)
  })

  test.each([
    ['a server that is elsewhere', ['https://fhir.example/r4'], /^fhir\.example is not this machine, .* --anywhere/],
    ['an address that is none', ['fhir.example'], /^'fhir\.example' is no address/],
    ['a report that is none', ['http://127.0.0.1:9', '--against', '/'], /^\/ is no report such as probe --json writes/],
    ['a sandbox that is not there', [], /^http:\/\/127\.0\.0\.1:9 does not respond/],
  ])('%s ends with 2, and says what would be right', async (_what, args, said) => {
    const { code, stdout, stderr } = await line.run(['probe', ...args])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
  })
})
