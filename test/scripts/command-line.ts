/** `npm run sandbox` as a process, against a server of a test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'

const SCRIPT = join(import.meta.dirname, '../../scripts/sandbox.ts')

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Environment = Readonly<Record<string, string>>

export interface CommandLine {
  /** Runs a command to its end. */
  readonly run: (args: readonly string[], env?: Environment) => Promise<Ended>
  /** Starts a command that goes on; the test ends it. */
  readonly start: (args: readonly string[], env?: Environment) => ChildProcess
}

export function commandLine(url: string): CommandLine {
  const environment = (more: Environment = {}) => ({
    ...process.env,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
    SANDBOX_URL: url,
    ...more,
  })
  return {
    run: (args, env) =>
      new Promise((resolve) => {
        execFile(process.execPath, [SCRIPT, ...args], { env: environment(env) }, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
        )
      }),
    start: (args, env) => spawn(process.execPath, [SCRIPT, ...args], { env: environment(env) }),
  }
}
