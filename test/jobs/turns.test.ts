/** The turns of jobs: of a clinic one at a time, and again where that may be. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { BackgroundLoop } from '../../src/isolation/background-loop.ts'
import { isOver, JOB, type Job, type JobFailure, type JobWork } from '../../src/jobs/job.ts'
import { jobLoop } from '../../src/jobs/job-loop.ts'
import { stageJob } from '../../src/jobs/jobs.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
import { openTestRepository } from '../support/repository.ts'
import { until } from '../support/server-process.ts'

const CLINIC = 'clinic'
const JOBS = 12

const loops: BackgroundLoop[] = []
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.close()
})

const user = { kind: 'user', id: 'someone', name: 'Someone', role: 'staff' } as const
const NEW = { kind: 'request', user, request: '/', base: '', work: {} } as const
const FULL: JobFailure = { status: 507, issues: [{ code: 'no-store', diagnostics: 'The store is full' }] }

/**
 * Works on so many new jobs of a clinic, by two loops as two processes have, until all are over.
 * @param faster milliseconds by which the time goes further with each look
 * @returns them
 */
async function workedOn(count: number, work: JobWork, faster = 0): Promise<readonly Job[]> {
  const { repository, setTime } = await openTestRepository()
  await repository.change(CLINIC, async (unit) => {
    for (let n = 0; n < count; n += 1) await stageJob(unit, NEW)
  })
  for (let n = 0; n < 2; n += 1) {
    const services = { repository, logger: pino({ level: 'silent' }), failureOf: () => FULL }
    const loop = jobLoop({ ...services, kinds: { request: work } })
    loops.push(loop)
    loop.start()
  }
  const jobs = async () => (await repository.records(JOB, { clinic: CLINIC, limit: count })).map(({ value }) => value)
  let ahead = 0
  await until(async () => {
    ahead += faster
    setTime(Date.now() + ahead)
    return (await jobs()).every(isOver)
  })
  return await jobs()
}

test('of a clinic one job at a time is worked on, also where several loops find several that are due', async () => {
  let [atWork, most] = [0, 0]
  const step: JobWork['step'] = async () => {
    atWork += 1
    most = Math.max(most, atWork)
    await sleep(5)
    atWork -= 1
    return { work: {}, progress: 'done', end: 'done' }
  }
  const jobs = await workedOn(JOBS, { step })
  expect(new Set(jobs.map(({ state }) => state))).toEqual(new Set(['done']))
  expect(most).toBe(1)
})

test.each<[string, Pick<JobWork, 'mayRepeat'>, boolean, object]>([
  ['is tried again, and fails in the end with what the store says', {}, true, FULL],
  [
    'is not tried again where it may have written, and says so',
    { mayRepeat: () => false },
    false,
    { status: 500, issues: [{ code: 'incomplete' }] },
  ],
])('a job whose store cannot serve %s', async (_what, rules, isRepeated, failure) => {
  let tries = 0
  const step: JobWork['step'] = async () => {
    tries += 1
    throw new StoreUnavailable('The store is full')
  }
  const [job] = await workedOn(1, { step, ...rules }, 500)
  expect(job).toMatchObject({ state: 'failed', failure })
  expect(tries > 1).toBe(isRepeated)
})
