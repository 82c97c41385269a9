/** The loop of background work, with sources of jobs that only say what they did. */
import { describe, expect, test } from '@jest/globals'
import { BackgroundLoop, type Job, type JobSource } from '../../src/isolation/background-loop.ts'

const PACE = { look: 1, pause: 0 }

/** Jobs by their number of batches; -1: another server has the lease, Infinity: it runs until the loop is closed. */
class Jobs implements JobSource {
  readonly steps: string[] = []
  readonly #batches: Readonly<Record<string, number>>
  readonly #goesOnAfterFault: boolean
  readonly lookedTwice: Promise<void>
  looks = 0
  #onSecondLook = (): void => {}

  constructor(batches: Readonly<Record<string, number>>, goesOnAfterFault = true) {
    this.#batches = batches
    this.#goesOnAfterFault = goesOnAfterFault
    this.lookedTwice = new Promise((resolve) => {
      this.#onSecondLook = resolve
    })
  }

  async *jobs(): AsyncGenerator<Job> {
    this.looks += 1
    if (this.looks === 2) this.#onSecondLook()
    if (this.looks > 1) return
    for (const [name, batches] of Object.entries(this.#batches)) yield this.#job(name, batches)
  }

  failed(error: unknown): boolean {
    this.steps.push(String(error))
    return this.#goesOnAfterFault
  }

  async close(): Promise<void> {
    this.steps.push('closed')
  }

  #job(name: string, batches: number): Job {
    let left = batches
    const batch = async (): Promise<boolean> => {
      if (Number.isNaN(batches)) throw new Error(`no ${name}`)
      this.steps.push(name)
      left -= 1
      return left > 0
    }
    const end = async (): Promise<void> => {
      this.steps.push(`${name} ends`)
    }
    return { lease: async () => (batches < 0 ? undefined : { batch, end }) }
  }
}

async function stepsOf(jobs: Jobs): Promise<readonly string[]> {
  const loop = new BackgroundLoop(jobs, PACE)
  loop.start()
  await jobs.lookedTwice
  await loop.close()
  return jobs.steps
}

describe('the background loop', () => {
  test('works on one job after the other, batch by batch, and looks for jobs again', async () => {
    expect(await stepsOf(new Jobs({ a: 2, b: 1 }))).toEqual(['a', 'a', 'a ends', 'b', 'b ends', 'closed'])
  })

  test('leaves a job alone that another server has leased', async () => {
    expect(await stepsOf(new Jobs({ a: -1, b: 1 }))).toEqual(['b', 'b ends', 'closed'])
  })

  test('reports a fault and goes on with the next job, where the source says that it may succeed', async () => {
    const steps = await stepsOf(new Jobs({ a: Number.NaN, b: 1 }))
    expect(steps).toEqual(['Error: no a', 'b', 'b ends', 'closed'])
  })

  test('reports a fault and leaves the other jobs to a later look, where the source says that they would fail too', async () => {
    expect(await stepsOf(new Jobs({ a: Number.NaN, b: 1 }, false))).toEqual(['Error: no a', 'closed'])
  })

  test('that is closed ends the job under way after its batch, and begins no other', async () => {
    const jobs = new Jobs({ a: Number.POSITIVE_INFINITY, b: 1 })
    const loop = new BackgroundLoop(jobs, PACE)
    loop.start()
    while (jobs.steps.length < 3) await new Promise((resolve) => setTimeout(resolve, 1))
    await loop.close()
    expect(new Set(jobs.steps)).toEqual(new Set(['a', 'a ends', 'closed']))
    expect(jobs.steps.slice(-2)).toEqual(['a ends', 'closed'])
  })

  test('works on several jobs side by side, where its pace says so, and waits for all of them when it is closed', async () => {
    const jobs = new Jobs({ a: Number.POSITIVE_INFINITY, b: Number.POSITIVE_INFINITY, c: 1 })
    const loop = new BackgroundLoop(jobs, { ...PACE, atOnce: 2 })
    loop.start()
    while (!(jobs.steps.includes('a') && jobs.steps.includes('b')))
      await new Promise((resolve) => setTimeout(resolve, 1))
    await loop.close()
    expect(new Set(jobs.steps)).toEqual(new Set(['a', 'b', 'a ends', 'b ends', 'closed']))
    expect(jobs.steps.at(-1)).toBe('closed')
  })

  test('that is closed before its first look never looks', async () => {
    const jobs = new Jobs({ a: 1 })
    const loop = new BackgroundLoop(jobs, PACE)
    loop.start()
    await loop.close()
    loop.start()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([jobs.looks, jobs.steps]).toEqual([0, ['closed']])
  })
})
