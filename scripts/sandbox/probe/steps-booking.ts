/** A visit that is booked, moved and cancelled, and its Slots, which follow. */
import type { Appointment, Schedule, Slot } from 'fhir/r4'
import { isVersioned } from './offer.ts'
import {
  create,
  given,
  Lacking,
  must,
  mustBeRefused,
  mustHaveStatus,
  type Probe,
  type ProbeStep,
  read,
  resourceIn,
  slot,
  TAKEN,
  timeOf,
} from './step.ts'

const SLOT = 'https://hl7.org/fhir/R4/slot.html'
const APPOINTMENT = 'https://hl7.org/fhir/R4/appointment.html'
const CONCURRENCY = 'https://hl7.org/fhir/R4/http.html#concurrency'
const BOOKS = [
  { type: 'Appointment', interaction: 'create' },
  { type: 'Slot', interaction: 'read' },
]
const UPDATES = [{ type: 'Appointment', interaction: 'update' }]

const visitIn = ({ id, start, end }: Slot, probe: Probe): Appointment => ({
  resourceType: 'Appointment',
  status: 'booked',
  slot: [{ reference: `Slot/${id}` }],
  start,
  end,
  participant: [
    { actor: { reference: `Patient/${given(probe.patient, 'no Patient').id}` }, status: 'accepted' },
    ...probe.actors,
  ],
})

async function mustBe(status: string, probe: Probe, index: number): Promise<void> {
  const { id } = slot(probe, index)
  const found = await read<Slot>(probe, 'Slot', id)
  must(found.status === status, `Slot/${id} is ${found.status}, not ${status}`)
}

/** The visit as it is, with the version that an update must name. @throws Wrong */
async function readVisit(probe: Probe): Promise<Appointment> {
  const { id } = given(probe.visit, 'no visit')
  const answer = await probe.target.get(`Appointment/${id}`)
  mustHaveStatus(answer, 200)
  const visit = resourceIn<Appointment>(answer, 'Appointment')
  const version = visit.meta?.versionId
  const etag = answer.headers.get('etag') ?? (version === undefined ? undefined : `W/"${version}"`)
  probe.visit = visit
  if (etag !== undefined) probe.etag = etag
  return visit
}

const update = ({ target, etag, statement }: Probe, visit: Appointment) =>
  target.ask('PUT', `Appointment/${visit.id}`, {
    body: visit,
    headers:
      etag !== undefined && isVersioned(given(statement, 'no statement'), 'Appointment') ? { 'if-match': etag } : {},
  })

