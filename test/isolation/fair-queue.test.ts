/** Slots that clinics share: src/isolation/fair-queue.ts. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { FairQueue, type FairQueueLimits, QueueFull, type Release } from '../../src/isolation/fair-queue.ts'
import { randomRuns } from '../support/random-runs.ts'

const LIMITS: FairQueueLimits = { slots: 2, slotsPerClinic: Number.POSITIVE_INFINITY, perClinic: 10, total: 20 }

/** A job of the test: `clinic`, or `clinic/token`. */
interface Job {
  readonly name: string
  readonly leave: () => void
  readonly ended: Promise<unknown>
  release?: Release
}

/** Jobs that enter a queue, and the order in which they begin. */
class Jobs {
  readonly queue: FairQueue
  readonly running: Job[] = []
  readonly begun: string[] = []
  readonly waiting: Job[] = []

  constructor(limits: Partial<FairQueueLimits> = {}) {
    this.queue = new FairQueue({ ...LIMITS, ...limits })
  }

  /** Resolves when it has begun, or stands in the queue. */
  async enter(name: string): Promise<Job> {
    const [clinic = '', token = ''] = name.split('/')
    const abort = new AbortController()
    const entered = this.queue.enter({ clinic, token, signal: abort.signal }).then((release) => {
      job.release = release
      take(this.waiting, this.waiting.indexOf(job))
      this.running.push(job)
      this.begun.push(name)
    })
    const leave = () => {
      take(this.waiting, this.waiting.indexOf(job))
      abort.abort(new Error('left'))
    }
    const job: Job = { name, leave, ended: entered.catch((error) => error) }
    this.waiting.push(job)
    await settled()
    return job
  }

  async enterAll(...names: readonly string[]): Promise<void> {
    for (const name of names) await this.enter(name)
  }

  /** The job that began first of those that run has ended. */
  async end(index = 0): Promise<void> {
    take(this.running, index)?.release?.()
    await settled()
  }

  async endAll(): Promise<void> {
    while (this.running.length > 0) await this.end()
  }
}

const take = (jobs: Job[], index: number): Job | undefined => (index < 0 ? undefined : jobs.splice(index, 1)[0])

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a fair queue', () => {
  test('lets jobs begin at once while there are slots, and one for each slot that is given back', async () => {
    const jobs = new Jobs()
    await jobs.enterAll('a', 'a', 'a', 'a')
    expect([jobs.queue.running, jobs.queue.waiting]).toEqual([2, 2])
    await jobs.end()
    expect([jobs.queue.running, jobs.queue.waiting]).toEqual([2, 1])
  })

  test('counts a slot that is given back twice once', async () => {
    const jobs = new Jobs()
    const job = await jobs.enter('a')
    job.release?.()
    job.release?.()
    expect(jobs.queue.running).toBe(0)
  })

  test('gives a clinic that comes late the next slot, however many jobs of another one wait', async () => {
    const jobs = new Jobs()
    await jobs.enterAll('a', 'a', 'a', 'a', 'a', 'b')
    await jobs.end()
    expect(jobs.begun).toEqual(['a', 'a', 'b'])
  })

  test('never gives the last slot to a clinic that holds all others while another one waits', async () => {
    const jobs = new Jobs({ slots: 3 })
    await jobs.enterAll('a', 'a', 'a', 'a', 'b', 'b', 'b')
    await jobs.end()
    await jobs.end()
    await jobs.end()
    expect(jobs.begun.slice(3)).toEqual(['b', 'a', 'b'])
  })

  test('keeps for other clinics what one may not have, and gives it more once it holds less', async () => {
    const jobs = new Jobs({ slots: 3, slotsPerClinic: 2 })
    await jobs.enterAll('a', 'a', 'a', 'b', 'b')
    expect(jobs.begun).toEqual(['a', 'a', 'b'])
    await jobs.end()
    expect(jobs.begun.slice(3)).toEqual(['a'])
    await jobs.endAll()
    expect(jobs.begun.slice(3)).toEqual(['a', 'b'])
  })

  test('knows whether a clinic waits for its own jobs or for those of others', async () => {
    const jobs = new Jobs({ slots: 3, slotsPerClinic: 2 })
    await jobs.enterAll('a', 'a', 'a', 'b', 'b')
    expect(jobs.queue.refusal('a').by).toBe('clinic')
    expect(jobs.queue.refusal('b').by).toBe('all')
    expect(jobs.queue.refusal('c').by).toBe('all')
  })

  test('takes clinics with one slot in turn', async () => {
    const jobs = new Jobs({ slots: 1 })
    await jobs.enterAll('a', 'a', 'a', 'a', 'b', 'b', 'c')
    await jobs.endAll()
    expect(jobs.begun).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a'])
  })

  test('takes the tokens of a clinic in turn', async () => {
    const jobs = new Jobs({ slots: 1 })
    await jobs.enterAll('a/1', 'a/1', 'a/1', 'a/2', 'a/2')
    await jobs.endAll()
    expect(jobs.begun).toEqual(['a/1', 'a/1', 'a/2', 'a/1', 'a/2'])
  })

  test('refuses what a clinic has too many of, and takes those of another one', async () => {
    const jobs = new Jobs({ slots: 1, perClinic: 2 })
    await jobs.enterAll('a', 'a', 'a')
    expect(await (await jobs.enter('a')).ended).toMatchObject({ name: 'QueueFull', by: 'clinic' })
    await jobs.enter('b')
    expect(jobs.queue.waiting).toBe(3)
  })

  test('refuses what is too many in all', async () => {
    const jobs = new Jobs({ slots: 1, perClinic: 2, total: 3 })
    await jobs.enterAll('a', 'b', 'c', 'd')
    expect(await (await jobs.enter('e')).ended).toEqual(new QueueFull('all', 3))
  })

  test('forgets a job whose client has left, with the reason', async () => {
    const jobs = new Jobs({ slots: 1 })
    await jobs.enter('a')
    const left = await jobs.enter('b')
    await jobs.enter('c')
    left.leave()
    expect(await left.ended).toEqual(new Error('left'))
    expect(jobs.queue.waiting).toBe(1)
    await jobs.endAll()
    expect(jobs.begun).toEqual(['a', 'c'])
  })

  test('does not begin a job whose client has left before', async () => {
    const signal = AbortSignal.abort(new Error('left'))
    const queue = new FairQueue(LIMITS)
    await expect(queue.enter({ clinic: 'a', token: '', signal })).rejects.toThrow('left')
    expect(queue.running).toBe(0)
  })

  test('holds the slot of a client that leaves while its job runs, until it is given back', async () => {
    const jobs = new Jobs({ slots: 1 })
    await jobs.enter('a')
    const later = await jobs.enter('b')
    await jobs.end()
    later.leave()
    expect([jobs.queue.running, jobs.queue.waiting]).toEqual([1, 0])
    await jobs.end()
    expect(jobs.queue.running).toBe(0)
  })

  test('knows how long the longest wait has lasted', async () => {
    const jobs = new Jobs({ slots: 1 })
    await jobs.enter('a')
    expect(jobs.queue.oldestMs).toBe(0)
    await jobs.enter('b')
    expect(jobs.queue.oldestMs).toBeGreaterThan(0)
  })
})

