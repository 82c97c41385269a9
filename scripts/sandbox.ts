/** `npm run sandbox`: rehearses on a running server: scenarios, resets, clones, the clock, faults. docs/sandbox-command.md */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { Problem } from '../dashboard/api/problem.ts'
import { UsageError } from './sandbox/arguments.ts'
import { attest } from './sandbox/attest.ts'
import { clock } from './sandbox/clock.ts'
import { clone } from './sandbox/clone.ts'
import type { Command } from './sandbox/command.ts'
import { fault } from './sandbox/fault.ts'
import { magic, scenarios } from './sandbox/lists.ts'
import { outputTo } from './sandbox/output.ts'
import { probe } from './sandbox/probe.ts'
import { record } from './sandbox/record.ts'
import { reset } from './sandbox/reset.ts'
import { run as runCommand } from './sandbox/run.ts'
import { Server, Unreachable } from './sandbox/server.ts'
import { snapshot } from './sandbox/snapshot.ts'
import { tail } from './sandbox/tail.ts'
import { exportCommand, importCommand } from './sandbox/transfer.ts'

const COMMANDS: Readonly<Record<string, Command>> = {
  scenarios,
  reset,
  snapshot,
  clone,
  clock,
  fault,
  magic,
  tail,
  run: runCommand,
  attest,
  record,
  probe,
  export: exportCommand,
  import: importCommand,
}

/** Options of all commands. */
const COMMON: ParseArgsOptionsConfig = {
  url: { type: 'string' },
  user: { type: 'string' },
  password: { type: 'string' },
  token: { type: 'string' },
  clinic: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}

const COMMON_HELP = `Options of all commands, and in brackets the variable of the environment that stands for each:
  --url URL            the server (SANDBOX_URL); http://127.0.0.1:3000
  --user, --password   an admin of the clinic, or an operator (SANDBOX_USER, SANDBOX_PASSWORD); those of the demo
  --token TOKEN        in place of user and password (SANDBOX_TOKEN)
  --clinic ID          the clinic (SANDBOX_CLINIC); that of the user
  --json               the result as JSON, for machines
  --help               what a command does

It ends with 0 when it is done, with 1 when the server refused, with 2 when the server could not be reached or the
command was not understood.`

const CALLED = 'npm run sandbox --'

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(width)}  ${what}`)
  return [`${CALLED} COMMAND [options]`, '', ...lines, '', `${CALLED} COMMAND --help says more.`, '', COMMON_HELP].join(
    '\n',
  )
}

const helpOf = ({ what, usage, help = [], examples }: Command): string =>
  [
    ...usage.map((line) => `${CALLED} ${line}`),
    '',
    what,
    ...(help.length === 0 ? [] : ['', ...help.map((line) => `  ${line}`)]),
    '',
    'Examples:',
    ...examples.map((line) => `  ${CALLED} ${line}`),
    '',
    COMMON_HELP,
  ].join('\n')

const commandOf = (name: string): Command | undefined => (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined)

async function run([name = '', ...args]: readonly string[]): Promise<void> {
  if (['help', '--help', '-h'].includes(name)) return console.log(overview())
  const command = commandOf(name)
  if (command === undefined)
    throw new UsageError(name === '' ? overview() : `There is no command ${name}: ${Object.keys(COMMANDS).join(', ')}`)
  const { own, program } = separated(args, command)
  const { values, positionals } = parsed(own, command)
  if (values.help === true) return console.log(helpOf(command))
  const out = outputTo(values.json === true)
  const given = { out, words: positionals, program, values }
  if ('runAlone' in command) await command.runAlone(given)
  else await command.run({ ...given, server: await Server.connect(values) })
}

function separated(args: readonly string[], { runsProgram }: Command) {
  const end = runsProgram ? args.indexOf('--') : -1
  return end === -1 ? { own: args, program: [] } : { own: args.slice(0, end), program: args.slice(end + 1) }
}

function parsed(args: readonly string[], { options, usage }: Command) {
  try {
    return parseArgs({ args: [...args], options: { ...COMMON, ...options }, allowPositionals: true })
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    throw new UsageError([said, ...usage.map((line) => `${CALLED} ${line}`)].join('\n'))
  }
}

/** For the shell: 1 for a refusal, unless the command has another, 2 where the server was not asked or did not answer. */
const exitCodeOf = (error: unknown, name = ''): number =>
  error instanceof Problem ? (commandOf(name)?.refused ?? 1) : 2

// `… tail | head` closes the pipe.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 0 : 2))
run(process.argv.slice(2)).catch((error: unknown) => {
  const isExpected = error instanceof Problem || error instanceof UsageError || error instanceof Unreachable
  process.stderr.write(`${error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)}\n`)
  process.exitCode = exitCodeOf(error, process.argv[2])
})
