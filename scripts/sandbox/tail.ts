/** `tail`: the requests of the clinic as they come in, from the live stream of the journal. docs/journal.md#live */
import { eventsIn } from '../../dashboard/api/event-stream.ts'
import { Problem } from '../../dashboard/api/problem.ts'
import { noMore, numberOf, textOf, type Values } from './arguments.ts'
import type { Command, Given } from './command.ts'
import type { Server } from './server.ts'

interface Exchange {
  readonly time: string
  readonly duration: number
  readonly method: string
  readonly address: string
  readonly status: number
  readonly call?: string
  readonly fault?: string
  readonly tools?: readonly { readonly tool: string; readonly success?: boolean; readonly code?: string }[]
  readonly reason?: { readonly text: string }
  readonly gap?: { readonly count: number; readonly why: string }
}

/** Filters that the server knows. */
const FILTERS = ['status', 'type', 'call', 'run', 'path', 'fault'] as const
/** Whichever fault. */
const ANY = 'any'
/** Milliseconds before the stream is opened again. */
const AGAIN = 1_000
/** Milliseconds of silence after which the stream is taken for lost: it has a heartbeat each 15 seconds. */
const SILENCE = 40_000

export const tail: Command = {
  what: 'Follows the requests of the clinic as they come in, until it is stopped.',
  usage: [
    'tail [--status 4xx] [--type Patient] [--call ID] [--run ID] [--path /Patient] [--method POST] [--fault NAME]',
  ],
  help: [
    '--fault NAME   those that the fault has changed; any: whichever fault',
    '--count N      ends after so many',
    '--json         a line of JSON for each',
  ],
  examples: ['tail', 'tail --status 4xx --method POST', 'tail --fault any --json'],
  options: {
    ...Object.fromEntries(FILTERS.map((name) => [name, { type: 'string' as const }])),
    method: { type: 'string' },
    count: { type: 'string' },
  },
  run: async (given) => {
    const { out, words, values } = given
    noMore(words)
    const count = textOf(values, 'count')
    let left = count === undefined ? Number.POSITIVE_INFINITY : numberOf(count, 'count')
    for await (const exchange of follow(given)) {
      if (!isWanted(exchange, values)) continue
      out.item(exchange, lineOf(exchange))
      left -= 1
      if (left <= 0) return
    }
  },
}

/** How far the stream has been read. */
interface Place {
  last?: string
}

/** Connects again where it was, for as long as the server lets it. @throws Problem, and Unreachable for the first time */
async function* follow(given: Given): AsyncGenerator<Exchange> {
  const place: Place = {}
  for (;;) {
    try {
      yield* connected(given, place)
    } catch (error) {
      if (!mayGoOn(error, place)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN))
  }
}

async function* connected({ server, out, values }: Given, place: Place): AsyncGenerator<Exchange> {
  for await (const { event, id, data } of await openStream(server, values, place.last)) {
    if (id !== '') place.last = id
    if (event === 'start') out.note(`Following ${server.clinic} at ${server.url}`)
    if (event === 'exchange' || event === 'gap') yield JSON.parse(data) as Exchange
  }
}

async function openStream(server: Server, values: Values, last: string | undefined) {
  const lost = new AbortController()
  const query = new URLSearchParams(
    FILTERS.flatMap((name) => {
      const value = textOf(values, name)
      return value === undefined || (name === 'fault' && value === ANY) ? [] : [[name, value]]
    }),
  )
  const { body } = await server.open({
    path: server.own(`exchanges/live${query.size === 0 ? '' : `?${query}`}`),
    headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
    signal: lost.signal,
  })
  return eventsIn(body ?? new ReadableStream(), { after: SILENCE, onSilence: () => lost.abort() })
}

/** Whether it is worth connecting again: the connection broke, or the server is away or too busy. */
const mayGoOn = (error: unknown, { last }: Place): boolean =>
  last !== undefined && (!(error instanceof Problem) || error.isPassing || error.status === 429)

/** The filters that are applied here. */
function isWanted({ method, fault, gap }: Exchange, values: Values): boolean {
  const wanted = textOf(values, 'method')
  const isMethod = wanted === undefined || wanted.toUpperCase() === method
  return gap !== undefined || (isMethod && (textOf(values, 'fault') !== ANY || fault !== undefined))
}

function lineOf({ time, duration, method, address, status, call, fault, tools = [], reason, gap }: Exchange): string {
  if (gap !== undefined) return `… ${gap.count} are missing: ${gap.why}`
  const said = tools.map(({ tool, success, code }) => `${tool}${success === false ? ` refused ${code ?? ''}` : ''}`)
  return [
    time.slice(11, 23),
    String(status).padStart(3, '0'),
    `${method} ${address}`,
    `${duration} ms`,
    ...(call === undefined ? [] : [`call ${call}`]),
    ...said,
    ...(fault === undefined ? [] : [`fault ${fault}`]),
    ...(reason === undefined ? [] : [reason.text]),
  ].join('  ')
}