type Step =
  | { readonly kind: 'enter'; readonly name: string }
  | { readonly kind: 'end'; readonly index: number }
  | { readonly kind: 'leave'; readonly index: number }

const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a/1', 'a/2', 'b/1', 'c/1', 'd/1').map((name): Step => ({ kind: 'enter', name })),
  },
  { weight: 2, arbitrary: fc.nat(20).map((index): Step => ({ kind: 'end', index })) },
  { weight: 1, arbitrary: fc.nat(20).map((index): Step => ({ kind: 'leave', index })) },
)

const clinicOf = ({ name }: Job): string => name.split('/')[0] ?? ''

const heldBy = (clinic: string, jobs: Jobs): number => jobs.running.filter((job) => clinicOf(job) === clinic).length

async function perform(step: Step, jobs: Jobs): Promise<void> {
  switch (step.kind) {
    case 'enter':
      await jobs.enter(step.name)
      return
    case 'leave':
      jobs.waiting[step.index % jobs.waiting.length]?.leave()
      await settled()
      return
    case 'end':
      await endOne(step.index, jobs)
  }
}

/** The job that begins is of a clinic that held no more slots than any other that waited. */
async function endOne(index: number, jobs: Jobs): Promise<void> {
  if (jobs.running.length === 0) return
  const waited = new Set(jobs.waiting.map(clinicOf))
  await jobs.end(index % jobs.running.length)
  if (waited.size === 0) return
  const [next] = jobs.running.slice(-1).map(clinicOf)
  const before = [...waited].map((clinic) => heldBy(clinic, jobs) - (clinic === next ? 1 : 0))
  expect(heldBy(next ?? '', jobs) - 1).toBe(Math.min(...before))
}

describe('whatever enters, ends and leaves', () => {
  test('no slot is idle while a job waits, and each goes to the clinic that holds the fewest', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(STEP, { minLength: 20, maxLength: 80 }),
        async (slots, steps) => {
          const jobs = new Jobs({ slots, perClinic: 1000, total: 1000 })
          for (const step of steps) {
            await perform(step, jobs)
            const { running, waiting } = jobs.queue
            expect({ running, waiting }).toEqual({ running: jobs.running.length, waiting: jobs.waiting.length })
            expect(running).toBe(Math.min(slots, running + waiting))
          }
          await jobs.endAll()
          expect([jobs.queue.running, jobs.queue.waiting]).toEqual([0, 0])
        },
      ),
      { numRuns: randomRuns(300) },
    )
  })
})
