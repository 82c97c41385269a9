/** Clients for the plan booking-lifecycle, over FHIR. */
import type { Appointment, Slot } from 'fhir/r4'
import { Client, daysAhead, type Mistakes, matchesIn, wait } from './client.ts'
import type { Answer } from './connection.ts'

const MOST_LOOKS = 5

export class BookingClient extends Client {
  /** The visits that it has booked, by their patients, as it knows them. */
  readonly visits = new Map<string, Appointment>()

  async run(): Promise<void> {
    for (const patient of ['abernathy-ruth', 'adeyemi-tunde', 'bianchi-paolo', 'dimitrov-elena'])
      await this.book(patient)
    await this.move('abernathy-ruth')
    await this.lookAgain()
    await this.cancel('bianchi-paolo')
  }

  /** Tries one free time after the other. */
  async book(patient: string): Promise<void> {
    for (const slot of await this.freeTimes()) {
      const answer = await this.create(this.visitAt(slot, patient))
      if (answer.status === 201) return this.keep(patient, answer.body)
      if (answer.status === 0) return this.afterLostAnswer(patient)
      await this.whenTaken(slot, patient)
    }
  }

  async freeTimes(): Promise<readonly Slot[]> {
    const query = `schedule=Schedule/schedule-okafor&status=free&start=gt${daysAhead(2)}&_sort=start&_count=20`
    return matchesIn<Slot>(await this.at.fhir('GET', `/Slot?${query}`))
  }

  visitAt({ id, start, end }: Slot, patient: string): Appointment {
    return {
      resourceType: 'Appointment',
      status: 'booked',
      slot: [{ reference: `Slot/${id}` }],
      ...{ start, end },
      participant: [{ actor: { reference: `Patient/${patient}` }, status: 'accepted' }],
    }
  }

  create(visit: Appointment): Promise<Answer> {
    return this.at.fhir('POST', '/Appointment', visit)
  }

  keep(patient: string, visit: Appointment): void {
    this.visits.set(patient, visit)
  }

  /** The next time is looked for afresh. */
  async whenTaken(_slot: Slot, _patient: string): Promise<void> {
    await this.freeTimes()
  }

  /** The visit may be booked: it looks before it books again. */
  async afterLostAnswer(patient: string): Promise<void> {
    const [visit] = matchesIn<Appointment>(await this.at.fhir('GET', `/Appointment?patient=${patient}&status=booked`))
    if (visit === undefined) await this.book(patient)
    else this.keep(patient, visit)
  }

  async move(patient: string): Promise<void> {
    const [slot] = (await this.freeTimes()).slice(-1)
    if (slot !== undefined) await this.change(patient, (visit) => ({ ...visit, ...this.timeOf(slot) }))
  }

  timeOf({ id, start, end }: Slot): Pick<Appointment, 'slot' | 'start' | 'end'> {
    return { slot: [{ reference: `Slot/${id}` }], start, end }
  }

  /** An update of what it knows; of what is there, where somebody else has changed that. */
  async change(patient: string, changed: (visit: Appointment) => Appointment): Promise<void> {
    const visit = this.visits.get(patient)
    if (visit === undefined) return
    const answer = await this.update(changed(visit))
    if (answer.status === 200) return this.keep(patient, answer.body)
    this.keep(patient, (await this.at.fhir('GET', `/Appointment/${visit.id}`)).body)
    await this.change(patient, changed)
  }

  update(visit: Appointment): Promise<Answer> {
    const headers = { 'if-match': `W/"${visit.meta?.versionId}"` }
    return this.at.fhir('PUT', `/Appointment/${visit.id}`, visit, headers)
  }

  /** A while later the visits are shown again, as they are by then; on a slow machine the practice moves one late. */
  async lookAgain(): Promise<void> {
    const started = [...this.visits.values()].map(({ start }) => start)
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      await wait(1_500)
      for (const [patient, { id }] of this.visits)
        this.keep(patient, (await this.at.fhir('GET', `/Appointment/${id}`)).body)
      if ([...this.visits.values()].some(({ start }, n) => start !== started[n])) return
    }
  }

  async cancel(patient: string): Promise<void> {
    await this.change(patient, (visit) => ({ ...visit, status: 'cancelled' }))
  }
}

export const bookingMistakes: Mistakes = {
  books: class extends BookingClient {
    override visitAt(slot: Slot, patient: string) {
      const { slot: _left, ...visit } = super.visitAt(slot, patient)
      return patient === 'abernathy-ruth' ? visit : super.visitAt(slot, patient)
    }
  },
  'another-time': class extends BookingClient {
    override async whenTaken(slot: Slot, patient: string) {
      await this.create(this.visitAt(slot, patient))
      await super.whenTaken(slot, patient)
    }
  },
  moved: class extends BookingClient {
    override async lookAgain() {}
    /** Needs no version, so it never hears of the move, however late that comes. */
    override async cancel(patient: string) {
      const status = [{ op: 'replace', path: '/status', value: 'cancelled' }]
      const headers = { 'content-type': 'application/json-patch+json' }
      await this.at.fhir('PATCH', `/Appointment/${this.visits.get(patient)?.id}`, status, headers)
    }
  },
  'books-once': class extends BookingClient {
    override async afterLostAnswer(patient: string) {
      await this.book(patient)
    }
  },
  reschedules: class extends BookingClient {
    override async move(patient: string) {
      await this.cancel(patient)
      await this.book(patient)
    }
  },
  'version-moved': class extends BookingClient {
    override update(visit: Appointment) {
      return this.at.fhir('PUT', `/Appointment/${visit.id}`, visit)
    }
  },
  cancels: class extends BookingClient {
    override async cancel(patient: string) {
      await this.at.fhir('DELETE', `/Appointment/${this.visits.get(patient)?.id}`)
    }
  },
  'leaves-slots': class extends BookingClient {
    override async cancel(patient: string) {
      await super.cancel(patient)
      const [{ reference = '' } = {}] = this.visits.get(patient)?.slot ?? []
      const { body } = await this.at.fhir('GET', `/${reference}`)
      await this.at.fhir('PUT', `/${reference}`, { ...body, status: 'free' })
    }
  },
  told: 'attested-no',
}
