/**
 * A queue for a few slots, such as threads, that many clinics share. A freed slot goes to the waiting clinic that holds
 * the fewest, in turn among equals; within a clinic, to its tokens by the same rule. So a clinic never gets the last
 * slot while another one waits, and a clinic that finds all slots taken waits for one job at most, not for a queue.
 * A job may take several slots, such as the bytes of a body; it goes before smaller ones that would fit, as it might wait
 * for ever otherwise.
 */

export interface FairQueueLimits {
  /** Slots of all running jobs. */
  readonly slots: number
  /** Slots of the running jobs of one clinic: the remaining ones are kept free for the others. */
  readonly slotsPerClinic: number
  /** Most waiting jobs of one clinic. */
  readonly perClinic: number
  /** Most waiting jobs in all. */
  readonly total: number
}

export interface Entrant {
  readonly clinic: string
  /** Identifies the token, or whatever else distinguishes the clients of one clinic. */
  readonly token: string
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal | undefined
  /** Slots that the job takes; absent: one. */
  readonly size?: number
}

/** Gives the slots back, except for those still needed; absent: none. Further calls do nothing. */
export type Release = (rest?: number) => void

/** The queue is full: for this clinic, or for all. */
export class QueueFull extends Error {
  readonly by: 'clinic' | 'all'
  /** The limit that was reached. */
  readonly most: number

  constructor(by: QueueFull['by'], most: number) {
    super(by === 'clinic' ? 'Too many jobs of this clinic wait' : 'Too many jobs wait')
    this.name = 'QueueFull'
    this.by = by
    this.most = most
  }
}

interface Waiting {
  readonly clinic: string
  readonly token: string
  readonly size: number
  /** Milliseconds, as of performance.now(). */
  readonly since: number
  readonly admit: () => void
}

/** The slots and the waiting jobs of a token. */
class TokenShare {
  running = 0
  readonly jobs = new Set<Waiting>()

  get waiting(): number {
    return this.jobs.size
  }
}

/** The slots and the waiting jobs of a clinic. */
class ClinicShare {
  running = 0
  waiting = 0
  readonly tokens = new Map<string, TokenShare>()
}

export class FairQueue {
  readonly #limits: FairQueueLimits
  /** Clinics with running or waiting jobs; the one that got a slot last comes last. */
  readonly #clinics = new Map<string, ClinicShare>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #running = 0

