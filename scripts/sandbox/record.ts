/** `record`: a plan drafted from what a client has done, which the same client passes. docs/plans.md */
import { DateTime, Duration } from 'luxon'
import { type ExchangeSummary, isGap, type Summary } from '../../src/record/journal/exchange.ts'
import type { Plan } from '../../src/rehearsal/plans/plan.ts'
import type { StepReport } from '../../src/rehearsal/runs/run.ts'
import { noMore, textOf, UsageError, type Values } from './arguments.ts'
import type { Command, Given } from './command.ts'
import { draftPlan } from './draft-plan.ts'
import { isoDuration } from './durations.ts'
import { linesOfStep } from './report-lines.ts'
import type { Server } from './server.ts'

export const record: Command = {
  what: 'Drafts a plan from what a client has done: a step for each kind of request and tool call.',
  usage: ['record --since TIME | --run ID | --call ID [--name PLAN] [--store]'],
  help: [
    '--since TIME   what has come in since then: 10m, 1h, or 2027-03-13T09:00:00Z',
    '--run ID       what belongs to a run',
    '--call ID      the tool calls of a live call',
    '--name PLAN    the name of the plan, lower-case words joined by hyphens; absent: recorded',
    '--store        the clinic keeps the plan; absent: it is written as JSON',
  ],
  examples: [
    'record --since 10m',
    'record --run run-7c31 --name my-scheduler --store',
    'record --call 4711 > plan.json',
  ],
  options: {
    since: { type: 'string' },
    run: { type: 'string' },
    call: { type: 'string' },
    name: { type: 'string', default: 'recorded' },
    store: { type: 'boolean' },
  },
  run: async ({ server, out, words, values }) => {
    noMore(words)
    const chosen = chosenBy(values)
    const plan = await drafted({ server, out }, chosen, textOf(values, 'name') ?? 'recorded')
    await requireThatItPasses(server, plan, chosen)
    if (values.store !== true) return out.result(plan, [JSON.stringify(plan, undefined, 2)])
    await server.ask({ method: 'PUT', path: server.own(`plans/${encodeURIComponent(plan.plan)}`), body: plan })
    out.result(plan, [`Stored ${plan.plan}: ${plan.steps.length} steps`])
  },
}

/** By which exchanges are chosen, as both the journal and a dry run take it. */
interface Chosen {
  readonly by: 'since' | 'run' | 'call'
  readonly value: string
}

const WAYS = ['since', 'run', 'call'] as const

/** @throws UsageError */
function chosenBy(values: Values): Chosen {
  const [chosen, ...more] = WAYS.flatMap((by) => {
    const value = textOf(values, by)
    return value === undefined ? [] : [{ by, value: by === 'since' ? instantOf(value) : value }]
  })
  if (chosen === undefined || more.length > 0)
    throw new UsageError('Which requests? One of --since TIME, --run ID and --call ID')
  return chosen
}

/** A time, or a span before now. @throws UsageError */
function instantOf(text: string): string {
  const isSpan = /^P|[smhdw]$/.test(text)
  const time = isSpan ? DateTime.now().minus(Duration.fromISO(isoDuration(text))) : DateTime.fromISO(text)
  const instant = time.toUTC().toISO()
  if (instant === null) throw new UsageError(`'${text}' is no time: 10m, 1h or 2027-03-13T09:00:00Z`)
  return instant
}

async function drafted({ server, out }: Pick<Given, 'server' | 'out'>, chosen: Chosen, name: string): Promise<Plan> {
  const { plan, notes } = fromRecorded(await exchangesOf(server, chosen), {
    name,
    from: `${chosen.by === 'since' ? 'the time since' : chosen.by} ${chosen.value}`,
  })
  for (const note of notes) out.note(note)
  return plan
}

function fromRecorded(...given: Parameters<typeof draftPlan>): ReturnType<typeof draftPlan> {
  try {
    return draftPlan(...given)
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error
  }
}

interface Page {
  readonly exchanges: readonly Summary[]
  /** The address of the next one. */
  readonly next?: string
}

/** Exchanges that are looked at, at most. */
const MOST = 20_000

/** The oldest first. */
async function exchangesOf(server: Server, { by, value }: Chosen): Promise<readonly ExchangeSummary[]> {
  const found: ExchangeSummary[] = []
  let query: string | undefined = `?${new URLSearchParams({ [by]: value, count: '200' })}`
  while (query !== undefined && found.length < MOST) {
    const page: Page = await server.ask<Page>({ path: server.own(`exchanges${query}`) })
    found.push(...page.exchanges.filter(isExchange))
    query = page.next === undefined ? undefined : new URL(page.next, server.url).search
  }
  return found.toReversed()
}

const isExchange = (one: Summary): one is ExchangeSummary => !isGap(one)

/** @throws Problem where the plan is refused, UsageError where the traffic that it is of would not pass */
async function requireThatItPasses(server: Server, plan: Plan, { by, value }: Chosen): Promise<void> {
  const path = server.own('plans/$dry-run')
  const body = { plan, [by]: value }
  const { steps } = await server.ask<{ steps: readonly StepReport[] }>({ method: 'POST', path, body })
  const wrong = steps.filter(({ result }) => result !== 'pass')
  if (wrong.length === 0) return
  throw new UsageError(['Not even the recorded traffic passes:', ...wrong.flatMap(linesOfStep)].join('\n'))
}