export const BOOKING: readonly ProbeStep[] = [
  {
    id: 'book',
    title: 'Books a visit in a free Slot',
    source: APPOINTMENT,
    needs: BOOKS,
    after: ['slot-free', 'patient-create'],
    run: async (probe) => {
      probe.actors = await actorsOf(probe, slot(probe, 0))
      const visit = visitIn(slot(probe, 0), probe)
      const id = await create(probe, visit)
      probe.visit = { ...visit, id }
      return `Appointment/${id} was booked.`
    },
  },
  {
    id: 'book-read',
    title: 'Reads the visit as it was booked',
    source: APPOINTMENT,
    needs: [{ type: 'Appointment', interaction: 'read' }],
    after: ['book'],
    run: async (probe) => {
      const { status, start, participant = [] } = await readVisit(probe)
      must(status === 'booked', `The status is ${status}, not booked`)
      must(timeOf(start) === timeOf(slot(probe, 0).start), `It starts at ${start}, not at ${slot(probe, 0).start}`)
      const patient = `Patient/${given(probe.patient, 'no Patient').id}`
      const isThere = participant.some(({ actor }) => actor?.reference?.endsWith(patient))
      must(isThere, `${patient} does not take part`)
      return 'Status, time and patient are as they were sent.'
    },
  },
  {
    id: 'slot-busy',
    title: 'The Slot of the visit is busy',
    source: SLOT,
    needs: BOOKS,
    after: ['book'],
    run: async (probe) => {
      await mustBe('busy', probe, 0)
      return 'It is busy.'
    },
  },
  {
    id: 'book-again',
    title: 'Refuses a second visit in the same Slot',
    source: APPOINTMENT,
    needs: BOOKS,
    after: ['book'],
    run: async (probe) => {
      const answer = await probe.target.ask('POST', 'Appointment', { body: visitIn(slot(probe, 0), probe) })
      const { id } = (answer.body ?? {}) as { id?: string }
      if (answer.status < 300 && id !== undefined) probe.created.push(`Appointment/${id}`)
      mustBeRefused(answer, ...TAKEN)
      return `It was refused with ${answer.status}.`
    },
  },
  {
    id: 'reschedule',
    title: 'Moves the visit to another Slot by an update',
    source: 'https://hl7.org/fhir/R4/http.html#update',
    needs: UPDATES,
    after: ['book-read'],
    run: async (probe) => {
      const visit = given(probe.visit, 'no visit')
      const { id, start, end } = slot(probe, 1)
      mustHaveStatus(await update(probe, { ...visit, slot: [{ reference: `Slot/${id}` }], start, end }), 200)
      const { start: now } = await read<Appointment>(probe, 'Appointment', visit.id ?? '')
      must(timeOf(now) === timeOf(start), `It starts at ${now}, not at ${start}`)
      return `It starts at ${start}.`
    },
  },
  {
    id: 'reschedule-slots',
    title: 'After the move the old Slot is free, and the new one is busy',
    source: SLOT,
    needs: BOOKS,
    after: ['reschedule', 'slot-busy'],
    run: async (probe) => {
      await mustBe('free', probe, 0)
      await mustBe('busy', probe, 1)
      return 'The old one is free, and the new one is busy.'
    },
  },
  {
    id: 'stale-update',
    title: 'Refuses an update of a version that is not the current one',
    source: CONCURRENCY,
    needs: UPDATES,
    after: ['reschedule'],
    run: async (probe) => {
      const statement = given(probe.statement, 'no statement')
      if (!isVersioned(statement, 'Appointment')) throw new Lacking('The server does not offer versions of Appointment')
      must(probe.etag !== undefined, 'Neither the header ETag nor meta.versionId told the version of the visit')
      const answer = await update(probe, { ...given(probe.visit, 'no visit'), comment: 'An update of an old version' })
      mustBeRefused(answer, 409, 412)
      return `It was refused with ${answer.status}.`
    },
  },
  {
    id: 'cancel',
    title: 'Cancels the visit',
    source: APPOINTMENT,
    needs: UPDATES,
    after: ['reschedule'],
    run: async (probe) => {
      const visit = await readVisit(probe)
      mustHaveStatus(await update(probe, { ...visit, status: 'cancelled' }), 200)
      const { status } = await read<Appointment>(probe, 'Appointment', visit.id ?? '')
      must(status === 'cancelled', `The status is ${status}, not cancelled`)
      return 'It is cancelled.'
    },
  },
  {
    id: 'cancel-frees',
    title: 'The Slot of a cancelled visit is free',
    source: SLOT,
    needs: BOOKS,
    after: ['cancel', 'reschedule-slots'],
    run: async (probe) => {
      await mustBe('free', probe, 1)
      return 'It is free.'
    },
  },
]

/** The actors of the Slot's Schedule, whom many servers want to see in a visit. */
async function actorsOf(probe: Probe, { schedule }: Slot): Promise<Probe['actors']> {
  const [, id] = /(?:^|\/)Schedule\/([A-Za-z0-9.-]+)$/.exec(schedule?.reference ?? '') ?? []
  if (id === undefined) return []
  const answer = await probe.target.get(`Schedule/${id}`)
  const { actor = [] } = answer.status === 200 ? resourceIn<Schedule>(answer, 'Schedule') : {}
  return actor.map((one) => ({ actor: one, status: 'accepted' as const }))
}
