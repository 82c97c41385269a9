/** `run`: a client is judged by a plan: a program of continuous integration, or whoever is told where to send requests. docs/runs.md */
import { serverOf } from '../../src/rehearsal/reports/addresses.ts'
import type { RunReport } from '../../src/rehearsal/runs/run.ts'
import { onlyWord, textOf, UsageError, type Values } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { isoDuration } from './durations.ts'
import { requireWritable, writeHere } from './files.ts'
import { untilEnded } from './live-run.ts'
import { table } from './output.ts'
import { type EndedProgram, runProgram } from './program.ts'
import { exitCodeFor, linesOf } from './report-lines.ts'
import type { Server } from './server.ts'

/** Options that name a file, and the forms of the report that they get. */
const FORMS = { junit: 'xml', html: 'html', markdown: 'md' } as const

export const run: Command = {
  what: 'Judges a client by a plan: starts a run, runs the program that is the client, and ends with the verdict.',
  usage: [
    'run PLAN [--clone] [--as PROFILE] [--client NAME] [--ttl SPAN] [REPORTS] -- PROGRAM …',
    'run PLAN --wait [--clone] [--as PROFILE] [--client NAME] [--ttl SPAN] [REPORTS]',
  ],
  help: [
    '-- PROGRAM …      the client, with BASE, TOKEN, RUN, CLINIC, CALL_PREFIX and DIALED_NUMBER in its environment',
    '--wait            without a program: shows how far the run is, until it is finished elsewhere or by Enter',
    '                  (Ctrl+C aborts it)',
    '--clone           in a clinic of its own, of the scenario of the plan, which expires with the run',
    '--as PROFILE      BASE is that of a strictness profile',
    '--client NAME     what the client is called in the report',
    '--ttl SPAN        how long the run may last: 30m, 1h, 1d; absent: 4h',
    '--junit FILE, --html FILE, --markdown FILE',
    '                  REPORTS: files that the report is written to',
    '',
    'It ends with 0 when the client passes, with 1 when it fails, with 2 when nothing is decided: the program could not be',
    'started, the run was refused or aborted, or a step ends in error. How the program ends decides nothing.',
  ],
  examples: [
    'run booking-lifecycle --clone --junit out.xml -- npm test',
    'run live-call-tools --wait --client "Receptionist 2.1"',
    'run availability --as oracle-r4 -- sh -c \'curl -s $BASE/Slot -H "Authorization: Bearer $TOKEN"\'',
  ],
  options: {
    wait: { type: 'boolean' },
    clone: { type: 'boolean' },
    as: { type: 'string' },
    client: { type: 'string' },
    ttl: { type: 'string' },
    ...Object.fromEntries(Object.keys(FORMS).map((name) => [name, { type: 'string' as const }])),
  },
  runsProgram: true,
  refused: 2,
  run: async (given) => {
    const body = bodyOf(given)
    const started = await given.server.ask<Started>({ method: 'POST', path: given.server.own('runs'), body })
    const open = openRun(given.server, started)
    if (given.program.length > 0) await judgeProgram(given, open)
    else await judgeWhoeverComes(given, open)
  },
}

/** The answer to the start of a run. */
interface Started {
  readonly run: string
  readonly clinic: string
  readonly base: string
  /** Absent where tokens come from another issuer. */
  readonly token?: string
  readonly callPrefix: string
  readonly dialedNumber?: string
  readonly until: string
}

interface OpenRun {
  readonly started: Started
  /** The server as the admin of the run's clinic. */
  readonly server: Server
  /** The path of the run, or of something of it: `/finish`. */
  readonly path: (of: string) => string
}

/** @throws UsageError */
function bodyOf({ words, program, values }: Given): object {
  const plan = onlyWord(words, 'The name of the plan')
  if (program.length === 0 && values.wait !== true)
    throw new UsageError('Who is the client? Name a program behind --, or wait for requests with --wait')
  for (const name of Object.keys(FORMS)) {
    const file = textOf(values, name)
    if (file !== undefined) requireWritable(file)
  }
  const ttl = textOf(values, 'ttl')
  return {
    plan,
    clientName: textOf(values, 'client') ?? program[0],
    as: textOf(values, 'as'),
    clone: values.clone === true,
    ...(ttl === undefined ? {} : { ttl: isoDuration(ttl) }),
  }
}

function openRun(server: Server, started: Started): OpenRun {
  // The clinic that a run has of its own is asked with its own token.
  const own = started.clinic === server.clinic ? server : server.in(started.clinic, started.token)
  return { started, server: own, path: (of) => own.own(`runs/${started.run}${of}`) }
}

async function judgeProgram(given: Given, open: OpenRun): Promise<void> {
  const { failed, isInterrupted } = await runInRun(given.program, open)
  if (failed !== undefined) given.out.note(`${given.program[0]} ended ${failed}`)
  if (isInterrupted) return await abort(given, open, 'The program was interrupted')
  await finish(given, open)
}

/** The program, and no run left open where it can't be started. @throws UsageError */
async function runInRun(program: readonly string[], { started, server, path }: OpenRun): Promise<EndedProgram> {
  try {
    return await runProgram(program, environmentOf(started))
  } catch (error) {
    await server.ask({ method: 'POST', path: path('/abort') })
    throw error
  }
}

const environmentOf = ({ run: id, clinic, base, token, callPrefix, dialedNumber }: Started) => ({
  ...{ BASE: base, RUN: id, CLINIC: clinic, CALL_PREFIX: callPrefix },
  ...(token === undefined ? {} : { TOKEN: token }),
  ...(dialedNumber === undefined ? {} : { DIALED_NUMBER: dialedNumber }),
})

async function judgeWhoeverComes(given: Given, open: OpenRun): Promise<void> {
  const { started, server, path } = open
  const { note } = given.out
  for (const line of table(Object.entries(environmentOf(started)))) note(line)
  note(`The run is open until ${started.until}.`)
  const by = await untilEnded(() => server.ask<RunReport>({ path: path('') }), given.out)
  if (by === 'finish') return await finish(given, open)
  if (by === 'abort') return await abort(given, open, 'The wait was interrupted')
  await tell(given, open, await server.ask<RunReport>({ path: path('') }))
}

async function finish(given: Given, open: OpenRun): Promise<void> {
  await tell(given, open, await open.server.ask<RunReport>({ method: 'POST', path: open.path('/finish') }))
}

async function abort(given: Given, open: OpenRun, why: string): Promise<void> {
  const report = await open.server.ask<RunReport>({ method: 'POST', path: open.path('/abort') })
  given.out.note(`${why}, so the run is aborted, without a verdict`)
  await tell(given, open, report)
}

/** The report, in all forms that are asked for, and the exit code. */
async function tell({ out, values }: Given, open: OpenRun, report: RunReport): Promise<void> {
  out.result(report, [...linesOf(report), `${serverOf(report)}/dashboard/runs/${report.run}`])
  process.exitCode = exitCodeFor(report)
  await writeReports(values, open)
}

async function writeReports(values: Values, { server, path }: OpenRun): Promise<void> {
  for (const [name, form] of Object.entries(FORMS)) {
    const file = textOf(values, name)
    if (file === undefined) continue
    const response = await server.open({ path: path(`.${form}`) })
    writeHere(file, await response.text())
  }
}