  constructor(limits: FairQueueLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** The error for a job that has waited too long: for the clinic's own running jobs, or for those of all clinics. */
  refusal(clinic: string, size = 1): QueueFull {
    const isByItsOwn = (this.#clinics.get(clinic)?.running ?? 0) + size > this.#limits.slotsPerClinic
    return isByItsOwn ? new QueueFull('clinic', this.#limits.perClinic) : new QueueFull('all', this.#limits.total)
  }

  /** Milliseconds that the oldest waiting job has waited; 0 when there is none. */
  get oldestMs(): number {
    for (const { since } of this.#waiting) return performance.now() - since
    return 0
  }

  /**
   * Resolves when the job may begin. The caller releases the slot when the job has ended.
   * @param longestWait milliseconds after which the job is refused
   * @throws QueueFull
   * @throws the reason of the signal, when it is aborted before the job may begin
   */
  async enter(entrant: Entrant, longestWait?: number): Promise<Release> {
    entrant.signal?.throwIfAborted()
    if (this.#isFree(entrant)) this.#start(entrant)
    else await this.#wait(entrant, longestWait)
    let held = entrant.size ?? 1
    return (rest = 0) => {
      if (rest >= held) return
      this.#giveBack(entrant, held - rest)
      held = rest
    }
  }

  #isFree({ clinic, size = 1 }: Entrant): boolean {
    const { slots, slotsPerClinic } = this.#limits
    const running = this.#clinics.get(clinic)?.running ?? 0
    if (this.#running + size > slots || running + size > slotsPerClinic) return false
    // Where slots are free, jobs of clinics at their own limit may wait, and one that takes several.
    return this.#waiting.size === 0 || this.#next() === undefined
  }

  async #wait({ clinic, token, signal, size = 1 }: Entrant, longestWait: number | undefined): Promise<void> {
    const { total, perClinic } = this.#limits
    if (this.#waiting.size >= total) throw new QueueFull('all', total)
    if ((this.#clinics.get(clinic)?.waiting ?? 0) >= perClinic) throw new QueueFull('clinic', perClinic)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const endWait = () => {
      signal?.removeEventListener('abort', leave)
      clearTimeout(timer)
    }
    const giveUp = (reason: unknown) => {
      endWait()
      this.#remove(job)
      this.#admit()
      reject(reason)
    }
    const leave = () => giveUp(signal?.reason)
    const admit = () => {
      endWait()
      resolve()
    }
    const timer =
      longestWait === undefined ? undefined : setTimeout(() => giveUp(this.refusal(clinic, size)), longestWait).unref()
    const job: Waiting = { clinic, token, size, since: performance.now(), admit }
    signal?.addEventListener('abort', leave, { once: true })
    this.#add(job)
    this.#admit()
    await promise
  }

  #start({ clinic, token, size = 1 }: Entrant): void {
    this.#running += size
    const share = this.#shareOf(clinic)
    share.running += size
    tokenOf(share, token).running += size
    toTheEnd(this.#clinics, clinic)
    toTheEnd(share.tokens, token)
  }

  #giveBack({ clinic, token }: Entrant, slots: number): void {
    this.#running -= slots
    const share = this.#shareOf(clinic)
    share.running -= slots
    tokenOf(share, token).running -= slots
    this.#forgetIdle(clinic, token)
    this.#admit()
  }

  /** Starts the waiting jobs for which there are slots. */
  #admit(): void {
    if (this.#running >= this.#limits.slots) return
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#running + next.size > this.#limits.slots) return
      this.#remove(next)
      this.#start(next)
      next.admit()
    }
  }

  /** The job whose turn it is, among those within their clinic's limit. */
  #next(): Waiting | undefined {
    let next: Waiting | undefined
    let held = Number.POSITIVE_INFINITY
    for (const share of this.#clinics.values()) {
      if (share.waiting === 0 || share.running >= held) continue
      const job = firstWithin(share, this.#limits.slotsPerClinic - share.running)
      if (job !== undefined) [next, held] = [job, share.running]
    }
    return next
  }

  #add(job: Waiting): void {
    const share = this.#shareOf(job.clinic)
    share.waiting++
    tokenOf(share, job.token).jobs.add(job)
    this.#waiting.add(job)
  }

  #remove(job: Waiting): void {
    const share = this.#shareOf(job.clinic)
    share.waiting--
    tokenOf(share, job.token).jobs.delete(job)
    this.#waiting.delete(job)
    this.#forgetIdle(job.clinic, job.token)
  }

  #shareOf(clinic: string): ClinicShare {
    const known = this.#clinics.get(clinic)
    if (known !== undefined) return known
    const share = new ClinicShare()
    this.#clinics.set(clinic, share)
    return share
  }

  /** Drops the token and the clinic where they neither hold a slot nor wait. */
  #forgetIdle(clinic: string, token: string): void {
    const share = this.#shareOf(clinic)
    if (isIdle(tokenOf(share, token))) share.tokens.delete(token)
    if (isIdle(share)) this.#clinics.delete(clinic)
  }
}

interface Share {
  readonly running: number
  readonly waiting: number
}

const isIdle = ({ running, waiting }: Share): boolean => running === 0 && waiting === 0

function tokenOf({ tokens }: ClinicShare, token: string): TokenShare {
  const known = tokens.get(token)
  if (known !== undefined) return known
  const share = new TokenShare()
  tokens.set(token, share)
  return share
}

/** The first job of at most `most` slots, of the tokens with the fewest. */
function firstWithin({ tokens }: ClinicShare, most: number): Waiting | undefined {
  let first: TokenShare | undefined
  if (most > 0)
    for (const token of tokens.values()) {
      if (token.waiting > 0 && (first === undefined || token.running < first.running)) first = token
    }
  for (const job of first?.jobs ?? []) if (job.size <= most) return job
  return undefined
}

function toTheEnd<S>(shares: Map<string, S>, key: string): void {
  const share = shares.get(key)
  if (share === undefined) return
  shares.delete(key)
  shares.set(key, share)
}

/** Calls `begin` when the next turn may begin. */
type UntilNext = (begin: () => void) => void

