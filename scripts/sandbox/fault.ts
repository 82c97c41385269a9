/** `fault`: what goes wrong, when, and how often it has. */
import { noMore, numberOf, onlyWord, pairOf, textOf, textsOf, UsageError } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { table } from './output.ts'

interface Rule {
  readonly name: string
  readonly fault: string
  readonly when?: Readonly<Record<string, unknown>>
  readonly matched: number
  readonly fired: number
  readonly [how: string]: unknown
}

interface Entry {
  readonly name: string
  readonly title: string
  readonly of: string
  readonly parameters: Readonly<Record<string, { readonly default?: unknown }>>
}

export const fault: Command = {
  what: 'Lists the faults that are set, sets one, or clears them.',
  usage: [
    'fault',
    'fault --catalogue',
    'fault FAULT [--as NAME] [--when NAME=VALUE]… [--on 1,3 | --every N] [--times N] [--until TIME] [--with NAME=VALUE]…',
    'fault --clear [NAME]',
  ],
  help: [
    '--catalogue        what can go wrong',
    '--as NAME          the name of the rule; absent: that of the fault',
    '--when NAME=VALUE  the requests that it concerns: interaction, type, path, query, call, run or tool; absent: all',
    '--on 1,3           the first and the third of them; --every N: each Nth',
    '--times N          so often at most; --until TIME: until then',
    '--with NAME=VALUE  a parameter of the fault',
    '--clear [NAME]     removes a rule, or all of them',
  ],
  examples: [
    'fault slot-gone --times 1 --when type=Appointment',
    'fault throttled --every 3 --with retry-after=2',
    'fault --clear',
  ],
  options: {
    catalogue: { type: 'boolean' },
    clear: { type: 'boolean' },
    as: { type: 'string' },
    when: { type: 'string', multiple: true },
    with: { type: 'string', multiple: true },
    on: { type: 'string' },
    every: { type: 'string' },
    times: { type: 'string' },
    until: { type: 'string' },
  },
  run: (given) => {
    if (given.values.catalogue === true) return showCatalogue(given)
    if (given.values.clear === true) return clear(given)
    return given.words.length === 0 ? list(given) : set(given)
  },
}

async function showCatalogue({ server, out, words }: Given): Promise<void> {
  noMore(words)
  const answer = await server.ask<{ faults: readonly Entry[] }>({ path: 'faults' })
  const rows = answer.faults.map((one) => [one.name, one.of, Object.keys(one.parameters).join(', '), one.title])
  out.result(answer, table(rows))
}

async function list({ server, out }: Given): Promise<void> {
  const answer = await server.ask<{ rules: readonly Rule[] }>({ path: server.own('faults') })
  const rows = answer.rules.map((rule) => [
    rule.name,
    rule.fault,
    howOf(rule),
    `fired ${rule.fired} of ${rule.matched} times`,
  ])
  out.result(answer, rows.length === 0 ? ['No faults are set.'] : table(rows))
}

/** `type=Appointment, times 1` */
function howOf({ when = {}, ...rule }: Rule): string {
  const conditions = Object.entries(when).map(([name, value]) => `${name}=${value}`)
  const counts = ['on', 'every', 'times', 'until'].flatMap((name) =>
    rule[name] === undefined ? [] : [`${name} ${rule[name]}`],
  )
  return [...conditions, ...counts].join(', ')
}

async function set({ server, out, words, values }: Given): Promise<void> {
  const name = onlyWord(words, 'The fault')
  const rule = textOf(values, 'as') ?? name
  const path = server.own(`faults/${encodeURIComponent(rule)}`)
  const answer = await server.ask<Rule>({ method: 'PUT', path, body: { fault: name, ...ruleOf(values) } })
  out.result(answer, [`${rule} is set`])
}

function ruleOf(values: Given['values']): object {
  const [when, parameters] = [pairsOf(values, 'when'), pairsOf(values, 'with')]
  const [on, every, times] = [textOf(values, 'on'), textOf(values, 'every'), textOf(values, 'times')]
  if (on !== undefined && every !== undefined) throw new UsageError('--on or --every, not both')
  return {
    ...(when === undefined ? {} : { when }),
    ...(parameters === undefined ? {} : { with: typed(parameters) }),
    ...(on === undefined ? {} : { on: on.split(',').map((one) => numberOf(one, 'on')) }),
    ...(every === undefined ? {} : { every: numberOf(every, 'every') }),
    ...(times === undefined ? {} : { times: numberOf(times, 'times') }),
    ...(textOf(values, 'until') === undefined ? {} : { until: textOf(values, 'until') }),
  }
}

function pairsOf(values: Given['values'], option: string): Readonly<Record<string, string>> | undefined {
  const pairs = textsOf(values, option).map((text) => pairOf(text, option))
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

/** Numbers and truth values of parameters, which JSON tells from texts. */
const typed = (pairs: Readonly<Record<string, string>>): object =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, value]) => [
      name,
      /^(true|false|-?\d+(\.\d+)?)$/.test(value) ? JSON.parse(value) : value,
    ]),
  )

async function clear({ server, out, words }: Given): Promise<void> {
  const [name, ...more] = words
  noMore(more)
  const path = server.own(name === undefined ? 'faults' : `faults/${encodeURIComponent(name)}`)
  await server.ask({ method: 'DELETE', path })
  out.result({ cleared: name ?? 'all' }, [`${name ?? 'Every fault'} is cleared`])
}
