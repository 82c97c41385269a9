/** `snapshot`: keeps the data of a clinic as they are, to come back to. */
import type { Snapshot } from '../../dashboard/api/rehearsal-answers.ts'
import { noMore, onlyWord, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { table } from './output.ts'
import { resetTo } from './reset.ts'

const NAME = 'The name of the snapshot'

const ACTIONS: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  list: async ({ server, out, words }) => {
    noMore(words)
    const answer = await server.ask<{ snapshots: readonly Snapshot[] }>({ path: server.own('snapshots') })
    const rows = answer.snapshots.map(({ name, at, resources, scenario = '', serverVersion = '' }) => [
      name,
      at,
      `${resources} resources`,
      scenario,
      serverVersion,
    ])
    out.result(answer, rows.length === 0 ? ['There are no snapshots.'] : table(rows))
  },

  save: async ({ server, out, words }) => {
    const name = onlyWord(words, NAME)
    const saved = await server.ask<Snapshot>({ method: 'PUT', path: server.own(pathOf(name)), body: {} })
    out.result(saved, [`Saved ${saved.name}: ${saved.resources} resources`])
  },

  restore: (given) => resetTo(given, { snapshot: onlyWord(given.words, NAME) }),

  delete: async ({ server, out, words }) => {
    const name = onlyWord(words, NAME)
    await server.ask({ method: 'DELETE', path: server.own(pathOf(name)) })
    out.result({ deleted: name }, [`Deleted ${name}`])
  },
}

const pathOf = (name: string): string => `snapshots/${encodeURIComponent(name)}`

export const snapshot: Command = {
  what: 'Keeps the data of the clinic as they are, and brings them back.',
  usage: ['snapshot save NAME', 'snapshot restore NAME', 'snapshot list', 'snapshot delete NAME'],
  examples: ['snapshot save before-the-demo', 'snapshot restore before-the-demo', 'snapshot list --json'],
  run: async (given) => {
    const [action = 'list', ...words] = given.words
    const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
    if (act === undefined) throw new UsageError(`snapshot ${action}: it must be ${Object.keys(ACTIONS).join(', ')}`)
    await act({ ...given, words })
  },
}
