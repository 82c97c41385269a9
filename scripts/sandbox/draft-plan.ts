/** A plan drafted from recorded traffic: a step for each kind of exchange, in the order in which the kinds first came. docs/plans.md */
import type { ExchangeSummary, ShownTool } from '../../src/record/journal/exchange.ts'
import { INTERACTIONS } from '../../src/rehearsal/faults/matching.ts'
import type { Matcher, Plan, Step } from '../../src/rehearsal/plans/plan.ts'

/** The most steps that a plan may have. */
const MOST_STEPS = 60

export interface Draft {
  readonly plan: Plan
  /** Sentences about what is not in it. */
  readonly notes: readonly string[]
}

/** Requests of one kind: they differ in values alone. */
interface Kind {
  readonly expect: Matcher
  readonly title: string
  readonly id: string
  readonly isRefused: boolean
  readonly count: number
}

/**
 * @param recorded the exchanges, the oldest first
 * @param from where they were recorded, in words: `run run-7c31`, `the time since 2026-11-28T08:00:00Z`
 * @throws RangeError where none of them is a client's
 */
export function draftPlan(recorded: readonly ExchangeSummary[], { name, from }: { name: string; from: string }): Draft {
  const ofClient = recorded.filter(isOfClient)
  const [whole, left] = [ofClient.filter(isWhole), ofClient.filter((one) => !isWhole(one)).length]
  const kinds = distinct(whole.flatMap(kindsIn))
  if (kinds.length === 0) throw new RangeError(`No request of FHIR and no tool call is recorded in ${from}`)
  const steps = kinds.slice(0, MOST_STEPS).map((kind) => stepOf(kind, from))
  const description = `What a client did in ${from}: drafted from recorded traffic, to be gone over by a person.`
  return {
    plan: { plan: name, title: `As recorded: ${name}`, version: '1.0.0', description, steps },
    notes: [
      ...(left === 0 ? [] : [`Left out: ${left} that met a fault or had no response; give a step 'do' to provoke one`]),
      ...(kinds.length <= MOST_STEPS ? [] : [`Left out: ${kinds.length - MOST_STEPS} kinds beyond ${MOST_STEPS}`]),
    ],
  }
}

/** The requests of pages of the dashboard name it as their run. */
const DASHBOARD = 'dashboard'

/** A fault may come before it is known what a request is about. */
const isOfClient = (exchange: ExchangeSummary): boolean =>
  exchange.direction === 'in' &&
  exchange.run !== DASHBOARD &&
  exchange.replayOf === undefined &&
  (exchange.tools !== undefined || exchange.fault !== undefined || isOfFhir(exchange))

/** Administrative requests have an operation too, but no name of FHIR's for it: `try plan`. */
const isOfFhir = ({ interaction = '', operation = '$' }: ExchangeSummary): boolean =>
  [...INTERACTIONS, 'capabilities'].includes(interaction) && operation.startsWith('$')

/** It has its answer, and that answer is the server's own. */
const isWhole = ({ fault, status }: ExchangeSummary): boolean =>
  fault === undefined && status >= 200 && status < 500 && status !== CLIENT_LEFT

const CLIENT_LEFT = 499

/** Parameters of the result that tell nothing of what a client is after. */
const OF_NO_INTEREST = ['_count', '_elements', '_format', '_pretty', '_sort', '_summary', '_total']

const kindsIn = (exchange: ExchangeSummary): readonly Kind[] =>
  exchange.tools === undefined ? [kindOf(exchange)] : exchange.tools.map(kindOfTool)

function kindOfTool({ tool, success }: ShownTool): Kind {
  const isRefused = success === false
  return {
    expect: { tool, ...(success === undefined ? {} : { result: { success } }) },
    title: `Calls ${tool}${isRefused ? ', which says no' : ''}`,
    id: idOf(tool, isRefused ? 'refused' : ''),
    isRefused,
    count: 1,
  }
}

function kindOf(exchange: ExchangeSummary): Kind {
  const { interaction = '', type, operation, address, status } = exchange
  const names = parametersOf(address)
  const isRefused = status >= 400
  return {
    expect: {
      interaction,
      ...(type ? { type } : {}),
      ...(operation === undefined ? {} : { operation }),
      ...(names.length === 0 ? {} : { query: Object.fromEntries(names.map((name) => [name, ''])) }),
      status,
    },
    title: titleOf(exchange, names) + (isRefused ? `, which is refused with ${status}` : ''),
    id: idOf(operation ?? interaction.replace(/-type$/, ''), type ?? '', isRefused ? `refused-${status}` : ''),
    isRefused,
    count: 1,
  }
}

const parametersOf = (address: string): readonly string[] =>
  [...new Set(new URLSearchParams(address.split('?')[1]).keys())]
    .filter((name) => name !== '' && !OF_NO_INTEREST.includes(name))
    .toSorted()

/** An interaction in words, before its type. */
const VERBS: Readonly<Record<string, string>> = {
  ...{ read: 'Reads', vread: 'Reads a version of', create: 'Creates', update: 'Updates', patch: 'Patches' },
  ...{ delete: 'Deletes', capabilities: 'Reads the CapabilityStatement', batch: 'Sends a batch' },
  ...{ transaction: 'Sends a transaction', 'search-type': 'Searches', 'search-system': 'Searches all types' },
  ...{ 'search-compartment': 'Searches in a compartment', 'history-instance': 'Reads the history of' },
  ...{ 'history-type': 'Reads the history of all of', 'history-system': 'Reads the history of everything' },
}

function titleOf({ interaction = '', type = '', operation }: ExchangeSummary, names: readonly string[]): string {
  const what = operation === undefined ? `${VERBS[interaction] ?? interaction} ${type}` : `Calls ${type} ${operation}`
  return `${what.replace(/\s+/g, ' ').trim()}${names.length === 0 ? '' : ` by ${names.join(', ')}`}`
}

/** `search-document-reference` of `search` and `DocumentReference`. */
const idOf = (...words: readonly string[]): string =>
  words
    .map((word) => word.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase())
    .join('-')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** Each kind once, with how often it came; an id that two kinds share gets a number. */
function distinct(kinds: readonly Kind[]): readonly Kind[] {
  const byMatcher = new Map<string, Kind>()
  for (const kind of kinds) {
    const key = JSON.stringify(kind.expect)
    byMatcher.set(key, { ...kind, count: (byMatcher.get(key)?.count ?? 0) + 1 })
  }
  const seen = new Map<string, number>()
  return [...byMatcher.values()].map((kind) => {
    const number = (seen.get(kind.id) ?? 0) + 1
    seen.set(kind.id, number)
    return number === 1 ? kind : { ...kind, id: `${kind.id}-${number}` }
  })
}

/** A refusal is a matter of the data, which are others next time: its step need not be seen. */
const stepOf = ({ id, title, expect, isRefused, count }: Kind, from: string): Step => ({
  ...{ id, title, source: `Recorded: ${from}` },
  ...(isRefused ? { optional: true } : {}),
  expect,
  ...(count === 1 || isRefused ? {} : { times: { least: count } }),
})
