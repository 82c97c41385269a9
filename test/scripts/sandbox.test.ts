/** `npm run sandbox` against the real app: what it does, what it writes, and how it ends. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { request, startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { type CommandLine, commandLine } from './command-line.ts'

const COMMANDS = [
  'scenarios',
  'reset',
  'snapshot',
  'clone',
  'clock',
  'fault',
  'magic',
  'tail',
  'run',
  'attest',
  'record',
  'probe',
  'export',
  'import',
]

let server: TestServer
let folder: string
let line: CommandLine
beforeAll(async () => {
  server = await startServer()
  line = commandLine(server.url)
  folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const runWith = (env: Readonly<Record<string, string>>, ...args: readonly string[]) => line.run(args, env)
const run = (...args: readonly string[]) => line.run(args)

/** The JSON that a command has written. */
async function jsonOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const admin = async () => ({ authorization: `Bearer ${await server.login('admin', 'admin')}` })
const own = async (method: string, path: string) =>
  (await request(server.url, method, `/clinics/demo-clinic/${path}`, undefined, await admin())).body

describe('how it is used', () => {
  test('the help lists every command, and the help of each has its options and examples', async () => {
    const { code, stdout } = await run('--help')
    expect(code).toBe(0)
    expect([...stdout.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name]) => name)).toEqual(COMMANDS)
    const helps = await Promise.all(COMMANDS.map((name) => run(name, '--help')))
    expect(helps.map((help) => [help.code, help.stdout.includes('Examples:\n  npm run sandbox -- ')])).toEqual(
      COMMANDS.map(() => [0, true]),
    )
  })

  test.each([
    ['no command', [], /^npm run sandbox -- COMMAND/],
    ['an unknown command', ['resett'], /^There is no command resett: .*reset, /],
    ['an unknown option', ['clock', '--sped'], /--sped.*\nnpm run sandbox -- clock/],
    ['a word too much', ['scenarios', 'all'], /^'all' is too much/],
    ['a span that is none', ['clone', '--ttl', 'soon'], /^'soon' is no span of time: 90m, 1h/],
    ['a time that is none', ['clock', 'tomorrow'], /^'tomorrow' is no time/],
    ['a number that is none', ['fault', 'slow', '--times', 'twice'], /^--times twice: it must be a whole number/],
    ['a condition that is none', ['fault', 'slow', '--when', 'Patient'], /^--when Patient: it must be NAME=VALUE/],
    ['a folder in place of a file', ['import', '/'], /^\/ cannot be read: it is a folder/],
    ['a file that is not there', ['import', '/nowhere/x.ndjson'], /^\/nowhere\/x\.ndjson cannot be read/],
  ])('%s ends with 2, and says what would be right', async (_what, args, said) => {
    const { code, stdout, stderr } = await run(...args)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(said)
  })

  test('a server that does not respond ends with 2, and a login that is refused with 1', async () => {
    const away = await run('clock', '--url', 'http://127.0.0.1:9')
    expect([away.code, away.stderr]).toEqual([2, expect.stringContaining('http://127.0.0.1:9 does not respond')])
    const refused = await run('clock', '--password', 'wrong')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/user name|password/i)])
  })

  test('staff look, and what they change is refused with 1', async () => {
    const staff = { SANDBOX_USER: 'demo', SANDBOX_PASSWORD: 'demo' }
    expect((await runWith(staff, 'clock')).code).toBe(0)
    expect((await runWith(staff, 'clock', '+1h')).code).toBe(1)
  })
})

