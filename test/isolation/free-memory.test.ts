/** Memory that a thread needed for a load is given back after it, and not before. */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from '@jest/globals'

const MEBIBYTE = 1024 * 1024
/** Mebibytes that are left when the memory has been given back; V8 itself leaves more. */
const GIVEN_BACK = 20
/** Milliseconds, in which the thread has looked several times. */
const SEVERAL_LOOKS = 400

const flag = new Int32Array(new SharedArrayBuffer(4))
let thread: Worker

beforeAll(async () => {
  thread = new Worker(join(import.meta.dirname, 'loaded-thread.ts'), {
    workerData: flag.buffer,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  await once(thread, 'message')
})
afterAll(() => thread.terminate())

const heap = async (): Promise<number> => (await thread.getHeapStatistics()).total_physical_size / MEBIBYTE

test('a thread keeps the memory of a load while there are requests, and gives it back when there are none', async () => {
  expect(await heap()).toBeGreaterThan(40)
  await pause(SEVERAL_LOOKS)
  expect(await heap()).toBeGreaterThan(GIVEN_BACK)
  Atomics.store(flag, 0, 1)
  while ((await heap()) > GIVEN_BACK) await pause(20)
})
