/** A probe from its first request to its report: the steps in order, and what was created is deleted again. */
import { randomBytes } from 'node:crypto'
import type { Appointment } from 'fhir/r4'
import { resultOf, tallyOf } from '../../../src/rehearsal/reports/tally.ts'
import { SeenByRun } from '../../../src/rehearsal/runs/exchange-matching.ts'
import type { Evidence, RunReport, StepReport } from '../../../src/rehearsal/runs/run.ts'
import { TrafficWatch } from '../../../src/rehearsal/runs/traffic.ts'
import { missingIn } from './offer.ts'
import { Lacking, type Probe, type ProbeStep, Wrong } from './step.ts'
import { BOOKING } from './steps-booking.ts'
import { DOCUMENTS, REFUSALS } from './steps-documents.ts'
import { MATCHING } from './steps-matching.ts'
import { PROPOSING } from './steps-proposing.ts'
import { SEARCHING } from './steps-searching.ts'
import { type Answer, isResource, NoAnswer, type Place, Target } from './target.ts'

export const STEPS: readonly ProbeStep[] = [
  ...SEARCHING,
  ...MATCHING,
  ...BOOKING,
  ...PROPOSING,
  ...DOCUMENTS,
  ...REFUSALS,
]

/** Exchanges that are shown of a step: the last ones, which decide. */
const MOST_SHOWN = 5
const SERVER_PROBE = { plan: 'server-probe', version: '1.0.0', title: 'Scheduling, matching and documents of a server' }

export interface Probed extends Omit<Place, 'run'> {
  /** The strictness profile of the base. */
  readonly as?: string
  /** The clinic, where the server is this sandbox. */
  readonly clinic?: string
}

export async function runProbe(probed: Probed): Promise<RunReport> {
  const run = `probe-${randomBytes(6).toString('hex')}`
  const probe: Probe = { target: new Target({ ...probed, run }), tag: newTag(), created: [], slots: [], actors: [] }
  const startedAt = new Date().toISOString()
  const steps: StepReport[] = []
  for (const step of STEPS) steps.push(await judged(probe, step, steps))
  const notes = await cleanUp(probe)
  const { base, as, clinic = '' } = probed
  return {
    ...{ run, clinic, ...SERVER_PROBE, client: 'npm run sandbox -- probe', base, ...(as === undefined ? {} : { as }) },
    ...{ status: 'finished', result: resultOf(steps), score: tallyOf(steps).score },
    ...{ startedAt, endedAt: new Date().toISOString(), steps, ...trafficOf(probe.target), notes },
  }
}

/** Letters, as many servers take a name with digits for a mistake. */
const newTag = (): string => [...randomBytes(8)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')

async function judged(probe: Probe, step: ProbeStep, before: readonly StepReport[]): Promise<StepReport> {
  const { id, title, source } = step
  const begun = probe.target.exchanges.length
  const ruling = whyNot(probe, step, before) ?? (await tried(probe, step))
  return { id, title, source, ...ruling, evidence: evidenceOf(probe, begun, ruling.result) }
}

type Ruling = Pick<StepReport, 'result' | 'message' | 'optional'>

/** The reason why a step is not tried. A thing that a server does not offer counts neither for nor against it. */
function whyNot({ statement }: Probe, { id, needs = [], after = [] }: ProbeStep, before: readonly StepReport[]) {
  const isMissing = [...after, ...(id === 'metadata' ? [] : ['metadata'])].find(
    (one) => before.find((step) => step.id === one)?.result !== 'pass',
  )
  const missing = statement === undefined ? undefined : missingIn(statement, needs)
  if (missing !== undefined) return skipped(`The CapabilityStatement does not offer ${missing}.`)
  if (isMissing === undefined) return undefined
  const isOffered = before.find((step) => step.id === isMissing)?.optional !== true
  const why: Ruling = { result: 'skip', message: `It goes on from the step ${isMissing}, which did not pass.` }
  return isOffered ? why : { ...why, optional: true as const }
}

const skipped = (message: string): Ruling => ({ result: 'skip', message, optional: true })

async function tried(probe: Probe, { run }: ProbeStep): Promise<Ruling> {
  try {
    return { result: 'pass', message: await run(probe) }
  } catch (error) {
    if (error instanceof Wrong) return { result: 'fail', message: `${error.message}.` }
    if (error instanceof Lacking) return skipped(`${error.message}.`)
    if (error instanceof NoAnswer) return { result: 'error', message: `${error.message}.` }
    throw error
  }
}

function evidenceOf({ target }: Probe, begun: number, result: StepReport['result']): readonly Evidence[] {
  const own = target.exchanges.slice(begun).slice(-MOST_SHOWN)
  return own.map(({ id, time, method, address, status }, index) => ({
    exchange: id,
    of: result !== 'pass' && index === own.length - 1 ? 'nearest' : 'expect',
    at: time,
    line: `${method} ${address} ${status === 0 ? 'without a response' : status}`,
  }))
}

/** Only addresses are counted. */
const NO_BODIES = { read: async () => undefined, turn: async () => {}, left: 0 }

function trafficOf({ exchanges }: Target): Pick<RunReport, 'traffic' | 'observed'> {
  const watch = new TrafficWatch()
  for (const exchange of exchanges) watch.see(new SeenByRun(exchange, NO_BODIES))
  return { traffic: watch.traffic, observed: watch.observed }
}

/** Deletes what was created, the last first, as others refer to what was created before them. */
async function cleanUp({ target, created }: Probe): Promise<readonly string[]> {
  const left: string[] = []
  for (const one of [...new Set(created)].toReversed()) {
    const isGone = await target.ask('DELETE', one).then(isDone, () => false)
    if (isGone) continue
    if (one.startsWith('Appointment/')) await cancel(target, one).catch(() => undefined)
    left.push(one)
  }
  return left.length === 0 ? [] : [`The server keeps what the probe has created: ${left.join(', ')}`]
}

const isDone = ({ status }: Answer): boolean => status < 300 || status === 404 || status === 410

/** A visit that stays takes no time from others. */
async function cancel(target: Target, visit: string): Promise<void> {
  const { body } = await target.get(visit)
  if (isResource<Appointment>(body, 'Appointment') && body.status !== 'cancelled')
    await target.ask('PUT', visit, { body: { ...body, status: 'cancelled' } })
}
