/**
 * Whole phone calls of a clinic whose CRM and insurance-verification system respond after 50 ms: one caller after the
 * other, 16 at once, and 200 who take their time.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { logIn, progress, SETTLE, VOICE_SECRET } from '../emr.ts'
import { once } from '../load.ts'
import { withCalendars } from '../scheduling/scheduling-bench.ts'
import { type ServerProcess, startProcess } from '../server-process.ts'
import { platform, playWholeCall, type TimedStep } from './caller.ts'

export const CALLS = 'calls'

/** Seconds of 16 callers before anything is measured. */
const WARM_UP = 10
const ALONE = 50
const AT_ONCE = 16
export const IN_PROGRESS = 200
/** Milliseconds of talk between the tool calls of a caller who takes their time, on average. */
const TALK = 2_000

export interface CallsResults {
  /** Calls one after the other. */
  readonly alone: readonly (readonly TimedStep[])[]
  /** Steps of 16 callers, each of whom calls again as soon as a call is over. */
  readonly atOnce: readonly TimedStep[]
  /** Steps of 200 callers at the same time. */
  readonly inProgress: readonly TimedStep[]
  /** Milliseconds of processor time of a whole call. */
  readonly cpuPerCall: number | undefined
}

export const benchCalls = (folder: string, seconds: number): Promise<CallsResults> =>
  withCalendars(folder, 1, async (server) => {
    const far = await startProcess('bench/calls/far-systems.ts')
    try {
      await useFarSystems(server.url, far.url)
      await pause(SETTLE)
      return await measured(server, seconds)
    } finally {
      await far.stop()
    }
  })

async function measured(server: ServerProcess, seconds: number): Promise<CallsResults> {
  const { url } = server
  let caller = 0
  const inTurn = async (calls: number): Promise<readonly (readonly TimedStep[])[]> => {
    const agent = platform(1)
    const played: (readonly TimedStep[])[] = []
    for (let n = 0; n < calls; n += 1) played.push(await playWholeCall(url, agent, caller++))
    agent.destroy()
    return played
  }
  const crowd = platform(AT_ONCE)
  const crowdFor = async (span: number): Promise<readonly TimedStep[]> => {
    const end = performance.now() + span * 1000
    return await together(AT_ONCE, async (add) => {
      while (performance.now() < end) add(await playWholeCall(url, crowd, caller++))
    })
  }
  await crowdFor(WARM_UP)
  const cpuBefore = server.cpuMilliseconds()
  const alone = await inTurn(ALONE)
  const cpuAfter = server.cpuMilliseconds()
  progress(`${ALONE} calls in turn`)

  const atOnce = await crowdFor(seconds)
  progress(`${AT_ONCE} callers at once: ${atOnce.length} tool calls`)

  const many = platform(IN_PROGRESS)
  const inProgress = await together(IN_PROGRESS, async (add) => {
    await pause(Math.random() * TALK)
    add(await playWholeCall(url, many, caller++, () => pause((0.5 + Math.random()) * TALK)))
  })
  progress(`${IN_PROGRESS} calls in progress: ${inProgress.length} tool calls`)
  for (const agent of [crowd, many]) agent.destroy()
  const cpuPerCall = cpuBefore === undefined || cpuAfter === undefined ? undefined : (cpuAfter - cpuBefore) / ALONE
  return { alone, atOnce, inProgress, cpuPerCall }
}

async function together(
  callers: number,
  play: (add: (steps: readonly TimedStep[]) => void) => Promise<void>,
): Promise<readonly TimedStep[]> {
  const steps: TimedStep[] = []
  await Promise.all(Array.from({ length: callers }, () => play((more) => steps.push(...more))))
  return steps
}

async function useFarSystems(url: string, far: string): Promise<void> {
  const headers = { authorization: await logIn(url), 'content-type': 'application/json' }
  const path = '/clinics/demo-clinic/settings'
  const settings = JSON.parse((await once(url, { method: 'GET', path, headers })).text)
  const body = JSON.stringify({
    ...settings,
    crm: {
      enabled: true,
      url: `${far}/crm`,
      secret: `whsec_${Buffer.from(VOICE_SECRET.padEnd(32, '-')).toString('base64')}`,
    },
    insurance: { enabled: true, url: `${far}/insurance`, token: VOICE_SECRET },
  })
  const { status, text } = await once(url, { method: 'PUT', path, headers, body })
  if (status !== 200) throw new Error(`The settings were answered ${status}: ${text}`)
}
