/** `scenarios` and `magic`: what there is to rehearse with. */
import type { Scenario } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore } from './arguments.ts'
import type { Command } from './command.ts'
import { table } from './output.ts'

export const scenarios: Command = {
  what: 'Lists the scenarios that a clinic can be reset to.',
  usage: ['scenarios [--oddities]'],
  help: ['--oddities   with what is odd in each, and the resource that shows it'],
  examples: ['scenarios', 'scenarios --json'],
  options: { oddities: { type: 'boolean' } },
  run: async ({ server, out, words, values }) => {
    noMore(words)
    const answer = await server.ask<{ scenarios: readonly Scenario[] }>({ path: 'scenarios' })
    const rows = answer.scenarios.flatMap(({ name, title, resources, oddities = [] }) => [
      [name, resources === 1 ? '1 resource' : `${resources} resources`, title],
      ...(values.oddities === true ? oddities.map(({ what, resource }) => ['', resource, what]) : []),
    ])
    out.result(answer, table(rows))
  },
}

interface MagicRow {
  readonly name: string
  readonly who: string
  readonly scenario?: string
  readonly what: string
}
type Magic = Readonly<Record<'patients' | 'practitioners' | 'values', readonly MagicRow[]>>

export const magic: Command = {
  what: 'Lists the magic people: who brings about what.',
  usage: ['magic'],
  examples: ['magic', "magic --json | jq '.practitioners[].name'"],
  run: async ({ server, out, words }) => {
    noMore(words)
    const answer = await server.ask<Magic>({ path: 'magic' })
    const rows = (['patients', 'practitioners', 'values'] as const).flatMap((kind) =>
      answer[kind].map((row) => [row.name, row.who, row.scenario ?? '', row.what]),
    )
    out.result(answer, table(rows))
  },
}
