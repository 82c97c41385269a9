/** Watches the exchanges of a run for one step of its plan, in the order of the journal. */
import { Duration } from 'luxon'
import { matches } from '../faults/matching.ts'
import type { ExpectedState, Matcher, Provoked, Step, Times } from '../plans/plan.ts'
import { type Match, matchOf, type SeenByRun } from './exchange-matching.ts'
import type { Attested, Evidence, StepReport, Verdict } from './run.ts'

/** Facts beside the exchanges. */
export interface Judged {
  /** The run is open: what has not been seen may still come. */
  readonly isOpen: boolean
  /** Exchanges of the run are missing from the journal. */
  readonly hasGap: boolean
  readonly attested: Attested | undefined
  /** The numbers of matches of its searches, in their order; absent: they were not carried out. */
  readonly found: readonly number[] | undefined
}

interface Ruling {
  readonly result: Verdict
  readonly message: string
}

/** Exchanges that are shown of those that prove the same. */
const MOST_SHOWN = 5

export class StepWatch {
  readonly #step: Step
  readonly #after: readonly Matcher[]
  readonly #never: readonly Matcher[]
  #occasion: SeenByRun | undefined
  #matched = 0
  #afterMet = 0
  #nearest: { readonly seen: SeenByRun; readonly missed: readonly string[] } | undefined
  #broken: string | undefined
  #unknown: string | undefined
  readonly #evidence: Evidence[] = []

  constructor(step: Step) {
    this.#step = step
    this.#after = [step.after ?? []].flat()
    this.#never = [step.never ?? []].flat()
  }

  async see(seen: SeenByRun): Promise<void> {
    const isLater = this.#occasion !== undefined || !this.#hasExchange
    if (this.#hasExchange && (await this.#isOfStep(seen))) this.#meet(seen)
    if (isLater) await this.#seeLater(seen)
  }

  /** Whether it is about an exchange; otherwise it watches the whole run. */
  get #hasExchange(): boolean {
    return this.#step.expect !== undefined || this.#step.do !== undefined
  }

  async #isOfStep(seen: SeenByRun): Promise<boolean> {
    const { expect = {}, do: provoked } = this.#step
    if (provoked !== undefined && !(await hasMet(provoked, seen))) return false
    const match = await this.#matchOf(expect, seen)
    if (match.kind === 'missed' && this.#occasion === undefined) this.#noteNearest(seen, match.missed)
    return match.kind === 'match'
  }

  async #matchOf(matcher: Matcher, seen: SeenByRun): Promise<Match> {
    const match = await matchOf(matcher, seen, this.#occasion)
    if (match.kind === 'unknown') this.#unknown ??= match.why
    return match
  }

  #noteNearest(seen: SeenByRun, missed: readonly string[]): void {
    if (this.#nearest === undefined || missed.length <= this.#nearest.missed.length) this.#nearest = { seen, missed }
  }

  #meet(seen: SeenByRun): void {
    this.#matched += 1
    const { most } = limitsOf(this.#step.times)
    const isTooOften = this.#matched > most
    if (this.#matched <= MOST_SHOWN || isTooOften) this.#prove(isTooOften ? 'times' : 'expect', seen)
    this.#occasion ??= seen
    if (isTooOften) this.#broken ??= `it came ${this.#matched} times, and may come ${saidTimes(this.#step.times)}`
  }

  async #seeLater(seen: SeenByRun): Promise<void> {
    for (const matcher of this.#never) {
      if ((await this.#matchOf(matcher, seen)).kind !== 'match') continue
      this.#broken ??= `${seen.line} came, which must not`
      this.#prove('never', seen)
    }
    await this.#seeAfter(seen)
  }

  async #seeAfter(seen: SeenByRun): Promise<void> {
    const matcher = this.#after[this.#afterMet]
    if (matcher === undefined) return
    const match = await this.#matchOf(matcher, seen)
    if (match.kind === 'missed') this.#nearest = { seen, missed: match.missed }
    if (match.kind !== 'match') return
    const late = this.#lateBy(seen)
    if (late !== undefined) {
      this.#nearest = { seen, missed: [late] }
      return
    }
    this.#afterMet += 1
    this.#prove('after', seen)
  }

  #lateBy(seen: SeenByRun): string | undefined {
    const { within } = this.#step
    if (within === undefined || this.#occasion === undefined) return undefined
    const took = seen.begun - this.#occasion.ended
    return took <= Duration.fromISO(within).toMillis() ? undefined : `it came after ${took} ms, not within ${within}`
  }

  #prove(of: Evidence['of'], seen: SeenByRun): void {
    if (this.#evidence.length < 2 * MOST_SHOWN) this.#evidence.push(evidenceOf(of, seen))
  }

  report(judged: Judged): StepReport {
    const { id, title, source, optional } = this.#step
    const { result, message } = this.#ruling(judged)
    const { attested } = judged
    const isOpenQuestion = result === 'fail' || result === 'error' || result === 'pending'
    const nearest = isOpenQuestion && this.#nearest ? [evidenceOf('nearest', this.#nearest.seen)] : []
    return {
      ...{ id, title, source, result, message },
      ...(optional && { optional }),
      evidence: [...this.#evidence, ...nearest],
      ...(attested && { attested }),
    }
  }

  #ruling(judged: Judged): Ruling {
    if (this.#broken !== undefined) return { result: 'fail', message: sentence(this.#broken) }
    return (
      this.#rulingOfExchanges(judged) ?? this.#rulingOfState(judged) ?? this.#rulingOfPerson(judged) ?? this.#passed()
    )
  }

  #rulingOfExchanges(judged: Judged): Ruling | undefined {
    if (this.#hasExchange && this.#matched < limitsOf(this.#step.times).least) return this.#tooFew(judged)
    const next = this.#after[this.#afterMet]
    if (next !== undefined) return this.#missing(judged, `then ${said(next)} was expected`)
    return this.#never.length === 0 ? undefined : this.#rulingOfNever(judged)
  }

  #tooFew(judged: Judged): Ruling {
    if (this.#matched === 0 && this.#step.optional && !judged.isOpen)
      return { result: 'skip', message: 'It was not seen, and need not be.' }
    const often = this.#matched === 0 ? '' : ` ${saidTimes(this.#step.times)}, and came ${this.#matched} times`
    return this.#missing(judged, `${this.#wanted()} was expected${often}`)
  }

  /** An exchange that is not known might be one that must not come. */
  #rulingOfNever(judged: Judged): Ruling | undefined {
    if (!judged.isOpen) return judged.hasGap || this.#unknown !== undefined ? this.#unclear() : undefined
    if (this.#hasExchange) return undefined
    return { result: 'pending', message: 'Nothing that must not come has come so far.' }
  }

  #missing(judged: Judged, expected: string): Ruling {
    const got =
      this.#nearest === undefined
        ? 'none came'
        : `${this.#nearest.seen.line} came, but ${this.#nearest.missed.join('; ')}`
    const message = sentence(`${expected}; ${got}`)
    if (judged.isOpen) return { result: 'pending', message }
    return judged.hasGap || this.#unknown !== undefined ? this.#unclear() : { result: 'fail', message }
  }

  #unclear(): Ruling {
    const why = this.#unknown ?? 'exchanges of the run are missing from the journal'
    return { result: 'error', message: sentence(`It can't be judged: ${why}`) }
  }

