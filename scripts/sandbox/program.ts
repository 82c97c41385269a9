/** The program that is the client of a run: it has the terminal, and what it needs to know in its environment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { UsageError } from './arguments.ts'
import { HERE } from './files.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface EndedProgram {
  /** `with 1`, `by SIGTERM`; absent: it did what it was to do. */
  readonly failed?: string
  /** A signal has come, so its work is not done. */
  readonly isInterrupted: boolean
}

/** @param env over that of this process. @throws UsageError where it can't be started */
export async function runProgram(
  [name = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<EndedProgram> {
  const child = spawn(name, args, { cwd: HERE, env: { ...process.env, ...env }, stdio: 'inherit' })
  const signals = passSignals(child)
  try {
    const { code, signal } = await endOf(child)
    const isInterrupted = signals.hasCome()
    if (signal !== null) return { failed: `by ${signal}`, isInterrupted }
    return code === 0 ? { isInterrupted } : { failed: `with ${code}`, isInterrupted }
  } catch (error) {
    throw new UsageError(`${name} could not be started: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    signals.end()
  }
}

const endOf = (child: ChildProcess) =>
  new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => resolve({ code, signal }))
  })

function passSignals(child: ChildProcess) {
  let hasCome = false
  const pass = (signal: NodeJS.Signals) => {
    hasCome = true
    // A terminal sends Ctrl+C to both processes by itself.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  for (const signal of SIGNALS) process.on(signal, pass)
  return {
    hasCome: () => hasCome,
    end: () => {
      for (const signal of SIGNALS) process.off(signal, pass)
    },
  }
}
