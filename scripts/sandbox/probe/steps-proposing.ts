/** Times that a server proposes, holds and books: IHE Scheduling, https://profiles.ihe.net/ITI/Scheduling */
import type { Appointment, Bundle, FhirResource } from 'fhir/r4'
import {
  given,
  Lacking,
  matchesIn,
  must,
  mustBeRefused,
  mustHaveStatus,
  type Probe,
  type ProbeStep,
  TAKEN,
  timeOf,
} from './step.ts'

const operationStep = (name: string) => [{ type: 'Appointment', operation: name }]
const parametersOf = (id: string) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${id}` } }],
})

/** The one Appointment that `$hold` and `$book` answer with. @throws Wrong */
async function asked(probe: Probe, operation: string, id: string): Promise<Appointment & { readonly id: string }> {
  const answer = await probe.target.ask('POST', `Appointment/${operation}`, { body: parametersOf(id) })
  mustHaveStatus(answer, 200, 201)
  const [visit, ...more] = appointmentsIn(answer.body)
  must(visit?.id !== undefined && more.length === 0, 'The answer is not one Appointment with an id')
  if (!probe.created.includes(`Appointment/${visit.id}`)) probe.created.push(`Appointment/${visit.id}`)
  return { ...visit, id: visit.id }
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