  #wanted(): string {
    const { do: provoked, expect } = this.#step
    if (provoked === undefined) return said(expect ?? {})
    return `${expect === undefined ? 'a request' : said(expect)} that meets the fault ${provoked.fault}`
  }

  #rulingOfState({ isOpen, found }: Judged): Ruling | undefined {
    const states = [this.#step.state ?? []].flat()
    if (states.length === 0) return undefined
    const wrong = states.flatMap((state, index) => objectionTo(state, found?.[index]))
    if (isOpen) return { result: 'pending', message: sentence(wrong[0] ?? 'The record is as it must be so far') }
    return wrong[0] === undefined ? undefined : { result: 'fail', message: sentence(wrong.join('; ')) }
  }

  #rulingOfPerson({ isOpen, attested }: Judged): Ruling | undefined {
    const { attest } = this.#step
    if (attest === undefined) return undefined
    if (attested === undefined)
      return { result: isOpen ? 'pending' : 'warning', message: sentence(`nobody has said whether: ${attest}`) }
    const note = attested.note === undefined ? '' : ` (${attested.note})`
    return attested.ok ? undefined : { result: 'fail', message: sentence(`${attested.by} says no: ${attest}${note}`) }
  }

  #passed(): Ruling {
    if (this.#occasion === undefined) return { result: 'pass', message: 'It is as expected.' }
    const times = this.#matched === 1 ? '' : `, ${this.#matched} times`
    return { result: 'pass', message: sentence(`${this.#occasion.line} came as expected${times}`) }
  }
}

/** Whether the run's own rule brought it about: an exchange that names a fault itself does not count. */
async function hasMet({ fault, when }: Provoked, seen: SeenByRun): Promise<boolean> {
  const labels = seen.summary.fault?.split(', ') ?? []
  if (!labels.some((label) => label.split('#', 1)[0] === fault) || !matches(when, seen.asFaultRequest)) return false
  const kept = await seen.kept()
  return kept?.detail.request.headers['x-sandbox-fault'] === undefined
}

const evidenceOf = (of: Evidence['of'], { summary, line }: SeenByRun): Evidence => ({
  exchange: summary.id,
  of,
  at: summary.time,
  line,
})

/** Characters of a message, as it quotes what the client has sent, which may be long. */
const LONGEST = 2_000

const sentence = (text: string): string => {
  const ending = text.length > LONGEST ? '…' : /[.?!]$/.test(text) ? '' : '.'
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1, LONGEST)}${ending}`
}

const limitsOf = (times: Times | undefined): { readonly least: number; readonly most: number } =>
  typeof times === 'number'
    ? { least: times, most: times }
    : { least: times?.least ?? (times === undefined ? 1 : 0), most: times?.most ?? Number.POSITIVE_INFINITY }

function saidTimes(times: Times | undefined): string {
  const { least, most } = limitsOf(times)
  if (least === most) return `${least} times`
  if (most === Number.POSITIVE_INFINITY) return `at least ${least} times`
  return least === 0 ? `at most ${most} times` : `${least} to ${most} times`
}

function objectionTo({ query, count }: ExpectedState, found: number | undefined): readonly string[] {
  if (found === undefined) return [`${query} was not searched`]
  const { least, most } = limitsOf(count)
  return found >= least && found <= most
    ? []
    : [`${query} must find ${saidTimes(count).replace(' times', '')}, and finds ${found}`]
}

/** A matcher in words. */
function said({ interaction, type, operation, tool, method, path, query, status }: Matcher): string {
  const some = [tool && `the tool ${[tool].flat().join(' or ')}`, operation, interaction, method, type, path].flatMap(
    (one) => (one === undefined ? [] : [[one].flat().join(' or ')]),
  )
  const parameters = Object.keys(query ?? {}).join(', ')
  const ended = status === undefined ? '' : ` with the status ${[status].flat().join(' or ')}`
  return `${some.join(' ') || 'an exchange'}${parameters === '' ? '' : ` with ${parameters}`}${ended}`
}
