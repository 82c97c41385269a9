/** `npm run sandbox -- run`: a program is judged by a plan, or whoever sends requests; what is shown, and how it ends. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { type CommandLine, commandLine } from './command-line.ts'

let server: TestServer
let line: CommandLine
let folder: string
let admin: { readonly authorization: string }
const own = (method: string, path: string, body?: object) =>
  request(server.url, method, `/clinics/demo-clinic/${path}`, body, { ...admin })

const LOOKS = {
  ...{ plan: 'looks', title: 'Looks for free slots', version: '1.0.0', description: 'The first thing of a scheduler' },
  steps: [
    {
      ...{ id: 'look', title: 'Searches free slots', source: 'https://hl7.org/fhir/R4/slot.html' },
      expect: { interaction: 'search-type', type: 'Slot', query: { status: 'free' } },
    },
  ],
}
const TOLD = {
  ...LOOKS,
  ...{ plan: 'told', title: 'Tells the time', scenario: 'empty' },
  steps: [{ ...LOOKS.steps[0], id: 'quiet', expect: undefined, never: { type: 'Patient' } }],
}

beforeAll(async () => {
  server = await startServer()
  line = commandLine(server.url)
  folder = mkdtempSync(join(tmpdir(), 'sandbox-run-'))
  admin = { authorization: `Bearer ${await server.login('admin', 'admin')}` }
  for (const plan of [LOOKS, TOLD]) await own('PUT', `plans/${plan.plan}`, plan)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A client in a line of JavaScript, with `ask` for requests of its run. */
const client = (source: string): readonly string[] => [
  '--',
  process.execPath,
  '-e',
  `const { BASE, TOKEN, RUN, CLINIC, CALL_PREFIX, DIALED_NUMBER } = process.env
   const ask = (path) => fetch(BASE + path, { headers: { authorization: 'Bearer ' + TOKEN, 'x-sandbox-run': RUN, 'x-run-id': RUN } })
   ;(async () => { ${source} })()`,
]
const GOOD = "await ask('/Slot?status=free')"
const BAD = "await ask('/Slot?status=busy')"

/** The newest run, as the server knows it. */
const newest = async () => (await own('GET', 'runs')).body.runs[0]

describe('a program', () => {
  test('that does what the plan asks ends with 0, and each step is shown with its evidence', async () => {
    const { code, stdout, stderr } = await line.run([
      'run',
      'looks',
      '--wait',
      '--client',
      'Scheduler 2.1',
      ...client(GOOD),
    ])
    expect([code, stderr]).toEqual([0, ''])
    const { run } = await newest()
    expect(stdout.split('\n')).toEqual([
      'pass     Searches free slots',
      '         GET /Slot?status=free 200 came as expected.',
      expect.stringMatching(/^ {9}expect: GET \/Slot\?status=free 200 {2}[\w-]{36}$/),
      'Looks for free slots: pass, 1 of 1 steps pass (100 %)',
      `${server.url}/dashboard/runs/${run}`,
      '',
    ])
    expect(await newest()).toMatchObject({ client: 'Scheduler 2.1', status: 'finished', result: 'pass' })
  })

  test('that does not ends with 1, and the nearest exchange is named', async () => {
    const { code, stdout } = await line.run(['run', 'looks', ...client(BAD)])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail {5}Searches free slots\n.*but status is busy, not free\.\n +nearest: GET \/Slot/)
  })

  test('that fails itself is said to, and decides nothing', async () => {
    const { code, stderr } = await line.run(['run', 'looks', ...client(`${GOOD}; process.exit(3)`)])
    expect([code, stderr]).toEqual([0, `${process.execPath} ended with 3\n`])
  })

  test('that cannot be started ends with 2, and leaves no run open', async () => {
    const { code, stderr } = await line.run(['run', 'looks', '--', join(folder, 'nothing')])
    expect([code, stderr]).toEqual([2, expect.stringContaining('nothing could not be started: ')])
    expect(await newest()).toMatchObject({ status: 'aborted' })
  })

  test('gets the address, token, run, clinic, call prefix and number, and its standard output is shown', async () => {
    const shown = await line.run([
      ...['run', 'looks', '--as', 'strict-r4'],
      ...client('console.log([BASE, RUN, CLINIC, CALL_PREFIX, DIALED_NUMBER].join())'),
    ])
    const { run } = await newest()
    expect(shown.stdout.split('\n')[0]).toBe(
      [`${server.url}/as/strict-r4`, run, 'demo-clinic', `${run}-`, '+12125550100'].join(),
    )
  })

  test('runs in a clinic of its own, of the scenario of the plan, with that clinic as its admin', async () => {
    const { code, stdout } = await line.run([
      ...['run', 'told', '--clone', '--json'],
      ...client("if ((await (await ask('/Location')).json()).total !== 0) await ask('/Patient')"),
    ])
    const { clinic, result } = JSON.parse(stdout)
    expect([code, result]).toEqual([0, 'pass'])
    expect(clinic).not.toBe('demo-clinic')
  })

  test('that is interrupted has no verdict: the run is aborted, and it ends with 2', async () => {
    const child = line.start(['run', 'looks', ...client("console.log('going'); setTimeout(() => {}, 600_000)")])
    await once(child.stdout as NodeJS.EventEmitter, 'data')
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([2, null])
    expect(await newest()).toMatchObject({ status: 'aborted' })
  })
})

