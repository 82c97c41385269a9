/** What is missing in the audit trail: how many events of each clinic, between when and when, and why. */
import { type AuditedEvent, NO_SUBJECT } from './event.ts'

interface Gap {
  readonly clinic: string
  readonly why: string
  /** Milliseconds since 1970 UTC. */
  readonly from: number
  to: number
  events: number
}

/** Milliseconds. */
const BETWEEN_EVENTS = 10_000

export class Gaps {
  #gaps = new Map<string, Gap>()
  #takenAt = Number.NEGATIVE_INFINITY

  /** Events that are missing and that no event tells of yet. */
  get count(): number {
    return this.#gaps.values().reduce((sum, { events }) => sum + events, 0)
  }

  /** @param why the reason, as the end of a sentence */
  add(clinic: string, at: number, why: string): void {
    const key = `${clinic} ${why}`
    const gap = this.#gaps.get(key)
    if (gap === undefined) {
      this.#gaps.set(key, { clinic, why, from: at, to: at, events: 1 })
      return
    }
    gap.to = at
    gap.events += 1
  }

  /**
   * The events that tell of them. While more and more is missing, there are a few of them rather than one for each write.
   * @param now milliseconds since 1970 UTC
   * @param isLast there will be no later time to tell of them
   */
  take(now: number, isLast: boolean): readonly AuditedEvent[] {
    if (this.#gaps.size === 0 || (now - this.#takenAt < BETWEEN_EVENTS && !isLast)) return []
    this.#takenAt = now
    const gaps = [...this.#gaps.values()]
    this.#gaps = new Map()
    return gaps.map((gap) => eventOf(gap, now))
  }
}

function eventOf({ clinic, why, from, to, events }: Gap, now: number): AuditedEvent {
  const missing = events === 1 ? 'One event is' : `${events} events are`
  return {
    ...NO_SUBJECT,
    clinic,
    at: now,
    agent: { kind: 'server' },
    address: '',
    interaction: 'gap',
    detail: `${missing} missing from ${new Date(from).toISOString()} to ${new Date(to).toISOString()}: ${why}`,
    status: 500,
  }
}
