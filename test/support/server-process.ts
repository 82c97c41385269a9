/** The server as a process of its own, at a free port, with its output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach } from '@jest/globals'
import { request } from './request.ts'
import { TIME_LIMITS } from './time-limits.ts'

const ENTRY = join(import.meta.dirname, '../../src/index.ts')
/** Milliseconds; a busy machine takes its time. */
const PATIENCE = 240_000
/** The only variables passed on, as others may configure a server. The compile cache halves the time of the start. */
const INHERITED = Object.fromEntries(['PATH', 'NODE_COMPILE_CACHE'].map((name) => [name, process.env[name]]))

export interface Launched {
  readonly child: ChildProcess
  readonly output: () => string
  /** Its exit code; null: a signal ended it. */
  readonly exited: Promise<number | null>
}

export interface Started extends Launched {
  readonly url: string
  readonly pid: number
}

const running = new Set<ChildProcess>()

/** Ends the processes that a test has started, whatever its outcome. Called by the test files that start processes. */
export function endProcessesAfterEach(): void {
  afterEach(async () => {
    await Promise.all([...running].map(end))
    running.clear()
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/**
 * @param within a command that runs the one that follows it in surroundings of its own, such as nsenter
 * @param entry of a copy of the project, in place of this one
 */
export function launch(
  env: Readonly<Record<string, string>>,
  within: readonly string[] = [],
  entry: string = ENTRY,
): Launched {
  const [command = '', ...args] = [...within, process.execPath, '--disable-warning=ExperimentalWarning', entry]
  const child = spawn(command, args, {
    env: { ...INHERITED, PORT: '0', LOG_LEVEL: 'info', DASHBOARD: 'off', ...TIME_LIMITS, ...env },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, output: () => output, exited }
}

/** Starts a server and waits until it serves. */
export async function start(...what: Parameters<typeof launch>): Promise<Started> {
  const launched = launch(...what)
  const { child, output } = launched
  const url = () => /runs at (http:\/\/\S+)/.exec(output())?.[1]
  await until(() => url() !== undefined || child.exitCode !== null)
  if (child.exitCode !== null) throw new Error(`the server ended: ${output()}`)
  return { ...launched, url: url() ?? '', pid: Number(child.pid) }
}

export async function stop({ child, exited }: Launched, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return await exited
}

/** Waits until it is true. @throws Error when that takes too long */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE; !(await isTrue()); await sleep(25)) {
    if (Date.now() > deadline) throw new Error(`It did not come true: ${isTrue}`)
  }
}

/** A token of the demo clinic's staff. */
export async function login(url: string, username = 'demo'): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  return (await request(url, 'POST', '/session', { username, password: username }, headers)).body.token
}

/** Processes that `pid` has started and that still run (Linux's /proc). */
export function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
