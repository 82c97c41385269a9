/** The life of the threads that work for another one: src/isolation/thread-host.ts. */
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { HostedThread, type ThreadEnd } from '../../src/isolation/thread-host.ts'
import type { TestJob } from './served-thread.ts'

class Lost extends Error {
  readonly end: ThreadEnd

  constructor(end: ThreadEnd) {
    super('lost')
    this.end = end
  }
}

const threads: HostedThread<TestJob, string>[] = []
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close(0)
})

function hosted() {
  const notices: string[] = []
  const faults: unknown[] = []
  const written = new Int32Array(new SharedArrayBuffer(4))
  const thread = new HostedThread<TestJob, string>({
    entry: join(import.meta.dirname, 'served-thread.ts'),
    name: 'test',
    megabytes: [64, 8],
    data: () => ({ value: { written } }),
    toThrown: (sent: string) => new Error(`thrown: ${sent}`),
    lost: (end) => new Lost(end),
    onNotice: (notice: string) => notices.push(notice),
    onFault: (error) => faults.push(error),
  })
  threads.push(thread)
  return { thread, notices, faults, written }
}

test('a thread starts with its first job, and returns results, errors and notices', async () => {
  const { thread, notices } = hosted()
  expect(thread.isStarted).toBe(false)
  expect(await thread.run('data')).toBe('done: data')
  await expect(thread.run('fail')).rejects.toThrow('thrown: Error: it failed')
  expect(await thread.run('notify')).toBe('done: notify')
  expect(notices).toEqual(['a notice'])
})

test('a thread that has died is reported, its job is lost, and the next job has a new one', async () => {
  const { thread, faults } = hosted()
  await expect(thread.run('exit')).rejects.toMatchObject({ end: { hasEffect: false } })
  expect(faults).toHaveLength(1)
  expect(await thread.run('data')).toBe('done: data')
})

test('a job whose result is no longer needed ends by itself', async () => {
  const { thread } = hosted()
  const left = new AbortController()
  const job = thread.run('wait for abandonment', { signal: left.signal })
  left.abort()
  expect(await job).toBe('done: wait for abandonment')
})

test('a job that takes too long is lost with its thread, which is no fault', async () => {
  const { thread, faults } = hosted()
  const job = thread.run('never end', { milliseconds: 1, grace: 1 })
  await expect(job).rejects.toMatchObject({ end: { isLate: true, hasEffect: false } })
  expect(await thread.run('data')).toBe('done: data')
  expect(faults).toEqual([])
})

test('of a lost job it is known whether it had begun to write', async () => {
  const { thread, written } = hosted()
  const job = expect(thread.run('write')).rejects.toMatchObject({ end: { isClosed: true, hasEffect: true } })
  while (written[0] === 0) await pause(5)
  await thread.close(0)
  await job
})

test('a thread that is closed finishes its jobs, and takes no more', async () => {
  const { thread } = hosted()
  const job = thread.run('data')
  await thread.close()
  expect(await job).toBe('done: data')
  await expect(thread.run('data')).rejects.toMatchObject({ end: { isClosed: true } })
})
