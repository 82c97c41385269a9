/** Time: free slots are found, a visit is booked, moved and cancelled, and its slots follow. */
import type { Appointment, Bundle, CapabilityStatement, FhirResource, Schedule, Slot } from 'fhir/r4'
import { isVersioned } from './offer.ts'
import {
  create,
  given,
  Lacking,
  matchesIn,
  must,
  mustBeRefused,
  mustHaveStatus,
  type Probe,
  type ProbeStep,
  read,
  resourceIn,
} from './step.ts'

const SLOT = 'https://hl7.org/fhir/R4/slot.html'
const APPOINTMENT = 'https://hl7.org/fhir/R4/appointment.html'
const CONCURRENCY = 'https://hl7.org/fhir/R4/http.html#concurrency'
/** A taken slot, by R4, and as servers say it. */
const TAKEN = [409, 412, 422] as const
const BOOKS = [
  { type: 'Appointment', interaction: 'create' },
  { type: 'Slot', interaction: 'read' },
]
const UPDATES = [{ type: 'Appointment', interaction: 'update' }]

const timeOf = (text: string | undefined): number => Date.parse(text ?? '')

/** @throws Lacking */
function slot({ slots }: Probe, index: number): Slot & { readonly id: string } {
  const found = slots[index]
  if (found?.id === undefined) throw new Lacking(`There are ${slots.length} free slots, and it needs ${index + 1}`)
  return { ...found, id: found.id }
}

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

export const SEARCHING: readonly ProbeStep[] = [
  {
    id: 'metadata',
    title: 'Says what it offers',
    source: 'https://hl7.org/fhir/R4/http.html#capabilities',
    run: async (probe) => {
      const answer = await probe.target.get('metadata')
      mustHaveStatus(answer, 200)
      const statement = resourceIn<CapabilityStatement>(answer, 'CapabilityStatement')
      must(statement.fhirVersion?.startsWith('4.0') ?? false, `The fhirVersion is ${statement.fhirVersion}, not 4.0.1`)
      must(
        statement.rest?.some(({ mode }) => mode === 'server') ?? false,
        'The CapabilityStatement has no rest with the mode server',
      )
      probe.statement = statement
      return `${statement.software?.name ?? 'A server'} offers FHIR ${statement.fhirVersion}.`
    },
  },
  {
    id: 'schedule-search',
    title: 'Lists Schedules',
    source: 'https://hl7.org/fhir/R4/schedule.html',
    needs: [{ type: 'Schedule', interaction: 'search-type' }],
    run: async ({ target }) => {
      const found = matchesIn<Schedule>(await target.get('Schedule?_count=5'), 'Schedule')
      return `${found.length} came.`
    },
  },
  {
    id: 'slot-free',
    title: 'Finds free Slots from now on, and no others',
    source: SLOT,
    needs: [{ type: 'Slot', interaction: 'search-type', parameters: ['status', 'start'] }],
    run: async (probe) => {
      const now = new Date().toISOString()
      const query = new URLSearchParams({ status: 'free', start: `ge${now}`, _count: '50' })
      const found = matchesIn<Slot>(await probe.target.get(`Slot?${query}`), 'Slot')
      const other = found.find(({ status }) => status !== 'free')
      must(other === undefined, `Slot/${other?.id} is ${other?.status}, not free`)
      const past = found.find(({ start }) => timeOf(start) < timeOf(now))
      must(past === undefined, `Slot/${past?.id} starts at ${past?.start}, before ${now}`)
      probe.slots = ofOneSchedule(found)
      return `${found.length} came, all free.`
    },
  },
  {
    id: 'slot-range',
    title: 'Finds Slots from one time to another, and no others',
    source: 'https://hl7.org/fhir/R4/search.html#date',
    needs: [{ type: 'Slot', interaction: 'search-type', parameters: ['start'] }],
    after: ['slot-free'],
    run: async (probe) => {
      const { id, start } = slot(probe, 0)
      const end = new Date(timeOf(start) + 3_600_000).toISOString()
      const query = `Slot?start=ge${encodeURIComponent(start)}&start=lt${encodeURIComponent(end)}&_count=200`
      const found = matchesIn<Slot>(await probe.target.get(query), 'Slot')
      const outside = found.find((one) => timeOf(one.start) < timeOf(start) || timeOf(one.start) >= timeOf(end))
      must(outside === undefined, `Slot/${outside?.id} starts at ${outside?.start}, outside of the range`)
      must(
        found.some((one) => one.id === id),
        `Slot/${id}, which starts in the range, is not among ${found.length}`,
      )
      return `${found.length} came, all within the range.`
    },
  },
]