/**
 * Fairly shared turns of the event loop: in each, one waiting entrant continues, that of the clinic with the fewest turns
 * first, and the loop does other work between two turns. Its users bound how many may wait.
 */
export class FairTurns {
  readonly #untilNext: UntilNext
  /** A queue whose only slot is the current turn. */
  readonly #queue = new FairQueue({
    slots: 1,
    slotsPerClinic: 1,
    perClinic: Number.POSITIVE_INFINITY,
    total: Number.POSITIVE_INFINITY,
  })

  /** @param untilNext lets the event loop do other work; absent: one round of it */
  constructor(untilNext: UntilNext = setImmediate) {
    this.#untilNext = untilNext
  }

  /** True while an entrant has the current turn. */
  get isTaken(): boolean {
    return this.#queue.running > 0
  }

  get waiting(): number {
    return this.#queue.waiting
  }

  get oldestMs(): number {
    return this.#queue.oldestMs
  }

  /** Resolves when it is the entrant's turn. */
  async next(entrant: Entrant): Promise<void> {
    this.#untilNext(await this.#queue.enter(entrant))
  }
}

let last: Promise<void> = Promise.resolve()

/**
 * Lets the event loop do other work between two parts of long work. Resolves one round of the loop after the previous call
 * has resolved: where much long work is in progress, only one part of all of it runs in each round.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)))
  return last
}

/** From the best to the worst. */
export const HEALTH_STATES = ['ok', 'behind', 'degraded', 'down'] as const

/** How a component of the server keeps up with its work, as /health/ready reports it. */
export interface ComponentHealth {
  /** Name for the operator, a noun phrase: `work threads`. */
  readonly name: string
  /**
   * `behind`: jobs have been waiting for long. `degraded`: it does not work now, and requests are served without it.
   * `down`: it does not work now, and requests that need it fail.
   */
  readonly state: (typeof HEALTH_STATES)[number]
  /** Number of requests waiting for it. */
  readonly waiting: number
  /** Milliseconds that the oldest of them has waited. */
  readonly oldestMs: number
  /** Items of a record that were lost since the start; absent: none. */
  readonly missing?: number
  /** A remark for the operator. */
  readonly note?: string
}

/** Milliseconds. */
const LONG = 1_000

/** The health of a working component with a queue before it. */
export function loadOfQueue(
  name: string,
  { waiting, oldestMs }: Pick<ComponentHealth, 'waiting' | 'oldestMs'>,
): ComponentHealth {
  return { name, state: oldestMs > LONG ? 'behind' : 'ok', waiting, oldestMs: Math.round(oldestMs) }
}

/** The note that a file was set aside; empty where none was. @param setAsideAt milliseconds since 1970 UTC */
export const noteOfSetAside = (setAsideAt: number | undefined): Pick<ComponentHealth, 'note'> =>
  setAsideAt === undefined
    ? {}
    : {
        note: `its file could not be read, was set aside beside it, and a new one has begun at ${new Date(setAsideAt).toISOString()}`,
      }

/**
 * Waiting items of many clinics, which take turns: a clinic that sends much does not make the others wait. Unlike the jobs
 * of a FairQueue, they are taken by the caller, many at a time, and hold no slot.
 */
export class Turns<Item> {
  /** By clinic, in the order of their turns; none is empty. */
  readonly #clinics = new Map<string, Item[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Items of one clinic keep their order. */
  push(clinic: string, item: Item): void {
    const items = this.#clinics.get(clinic)
    if (items === undefined) this.#clinics.set(clinic, [item])
    else items.push(item)
    this.#size += 1
  }

  /** Takes the next item of the clinic whose turn it is. */
  next(): Item | undefined {
    for (const [clinic, items] of this.#clinics) {
      const item = items.shift()
      this.#clinics.delete(clinic)
      if (items.length > 0) this.#clinics.set(clinic, items)
      this.#size -= 1
      return item
    }
    return undefined
  }

  /** Takes all items, in turn. */
  *all(): Generator<Item> {
    for (let item = this.next(); item !== undefined; item = this.next()) yield item
  }

  /** The first item of each clinic: the oldest of all is among them. */
  *heads(): Generator<Item> {
    for (const [first] of this.#clinics.values()) if (first !== undefined) yield first
  }
}

/** Resolves when `work` does, or when the time is up. */
export async function atMost(milliseconds: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
