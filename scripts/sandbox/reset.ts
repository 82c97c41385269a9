/** `reset`: a clinic as a scenario or a snapshot has it. */
import type { ResetAnswer, ResetPreview, ResetTarget } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore, textOf, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { progressOf, table } from './output.ts'
import type { Server } from './server.ts'

export const reset: Command = {
  what: 'Fills the clinic anew; accounts, journal and audit trail stay, and settings unless they are asked for.',
  usage: ['reset [SCENARIO] [--settings]', 'reset --snapshot NAME', 'reset --look'],
  help: [
    'SCENARIO          one of `scenarios`; absent: the one that the clinic has been filled with',
    '--snapshot NAME   a snapshot in place of a scenario',
    '--settings        the settings of the scenario too',
    '--look            only says what would go',
  ],
  examples: ['reset busy-monday', 'reset', 'reset --snapshot before-the-demo', 'reset --look --json'],
  options: { snapshot: { type: 'string' }, settings: { type: 'boolean' }, look: { type: 'boolean' } },
  run: async (given) => {
    const [scenario, ...more] = given.words
    noMore(more)
    const snapshot = textOf(given.values, 'snapshot')
    if (scenario !== undefined && snapshot !== undefined) throw new UsageError('A scenario or a snapshot, not both')
    if (given.values.look === true) return look(given)
    const settings = given.values.settings === true ? { settings: true } : {}
    const from = snapshot === undefined ? { scenario: scenario ?? (await scenarioInUse(given.server)) } : { snapshot }
    await resetTo(given, { ...from, ...settings })
  },
}

/** @throws Problem 404 for an unknown name, 409 while another one runs */
export async function resetTo({ server, out }: Given, target: ResetTarget): Promise<void> {
  const watch = watchReset(server)
  try {
    const answer = await server.ask<ResetAnswer>({ method: 'POST', path: server.own('reset'), body: target })
    const { generation, resources, ms } = answer
    await watch.end()
    const from = target.scenario ?? `the snapshot ${target.snapshot}`
    out.result(answer, [`${server.clinic} is ${from}: ${resources} resources, ${ms} ms, generation ${generation}`])
  } finally {
    await watch.end()
  }
}

/** Milliseconds between two looks at how far it is. */
const LOOK = 250

/** Shows on a terminal how far the reset is. */
function watchReset(server: Server): { readonly end: () => Promise<void> } {
  if (!process.stderr.isTTY) return { end: async () => {} }
  const over = new AbortController()
  const watching = show(server, over.signal).catch(() => undefined)
  return {
    end: async () => {
      over.abort()
      await watching
    },
  }
}

async function show(server: Server, signal: AbortSignal): Promise<void> {
  let bar: ReturnType<typeof progressOf>
  let shown = 0
  while (!signal.aborted) {
    const { running } = await server.ask<ResetPreview>({ path: server.own('reset'), signal })
    if (running !== undefined) {
      bar ??= progressOf('Filled', running.total)
      bar?.add(running.done - shown)
      shown = running.done
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK))
  }
  bar?.end()
}

async function scenarioInUse(server: Server): Promise<string> {
  const { scenario } = await server.ask<ResetPreview>({ path: server.own('reset') })
  if (scenario === undefined) throw new UsageError('The clinic has been filled with no scenario: name one')
  return scenario
}

async function look({ server, out }: Given): Promise<void> {
  const preview = await server.ask<ResetPreview>({ path: server.own('reset') })
  const { generation, scenario = 'none', filledAt, counts } = preview
  const since = filledAt === undefined ? '' : `, filled at ${filledAt}`
  const rows = Object.entries(counts).map(([type, count]) => [type, String(count)])
  out.result(preview, [`Scenario ${scenario}, generation ${generation}${since}. A reset removes:`, ...table(rows)])
}
