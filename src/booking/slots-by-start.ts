/** Free Slots grouped by start, read as far as needed. */
import type { Slot } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { spend } from '../isolation/budget.ts'
import { FairTurns } from '../isolation/fair-queue.ts'
import { scheduleIdOf } from '../reservations/reservation.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { follows } from '../scheduling/slot-times.ts'
import type { FreeSlots } from './free-slots.ts'

/** Budget steps to read a Slot. */
const READ = 4

/**
 * Most searches end with the first Slots read. Of the others, one continues in each turn of the event loop, as a store
 * that responds without waiting would let them block it.
 */
const goingOn = new FairTurns()

/** Slots with the same start, in milliseconds since 1970 UTC. */
interface Group {
  readonly start: number
  readonly slots: readonly SlotWithId[]
}

export class SlotsByStart {
  readonly #slots: FreeSlots
  readonly #clinic: string
  readonly #baseUrl: string
  #reads = 0
  /** Slots read but not taken yet, sorted by start. */
  #queue: readonly SlotWithId[] = []
  /** All Slots read, by Schedule.id and start. */
  readonly #all = new Map<string, SlotWithId[]>()

  constructor(slots: FreeSlots, { clinic, baseUrl }: Pick<Context, 'clinic' | 'baseUrl'>) {
    this.#slots = slots
    this.#clinic = clinic
    this.#baseUrl = baseUrl
  }

  /** The next start with all its free Slots; undefined after the last one. */
  async next(): Promise<Group | undefined> {
    for (;;) {
      const [first] = this.#queue
      const start = first === undefined ? undefined : timeOf(first.start)
      if (start !== undefined && (start < this.#slots.frontier || this.#slots.isDone)) return this.#take(start)
      if (this.#slots.isDone) return undefined
      await this.#read()
    }
  }

  /** Free Slots in which a visit can continue after this one. */
  async following(slot: Slot): Promise<readonly SlotWithId[]> {
    const end = timeOf(slot.end)
    while (this.#slots.frontier <= end && !this.#slots.isDone) await this.#read()
    const beginning = this.#all.get(this.#keyOf(slot, end)) ?? []
    return beginning.filter((next) => follows(slot, next))
  }

  /** Returns undefined if the Schedule is on another server. */
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
