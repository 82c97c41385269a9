/** The statement of a server, and its free time: Schedules, and Slots by their status and start. */
import type { CapabilityStatement, Schedule, Slot } from 'fhir/r4'
import { matchesIn, must, mustHaveStatus, type ProbeStep, resourceIn, slot, timeOf } from './step.ts'

const SLOT = 'https://hl7.org/fhir/R4/slot.html'

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