describe('resets, snapshots and clones', () => {
  test('the scenarios are listed, and a clinic is reset to one of them, and to it again', async () => {
    const { scenarios } = await jsonOf('scenarios')
    expect(scenarios.map(({ name }: { name: string }) => name)).toContain('busy-monday')
    const first = await run('reset', 'busy-monday')
    expect([first.code, first.stderr]).toEqual([0, ''])
    expect(first.stdout).toMatch(/^demo-clinic is busy-monday: \d+ resources, \d+ ms, generation \d+\n$/)
    const { generation } = await jsonOf('reset')
    expect(await own('GET', 'reset')).toMatchObject({ generation, scenario: 'busy-monday' })
  })

  test('a scenario that there is not is refused with 1, with the nearest name', async () => {
    const { code, stderr } = await run('reset', 'busy-munday')
    expect([code, stderr]).toEqual([1, expect.stringContaining('busy-monday')])
  })

  test('a look changes nothing', async () => {
    const before = await own('GET', 'reset')
    expect((await jsonOf('reset', '--look')).counts).toEqual(before.counts)
    expect((await run('reset', '--look')).stdout).toMatch(/^Patient +\d+$/m)
    expect((await own('GET', 'reset')).generation).toBe(before.generation)
  })

  test('a snapshot is saved, listed, restored and deleted', async () => {
    expect((await run('snapshot', 'save', 'kept')).stdout).toMatch(/^Saved kept: \d+ resources/)
    await server.fhir('PUT', '/Patient/later', { resourceType: 'Patient', id: 'later' })
    expect((await run('snapshot', 'list')).stdout).toMatch(/^kept {2}/)
    expect((await run('snapshot', 'restore', 'kept')).code).toBe(0)
    expect((await server.fhir('GET', '/Patient/later')).status).toBe(404)
    expect((await run('snapshot', 'delete', 'kept')).code).toBe(0)
    expect((await run('snapshot', 'list')).stdout).toBe('There are no snapshots.\n')
  })

  test('a clone has a token of its own, and the lines for a shell lead the next commands to it', async () => {
    const { code, stdout } = await run('clone', '--scenario', 'empty', '--ttl', '5m', '--env')
    expect(code).toBe(0)
    const env = Object.fromEntries(
      [...stdout.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name = '', value = '']) => [name, value]),
    )
    expect(Object.keys(env)).toEqual(['SANDBOX_URL', 'SANDBOX_CLINIC', 'SANDBOX_TOKEN', 'SANDBOX_NUMBER'])
    const patients = await request(server.url, 'GET', '/Patient?_summary=count', undefined, {
      authorization: `Bearer ${env.SANDBOX_TOKEN}`,
    })
    expect(patients.body.total).toBe(0)
    const look = await runWith(env, 'reset', '--look', '--json')
    expect(JSON.parse(look.stdout).scenario).toBe('empty')
    expect((await run('clone', '--end', env.SANDBOX_CLINIC ?? '')).code).toBe(0)
    expect((await runWith(env, 'clock')).code).toBe(1)
  })
})

/** A year to come. */
const LATER = new Date().getFullYear() + 3

describe('the clock', () => {
  beforeAll(async () => {
    await run('reset', 'quiet-week')
  })

  test('goes forward by a span and to a time of the clinic, and not back', async () => {
    const before = await jsonOf('clock')
    const after = await jsonOf('clock', '+2d')
    expect(Date.parse(after.at) - Date.parse(before.at)).toBeGreaterThanOrEqual(2 * 86_400_000)
    expect((await run('clock', `${LATER}-03-20T09:00`)).stdout).toMatch(
      new RegExp(`^clinic +\\w{3} 20 Mar ${LATER}, 09:00:\\d\\d .*America/New_York`),
    )
    const back = await run('clock', `${LATER}-01-01`)
    expect(back.code).toBe(1)
    expect(back.stderr).not.toBe('')
  })

  test('stands still, and goes on', async () => {
    expect(await jsonOf('clock', 'freeze')).toMatchObject({ runs: false })
    expect((await run('clock')).stdout).toContain('it stands still')
    expect(await jsonOf('clock', 'run')).toMatchObject({ runs: true })
  })

  test('goes to the next change of the clocks', async () => {
    const { nextDaylightSaving } = await jsonOf('clock')
    const { at } = await jsonOf('clock', 'dst')
    expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(nextDaylightSaving))
  })
})

describe('faults', () => {
  test('the catalogue is listed', async () => {
    expect((await run('fault', '--catalogue')).stdout).toMatch(/^slot-gone {2}/m)
  })

  test('one is set, fires as it is told to, is listed and cleared', async () => {
    const set = await run(
      'fault',
      'throttled',
      '--times',
      '1',
      '--when',
      'type=Location',
      '--when',
      'interaction=search-type',
    )
    expect([set.code, set.stdout]).toEqual([0, 'throttled is set\n'])
    const statuses = [await server.fhir('GET', '/Location'), await server.fhir('GET', '/Location')]
    expect(statuses.map(({ status }) => status)).toEqual([429, 200])
    expect((await run('fault')).stdout).toMatch(
      /^throttled +throttled +.*type=Location.*times 1 +fired 1 of \d times$/m,
    )
    expect((await run('fault', '--clear', 'throttled')).code).toBe(0)
    expect((await run('fault')).stdout).toBe('No faults are set.\n')
  })

  test('one that there is not is refused with 1, with the nearest name', async () => {
    const { code, stderr } = await run('fault', 'throtled')
    expect([code, stderr]).toEqual([1, expect.stringContaining('throttled')])
  })
})

