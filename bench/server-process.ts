/** A server under load, as a child process on a free port, and its resource usage (from Linux's /proc). */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const START_TIMEOUT = 120_000
/** Milliseconds that a server has to finish the requests under way. */
const STOP_TIMEOUT = 10_000
/** Linux reports processor time in hundredths of a second (man 7 time). */
const MILLISECONDS_PER_TICK = 10

export interface Memory {
  /** Current and maximum resident set size, in bytes. */
  readonly resident: number
  readonly peak: number
  /** The part of the resident set that is not mapped from files, in bytes. */
  readonly own: number
}

/** Resource usage of a process and its children. */
export interface Usage {
  /** User and system time of all threads so far, in milliseconds; undefined without /proc. */
  readonly cpuMilliseconds: () => number | undefined
  readonly memory: () => Memory | undefined
}

export interface ServerProcess extends Usage {
  readonly url: string
  readonly pid: number
  /** Milliseconds from starting the process until it prints its URL. */
  readonly startMilliseconds: number
  readonly isRunning: () => boolean
  /** @returns false when it had to be killed, as it did not end in time */
  readonly stop: () => Promise<boolean>
}

/** Starts `file` (relative to the project) and waits until it prints its URL. @throws Error when it does not */
export async function startProcess(file: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const started = performance.now()
  const child = spawn(process.execPath, [join(ROOT, file)], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A server in a long statement would otherwise outlive the benchmark.
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const url = await addressPrintedBy(child, file)
  const { pid = 0 } = child
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null
  return {
    ...usageOf(pid),
    url,
    pid,
    startMilliseconds: performance.now() - started,
    isRunning,
    stop: async () => !isRunning() || (await stop(child)),
  }
}

/** @returns false when it had to be killed */
async function stop(child: ChildProcess): Promise<boolean> {
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT)
  await exit
  clearTimeout(timeout)
  return child.signalCode !== 'SIGKILL'
}

/** @throws Error when the process exits, or prints no URL in time */
function addressPrintedBy(child: ChildProcess, file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const timeout = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${file} printed no address within ${START_TIMEOUT / 1000} s`))
    }, START_TIMEOUT)
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      // The output is read further, as a full pipe would block the server.
      if (output.length < 10_000) output += chunk
      const address = /http:\/\/[\d.]+:\d+/.exec(output)?.[0]
      if (address === undefined) return
      clearTimeout(timeout)
      resolve(address)
    })
    child.once('exit', (code) => {
      clearTimeout(timeout)
      reject(new Error(`${file} ended with code ${code} before it printed an address`))
    })
  })
}

export const usageOf = (pid: number): Usage => ({
  cpuMilliseconds: () => sum(familyOf(pid).map(cpuOf)),
  memory: () => {
    const members = familyOf(pid).flatMap((member) => memoryOf(member) ?? [])
    if (members.length === 0) return undefined
    return {
      resident: sum(members.map(({ resident }) => resident)) ?? 0,
      peak: sum(members.map(({ peak }) => peak)) ?? 0,
      own: sum(members.map(({ own }) => own)) ?? 0,
    }
  },
})

const sum = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.reduce((total, number) => (total === undefined || number === undefined ? undefined : total + number), 0)

/** The process and its descendants. */
function familyOf(pid: number): readonly number[] {
  const children = readProc(pid, `task/${pid}/children`)?.trim() ?? ''
  return [pid, ...(children === '' ? [] : children.split(' ')).flatMap((child) => familyOf(Number(child)))]
}

function readProc(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}

function cpuOf(pid: number): number | undefined {
  // The second field is the program's name in parentheses, which may include spaces.
  const fields = readProc(pid, 'stat')?.split(') ')[1]?.split(' ')
  const [user, system] = [Number(fields?.[11]), Number(fields?.[12])]
  return Number.isFinite(user + system) ? (user + system) * MILLISECONDS_PER_TICK : undefined
}

function memoryOf(pid: number): Memory | undefined {
  const status = readProc(pid, 'status')
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status ?? '')?.[1])
  return status === undefined ? undefined : { resident: bytes('VmRSS'), peak: bytes('VmHWM'), own: bytes('RssAnon') }
}
