/** Clients for the plan availability, over FHIR. */
import type { Slot } from 'fhir/r4'
import { Client, daysAhead, type Mistakes, matchesIn, nextOf, retryAfter, wait } from './client.ts'
import type { Answer } from './connection.ts'

/** Beyond the next change of the clocks, whenever it is. */
const DAYS = 400

export class AvailabilityClient extends Client {
  async run(): Promise<void> {
    await this.freeTimes('schedule-okafor')
    await this.freeTimes('schedule-lindqvist')
    await this.showDelgado()
    await this.bookRepeatedHour()
  }

  /** The free times of a Schedule, of all pages. */
  async freeTimes(schedule: string): Promise<readonly Slot[]> {
    const found: Slot[] = []
    for (let address: string | undefined = this.addressOf(schedule); address !== undefined; ) {
      const page = await this.patiently(address)
      found.push(...matchesIn<Slot>(page))
      address = this.next(page)
    }
    return found
  }

  addressOf(schedule: string): string {
    const [from, until] = this.range()
    return `/Slot?schedule=Schedule/${schedule}&status=free&start=ge${from}&start=lt${until}&_count=100`
  }

  range(): readonly [string, string] {
    return [daysAhead(0), daysAhead(DAYS)]
  }

  next(page: Answer): string | undefined {
    return nextOf(page)
  }

  async patiently(address: string): Promise<Answer> {
    const answer = await this.at.fhir('GET', address)
    if (answer.status !== 429) return answer
    await this.pause(answer)
    return this.at.fhir('GET', address)
  }

  async pause(answer: Answer): Promise<void> {
    await wait(retryAfter(answer))
  }

  async showDelgado(): Promise<void> {
    await this.freeTimes('schedule-delgado')
  }

  async bookRepeatedHour(): Promise<void> {
    const later = laterOfTwo(await this.freeTimes('schedule-fall'))
    if (later !== undefined) await this.book(later, later.start)
  }

  async book({ id, end }: Slot, start: string): Promise<void> {
    await this.at.fhir('POST', '/Appointment', {
      resourceType: 'Appointment',
      status: 'booked',
      slot: [{ reference: `Slot/${id}` }],
      ...{ start, end },
      participant: [{ actor: { reference: 'Patient/abernathy-ruth' }, status: 'accepted' }],
    })
  }
}

const onTheClock = (time: string): string => time.slice(0, 16)

/** The Slot at whose beginning the clocks show what they have shown before. */
const laterOfTwo = (slots: readonly Slot[]): Slot | undefined =>
  slots.find((later) =>
    slots.some(
      (earlier) =>
        onTheClock(earlier.start) === onTheClock(later.start) && Date.parse(earlier.start) < Date.parse(later.start),
    ),
  )

export const availabilityMistakes: Mistakes = {
  range: class extends AvailabilityClient {
    override addressOf(schedule: string) {
      return super.addressOf(schedule).replace(/&start=ge[^&]*/, '')
    }
  },
  zone: class extends AvailabilityClient {
    override range(): readonly [string, string] {
      return [daysAhead(0).slice(0, 19), daysAhead(DAYS).slice(0, 19)]
    }
  },
  pages: class extends AvailabilityClient {
    override next() {
      return undefined
    }
  },
  'no-polling': class extends AvailabilityClient {
    override async showDelgado() {
      const address = this.addressOf('schedule-delgado')
      for (let times = 0; times < 3; times++) await this.patiently(address)
    }
  },
  'back-off': class extends AvailabilityClient {
    override async pause() {}
  },
  'repeated-hour': class extends AvailabilityClient {
    /** By the offset of the day before. */
    override book(slot: Slot, start: string) {
      return super.book(slot, `${start.slice(0, 19)}${start.endsWith('-05:00') ? '-04:00' : '+02:00'}`)
    }
  },
}