describe('transfer', () => {
  beforeAll(async () => {
    await run('reset', 'quiet-week')
  })

  test('an export is lines of JSON or a Bundle, and imported into another clinic it is all there', async () => {
    const [lines, bundle] = [join(folder, 'clinic.ndjson'), join(folder, 'clinic.json')]
    expect((await run('export', '--out', lines)).code).toBe(0)
    expect((await run('export', '--format', 'bundle', '--out', bundle)).code).toBe(0)
    const keysIn = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ resourceType, id }) => `${resourceType}/${id}`)
    const all = keysIn(readFileSync(lines, 'utf8'))
    expect(all).toContain('Patient/abernathy-ruth')
    expect(JSON.parse(readFileSync(bundle, 'utf8')).entry).toHaveLength(all.length)
    const { id, token } = await jsonOf('clone', '--scenario', 'empty', '--ttl', '5m')
    const there = { SANDBOX_TOKEN: token, SANDBOX_CLINIC: id }
    const imported = await runWith(there, 'import', lines, '--json')
    expect([imported.code, JSON.parse(imported.stdout).refused]).toEqual([0, []])
    // Beside the Organization of its own.
    expect(keysIn((await runWith(there, 'export')).stdout).sort()).toEqual([...all, `Organization/${id}`].sort())
  })

  test('a resource that is refused is named, and ends with 1', async () => {
    const file = join(folder, 'wrong.ndjson')
    writeFileSync(file, '{"resourceType":"Patient","id":"right"}\n{"resourceType":"Patient","gender":"f"}\n')
    const { code, stdout } = await run('import', file)
    expect(code).toBe(1)
    expect(stdout).toMatch(/^Imported 1, updated 0, refused 1\nline 2 /)
  })
})

/** A proxy whose connections are broken at will. */
async function startBreakable() {
  const sockets = new Set<Socket>()
  const proxy = createServer((socket) => {
    const target = connect(Number(new URL(server.url).port), '127.0.0.1')
    for (const [one, other] of [
      [socket, target],
      [target, socket],
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on('error', () => other.destroy())
      one.on('close', () => sockets.delete(one))
    }
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const breakAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    breakAll,
    close: () => {
      breakAll()
      return new Promise((resolve) => proxy.close(resolve))
    },
  }
}

describe('following', () => {
  let child: ChildProcess
  afterEach(() => void child.kill())

  /** A running command, with all that it has written until now. */
  function follow(...args: readonly string[]) {
    child = line.start(['tail', ...args])
    const said = { stdout: '', stderr: '' }
    child.stdout?.on('data', (chunk) => (said.stdout += String(chunk)))
    child.stderr?.on('data', (chunk) => (said.stderr += String(chunk)))
    const over = new Promise((resolve) => child.on('close', resolve))
    return { said, over, isOpen: () => until(() => said.stderr.includes('Following demo-clinic')) }
  }

  test('shows what its filters let through, one line each, and ends after as many as it is told', async () => {
    const { said, over, isOpen } = follow('--type', 'Patient', '--status', '4xx', '--method', 'POST', '--count', '2')
    await isOpen()
    await server.fhir('GET', '/Patient/nobody')
    await server.fhir('POST', '/Patient', { resourceType: 'Patient', gender: 'f' })
    await server.fhir('POST', '/Location', { resourceType: 'Location', status: 'f' })
    await server.fhir('POST', '/Patient', { resourceType: 'Patient', birthDate: 'x' })
    expect(await over).toBe(0)
    const lines = said.stdout.trimEnd().split('\n')
    expect(lines.map((line) => line.replace(/^\S+ {2}/, '').slice(0, 19))).toEqual([
      '422  POST /Patient ',
      '422  POST /Patient ',
    ])
  })

  test('goes on where it was after the connection broke, without a gap or a double', async () => {
    const proxy = await startBreakable()
    const { said, over, isOpen } = follow('--url', proxy.url, '--path', '/Location', '--count', '3', '--json')
    await isOpen()
    await server.fhir('GET', '/Location?name=1')
    await until(() => said.stdout !== '')
    proxy.breakAll()
    await server.fhir('GET', '/Location?name=2')
    await server.fhir('GET', '/Location?name=3')
    expect(await over).toBe(0)
    expect(
      said.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).address),
    ).toEqual(['/Location?name=1', '/Location?name=2', '/Location?name=3'])
    await proxy.close()
  })

  test('shows which fault an exchange has met', async () => {
    const { said, over, isOpen } = follow('--fault', 'any', '--count', '1')
    await isOpen()
    await server.fhir('GET', '/Location')
    await server.fhir('GET', '/Location', undefined, { 'x-sandbox-fault': 'throttled' })
    expect(await over).toBe(0)
    expect(said.stdout).toMatch(/ {2}429 {2}GET \/Location {2}.* {2}fault throttled/)
  })
})