/** Slots that one visit can be moved between, in order, each beginning when the one before it has ended. */
function ofOneSchedule(slots: readonly Slot[]): readonly Slot[] {
  const first = slots[0]?.schedule?.reference
  const own = slots
    .filter(({ schedule }) => schedule?.reference === first)
    .toSorted((one, other) => timeOf(one.start) - timeOf(other.start))
  return own.filter(({ start }, index) => index === 0 || timeOf(start) >= timeOf(own[index - 1]?.end))
}

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

const operationStep = (name: string) => [{ type: 'Appointment', operation: name }]
const parametersOf = (id: string) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${id}` } }],
})

/** The one Appointment that `$hold` and `$book` answer with. @throws Wrong */
async function asked(probe: Probe, operation: string, id: string): Promise<Appointment & { readonly id: string }> {
  const answer = await probe.target.ask('POST', `Appointment/${operation}`, { body: parametersOf(id) })
  mustHaveStatus(answer, 200, 201)
  const visits = appointmentsIn(answer.body)
  must(visits.length === 1, `The answer has ${visits.length} appointments, not one`)
  const [{ id: own } = { id: undefined }, visit] = [visits[0], visits[0]]
  must(own !== undefined && visit !== undefined, 'The appointment has no id')
  if (!probe.created.includes(`Appointment/${own}`)) probe.created.push(`Appointment/${own}`)
  return { ...visit, id: own }
}

function appointmentsIn(body: unknown): readonly Appointment[] {
  const { entry = [] } = (body ?? {}) as Partial<Bundle<FhirResource>>
  return entry.flatMap(({ resource }) => (resource?.resourceType === 'Appointment' ? [resource] : []))
}

const LONG = 21 * 86_400_000

export const PROPOSING: readonly ProbeStep[] = [
  {
    id: 'find',
    title: '$find proposes times for a visit',
    source: 'IHE ITI-115, https://profiles.ihe.net/ITI/Scheduling/ITI-115.html',
    needs: operationStep('find'),
    after: ['patient-create'],
    run: async (probe) => {
      const [from, to] = [new Date(), new Date(Date.now() + LONG)]
      const query = new URLSearchParams({ start: from.toISOString(), end: to.toISOString(), _count: '5' })
      query.set('patient-reference', `Patient/${given(probe.patient, 'no Patient').id}`)
      const found = matchesIn<Appointment>(await probe.target.get(`Appointment/$find?${query}`), 'Appointment')
      const other = found.find(({ status }) => status !== 'proposed')
      must(other === undefined, `A time that is found is ${other?.status}, not proposed`)
      const outside = found.find(({ start, end }) => !(timeOf(start) >= +from && timeOf(end) <= +to))
      must(outside === undefined, `A time that is found, ${outside?.start}, is not from start to end`)
      if (found[0]?.id === undefined) throw new Lacking('There is no time that it could propose')
      probe.offered = found[0].id
      return `${found.length} times are proposed.`
    },
  },
  {
    id: 'hold',
    title: '$hold keeps a proposed time for a while',
    source: 'IHE ITI-116, https://profiles.ihe.net/ITI/Scheduling/ITI-116.html',
    needs: operationStep('hold'),
    after: ['find'],
    run: async (probe) => {
      const { id, status } = await asked(probe, '$hold', given(probe.offered, 'no proposed time'))
      must(status === 'pending', `The status is ${status}, not pending`)
      probe.held = id
      return `Appointment/${id} is pending.`
    },
  },
  {
    id: 'hold-again',
    title: '$hold refuses a time that is held already',
    source: 'IHE ITI-116, https://profiles.ihe.net/ITI/Scheduling/ITI-116.html',
    needs: operationStep('hold'),
    after: ['hold'],
    run: async (probe) => {
      const body = parametersOf(given(probe.offered, 'no proposed time'))
      const answer = await probe.target.ask('POST', 'Appointment/$hold', { body })
      for (const { id } of appointmentsIn(answer.body)) probe.created.push(`Appointment/${id}`)
      mustBeRefused(answer, 404, 410, ...TAKEN)
      return `It was refused with ${answer.status}.`
    },
  },
  {
    id: 'book-held',
    title: '$book books the time that is held',
    source: 'IHE ITI-117, https://profiles.ihe.net/ITI/Scheduling/ITI-117.html',
    needs: operationStep('book'),
    after: ['hold'],
    run: async (probe) => {
      const { id, status } = await asked(probe, '$book', given(probe.held, 'no held time'))
      must(status === 'booked', `The status is ${status}, not booked`)
      return `Appointment/${id} is booked.`
    },
  },
]
