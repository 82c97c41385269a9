/** Counts of exchanges in a time, by periods of it, with what they took: in memory that does not grow with their number. */
import { instantOf } from '../../fhir/dates.ts'
import type { Measure } from '../../storage/journal-port.ts'

interface Count {
  readonly requests: number
  /** Statuses from 400 on, and requests without a response. */
  readonly errors: number
  /** Milliseconds within which 95 of 100 were done, to within 5 %; absent: there is none. */
  readonly p95?: number
}

/** FHIR instants. */
export interface Counts extends Count {
  readonly from: string
  readonly to: string
  /** Seconds of each period. */
  readonly period: number
  /** The first one begins at `from` or before it. */
  readonly periods: readonly (Count & { readonly from: string })[]
  /** How often each value comes, the most frequent first. */
  readonly methods: Tallied
  readonly users: Tallied
  readonly operations: Tallied
  /** False: earlier exchanges were not counted, as there are too many. */
  readonly isWhole: boolean
}

type Tallied = Readonly<Record<string, number>>

/** Seconds that a period may have. */
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const PERIODS = [
  ...[1, 5, 10, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 7 * DAY, 28 * DAY],
]
const MOST_PERIODS = 60

/** Values that are counted of each kind, and that are shown. */
const COUNTED = 1_000
const SHOWN = 50

export class Tally {
  readonly #from: number
  readonly #to: number
  /** Milliseconds. */
  readonly #period: number
  readonly #all = new Durations()
  readonly #periods: Durations[]
  readonly #values = { methods: new Values(), users: new Values(), operations: new Values() }

  /** @param from, to milliseconds since 1970 UTC, the second one not included */
  constructor(from: number, to: number) {
    const seconds = PERIODS.find((one) => (to - from) / 1_000 / one < MOST_PERIODS) ?? Math.ceil((to - from) / 59_000)
    this.#period = seconds * 1_000
    this.#from = from
    this.#to = to
    const count = Math.ceil((to - this.#begin) / this.#period)
    this.#periods = Array.from({ length: count }, () => new Durations())
  }

  get #begin(): number {
    return Math.floor(this.#from / this.#period) * this.#period
  }

  add({ at, status, duration, method, user, operation }: Measure): void {
    if (at < this.#from || at >= this.#to) return
    const isError = status === 0 || status >= 400
    this.#all.add(duration, isError)
    this.#periods[Math.floor((at - this.#begin) / this.#period)]?.add(duration, isError)
    const { methods, users, operations } = this.#values
    methods.add(method)
    users.add(user)
    for (const one of operation.split(',')) operations.add(one)
  }

  counts(isWhole: boolean): Counts {
    const { methods, users, operations } = this.#values
    return {
      ...{ from: instantOf(this.#from), to: instantOf(this.#to), period: this.#period / 1_000 },
      ...this.#all.count(),
      periods: this.#periods.map((one, index) => ({
        from: instantOf(this.#begin + index * this.#period),
        ...one.count(),
      })),
      ...{ methods: methods.most(), users: users.most(), operations: operations.most(), isWhole },
    }
  }
}

/** Steps of durations for each factor of e: a step is 5 %. */
const STEPS = 20
const LONGEST = 20 * STEPS

/** A histogram of durations. */
class Durations {
  readonly #counts = new Uint32Array(LONGEST + 1)
  #requests = 0
  #errors = 0

  add(milliseconds: number, isError: boolean): void {
    this.#requests += 1
    if (isError) this.#errors += 1
    const step = Math.min(Math.round(Math.log1p(Math.max(0, milliseconds)) * STEPS), LONGEST)
    this.#counts[step] = (this.#counts[step] ?? 0) + 1
  }

  count(): Count {
    const [requests, errors] = [this.#requests, this.#errors]
    return requests === 0 ? { requests, errors } : { requests, errors, p95: this.#p95() }
  }

  #p95(): number {
    let left = Math.ceil(this.#requests * 0.95)
    const step = this.#counts.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return Math.round(Math.expm1(step / STEPS) * 10) / 10
  }
}

class Values {
  readonly #counts = new Map<string, number>()

  add(value: string): void {
    const count = this.#counts.get(value)
    if (value === '' || (count === undefined && this.#counts.size >= COUNTED)) return
    this.#counts.set(value, (count ?? 0) + 1)
  }

  most(): Tallied {
    const sorted = [...this.#counts].sort(([, one], [, other]) => other - one)
    return Object.fromEntries(sorted.slice(0, SHOWN))
  }
}
