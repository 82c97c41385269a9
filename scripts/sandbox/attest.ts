/** `attest`: the word of a person on a step of an open run. docs/runs.md */
import type { RunReport } from '../../src/rehearsal/runs/run.ts'
import { noMore, textOf, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { linesOfStep } from './report-lines.ts'

export const attest: Command = {
  what: 'Says whether a step of an open run is true that asks a person.',
  usage: ['attest RUN STEP --yes [--note TEXT]', 'attest RUN STEP --no [--note TEXT]'],
  help: [
    'RUN                the id of the run, which its start has shown',
    'STEP               the id of the step, as the plan has it',
    '--yes, --no        the word of the person; a later one replaces it while the run is open',
    '--note TEXT        what the person adds, for the report',
  ],
  examples: ['attest run-7c31 told --yes', 'attest run-7c31 told --no --note "She said ten o\'clock"'],
  options: { yes: { type: 'boolean' }, no: { type: 'boolean' }, note: { type: 'string' } },
  run: async ({ server, out, words, values }) => {
    const [run, step, ...more] = words
    if (run === undefined || step === undefined)
      throw new UsageError('The id of the run and that of its step are needed')
    noMore(more)
    const body = { step, ok: wordOf(values), note: textOf(values, 'note') }
    const path = server.own(`runs/${encodeURIComponent(run)}/attest`)
    const report = await server.ask<RunReport>({ method: 'POST', path, body })
    out.result(report, report.steps.filter(({ id }) => id === step).flatMap(linesOfStep))
  },
}

/** @throws UsageError */
function wordOf({ yes, no }: Given['values']): boolean {
  if ((yes === true) === (no === true)) throw new UsageError('--yes or --no, one of them')
  return yes === true
}