describe('report files', () => {
  test('are what the server makes of the run', async () => {
    const file = (name: string) => join(folder, name)
    const files = ['--junit', file('out.xml'), '--html', file('out.html'), '--markdown', file('out.md')]
    expect((await line.run(['run', 'looks', ...files, ...client(BAD)])).code).toBe(1)
    const { run } = await newest()
    for (const [name, form] of Object.entries({ 'out.xml': 'xml', 'out.html': 'html', 'out.md': 'md' }))
      expect(readFileSync(file(name), 'utf8')).toBe((await own('GET', `runs/${run}.${form}`)).text)
    expect(readFileSync(file('out.xml'), 'utf8')).toContain('<failure type="fail"')
  })

  test('that cannot be written are refused before the run starts', async () => {
    const { run } = await newest()
    const { code, stderr } = await line.run(['run', 'looks', '--junit', join(folder, 'no/out.xml'), ...client(GOOD)])
    expect([code, stderr]).toEqual([2, expect.stringContaining('out.xml cannot be written: there is no folder')])
    expect((await newest()).run).toBe(run)
  })
})

test.each([
  ['no plan', ['--wait'], /^The name of the plan is missing/],
  ['neither a program nor --wait', ['looks'], /^Who is the client\? Name a program behind --, or wait/],
  ['a plan that there is not', ['loks', '--wait'], /loks/],
])('%s ends with 2, and says what would be right', async (_what, args, said) => {
  const { code, stdout, stderr } = await line.run(['run', ...args])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(said)
})

describe('a step that asks a person', () => {
  const ASKS = { ...LOOKS, plan: 'asks', steps: [{ ...LOOKS.steps[0], expect: undefined, attest: 'It was heard' }] }
  let run: string
  beforeAll(async () => {
    await own('PUT', 'plans/asks', ASKS)
    run = (await own('POST', 'runs', { plan: 'asks' })).body.run
  })
  afterAll(() => own('POST', `runs/${run}/abort`))

  test('is attested from the command line, and the word is shown with its note', async () => {
    const { code, stdout } = await line.run(['attest', run, 'look', '--yes', '--note', "She said nine o'clock"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^pass {5}Searches free slots\n/)
    expect(stdout).toMatch(/^ {9}Attested by .*: yes, She said nine o'clock$/m)
    const denied = await line.run(['attest', run, 'look', '--no'])
    expect([denied.code, denied.stdout]).toEqual([0, expect.stringMatching(/^fail /)])
  })

  test.each([
    ['no word', () => [run, 'look'], 2, /^--yes or --no, one of them/],
    ['both words', () => [run, 'look', '--yes', '--no'], 2, /^--yes or --no/],
    ['no step', () => [run, '--yes'], 2, /^The id of the run and that of its step are needed/],
    [
      'a step that there is not',
      () => [run, 'lok', '--yes'],
      1,
      /The plan has no step 'lok' that a person attests; those are look/,
    ],
    ['a run that there is not', () => ['run-none', 'look', '--yes'], 1, /no run 'run-none'/],
  ])('%s is refused, and what would be right is said', async (_what, args, code, said) => {
    const refused = await line.run(['attest', ...args()])
    expect([refused.code, refused.stdout]).toEqual([code, ''])
    expect(refused.stderr).toMatch(said)
  })
})

describe('waiting', () => {
  let child: ChildProcess
  afterEach(() => void child.kill('SIGKILL'))

  function wait() {
    child = line.start(['run', 'looks', '--wait'])
    const said = { stdout: '', stderr: '' }
    child.stdout?.on('data', (chunk) => (said.stdout += String(chunk)))
    child.stderr?.on('data', (chunk) => (said.stderr += String(chunk)))
    const over = once(child, 'close').then(([code]) => code)
    const isOpen = async () => {
      await until(() => said.stderr.includes('Enter finishes the run'))
      const { RUN = '', TOKEN = '' } = Object.fromEntries(
        said.stderr.split('\n').map((one) => one.split(/ {2,}/, 2) as [string, string]),
      )
      return { 'x-sandbox-run': RUN, 'x-run-id': RUN, authorization: `Bearer ${TOKEN}` }
    }
    return { said, over, isOpen }
  }

  test('shows a step when it has come, and Enter finishes the run', async () => {
    const { said, over, isOpen } = wait()
    const headers = await isOpen()
    await request(server.url, 'GET', '/Slot?status=free', undefined, headers)
    await until(() => said.stderr.includes('pass     Searches free slots'))
    child.stdin?.write('\n')
    expect(await over).toBe(0)
    expect(said.stdout).toContain('Looks for free slots: pass')
  })

  test('ends when the run is finished elsewhere, with its verdict', async () => {
    const { said, over, isOpen } = wait()
    const { 'x-run-id': run } = await isOpen()
    await own('POST', `runs/${run}/finish`)
    expect(await over).toBe(1)
    expect(said.stdout).toContain('Looks for free slots: fail')
  })

  test('aborts the run with a sentence when it is interrupted, and ends with 2', async () => {
    const { said, over, isOpen } = wait()
    await isOpen()
    child.kill('SIGINT')
    expect(await over).toBe(2)
    expect(said.stderr).toContain('The wait was interrupted, so the run is aborted, without a verdict')
    expect(await newest()).toMatchObject({ status: 'aborted' })
  })
})
