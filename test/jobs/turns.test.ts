/** The turns of jobs: of a clinic one at a time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { BackgroundLoop } from '../../src/isolation/background-loop.ts'
import { JOB, type Job, type JobWork } from '../../src/jobs/job.ts'
import { jobLoop } from '../../src/jobs/job-loop.ts'
import { stageJob } from '../../src/jobs/jobs.ts'
import { openTestRepository } from '../support/repository.ts'
import { until } from '../support/server-process.ts'

const CLINIC = 'clinic'
const JOBS = 12

const loops: BackgroundLoop[] = []
afterEach(async () => {
  for (const loop of loops.splice(0)) await loop.close()
})

test('of a clinic one job at a time is worked on, also where several loops find several that are due', async () => {
  const { repository, setTime } = await openTestRepository()
  const user = { kind: 'user', id: 'someone', name: 'Someone', role: 'staff' } as const
  const job = { kind: 'request', user, request: '/', base: '', work: {} } as const
  await repository.change(CLINIC, async (unit) => {
    for (let n = 0; n < JOBS; n += 1) await stageJob(unit, job)
  })
  let [atWork, most] = [0, 0]
  const step: JobWork['step'] = async () => {
    atWork += 1
    most = Math.max(most, atWork)
    await sleep(5)
    atWork -= 1
    return { work: {}, progress: 'done', end: 'done' }
  }
  const failureOf = () => ({ status: 500, issues: [] })
  for (let n = 0; n < 2; n += 1) {
    const loop = jobLoop({ repository, logger: pino({ level: 'silent' }), kinds: { request: { step } }, failureOf })
    loops.push(loop)
    loop.start()
  }
  const states = async () =>
    (await repository.records(JOB, { clinic: CLINIC, limit: JOBS })).map(({ value }: { value: Job }) => value.state)
  await until(async () => {
    setTime(Date.now())
    return (await states()).every((state) => state === 'done')
  })
  expect(most).toBe(1)
})
