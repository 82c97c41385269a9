/** Free Slots by the time at which they begin, read as far as they are asked for. */
import type { Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { spend } from '../isolation/budget.ts'
import { FairTurns } from '../isolation/fair-queue.ts'
import { scheduleIdOf } from '../reservations/schedule-of-slot.ts'
import { follows } from '../scheduling/adjacent-slots.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import type { FreeSlots } from './free-slots.ts'

/** Steps to read a Slot. */
const READ = 4

/**
 * Most looks end with the first Slots that are read. Of those that go on, one does in each turn of the event loop: a store
 * that answers without a wait would let none of them be interrupted.
 */
const goingOn = new FairTurns()

/** Slots that begin at one time (ms). */
interface Group {
  readonly start: number
  readonly slots: readonly SlotWithId[]
}

export class SlotsByStart {
  readonly #slots: FreeSlots
  readonly #clinic: string
  readonly #baseUrl: string
  #reads = 0
  /** What has been read and not taken, in order of start. */
  #queue: readonly SlotWithId[] = []
  /** All that has been read, by Schedule.id and start. */
  readonly #all = new Map<string, SlotWithId[]>()

  constructor(slots: FreeSlots, { clinic, baseUrl }: Pick<Context, 'clinic' | 'baseUrl'>) {
    this.#slots = slots
    this.#clinic = clinic
    this.#baseUrl = baseUrl
  }

  /** The next time at which free Slots begin, with all of them; undefined: there are no more. */
  async next(): Promise<Group | undefined> {
    for (;;) {
      const [first] = this.#queue
      const start = first === undefined ? undefined : timeOf(first.start)
      if (start !== undefined && (start < this.#slots.frontier || this.#slots.isDone)) return this.#take(start)
      if (this.#slots.isDone) return undefined
      await this.#read()
    }
  }

  /** Those in which a visit can go on. */
  async following(slot: Slot): Promise<readonly SlotWithId[]> {
    const end = timeOf(slot.end)
    while (this.#slots.frontier <= end && !this.#slots.isDone) await this.#read()
    const beginning = this.#all.get(this.#keyOf(slot, end)) ?? []
    return beginning.filter((next) => follows(slot, next))
  }

  /** Undefined for one of a Schedule that is elsewhere. */
  scheduleIdOf(slot: Slot): string | undefined {
    return scheduleIdOf(slot, this.#baseUrl)
  }

  #take(start: number): Group {
    const others = this.#queue.findIndex((slot) => timeOf(slot.start) !== start)
    const count = others === -1 ? this.#queue.length : others
    const slots = this.#queue.slice(0, count)
    this.#queue = this.#queue.slice(count)
    return { start, slots }
  }

  async #read(): Promise<void> {
    this.#reads += 1
    if (this.#reads > 1) await goingOn.next({ clinic: this.#clinic, token: '' })
    const slots = await this.#slots.next()
    spend(slots.length * READ, 'the slots that are looked at')
    this.#queue = [...this.#queue, ...slots]
    for (const slot of slots) {
      const key = this.#keyOf(slot, timeOf(slot.start))
      const beside = this.#all.get(key)
      if (beside === undefined) this.#all.set(key, [slot])
      else beside.push(slot)
    }
  }

  #keyOf(slot: Slot, at: number): string {
    return `${this.scheduleIdOf(slot)} ${at}`
  }
}
