/** The slip of an appointment that a patient takes home. */
import { useParams } from '@tanstack/react-router'
import type { Appointment, Bundle, Location, Patient, Practitioner } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { includedIn, matchesIn } from '../../fhir/bundles.ts'
import { addressText, nameOf, referenceParts, referenceText, telecomOf } from '../../fhir/names.ts'
import { clockText, dayOf, dayText, zoneText } from '../../fhir/time.ts'
import { kindOf, visitOf } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Facts } from '../../parts/facts.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { PrintActions } from './print-actions.tsx'

export function SlipPage() {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false })
  const query = useSearch('Appointment', [
    ['_id', id],
    ['_include', 'Appointment:patient'],
    ['_include', 'Appointment:practitioner'],
    ['_include', 'Appointment:location'],
  ])
  return (
    <Loaded query={query} rows={4}>
      {(found) => <Slip found={found} />}
    </Loaded>
  )
}

function Slip({ found }: { readonly found: Bundle }) {
  const { timeZone: zone, name } = useClinic()
  const appointment = matchesIn<Appointment>(found)[0]
  const patients = includedIn<Patient>(found, 'Patient')
  const visit = appointment && visitOf(appointment, { slots: [], schedules: [], patients })
  if (visit === undefined) {
    return (
      <Empty icon="calendar" title="There is no such appointment">
        It has no time, or does not exist.
      </Empty>
    )
  }
  const { start, end } = visit
  const people = actorsOf(visit.appointment, includedIn<Practitioner>(found, 'Practitioner'))
  return (
    <>
      <PageHead
        title={`Appointment of ${visit.patient}`}
        description={<bdi>{name}</bdi>}
        actions={<PrintActions day={dayOf(start, zone)} />}
      />
      <Facts
        facts={[
          ['Day', dayText(start, zone)],
          ['Time', `${clockText(start, zone)} to ${clockText(end, zone)} (${zoneText(zone, start)})`],
          ['With', people && <bdi key="with">{people}</bdi>],
          ['Kind', kindOf(visit) && <bdi key="kind">{kindOf(visit)}</bdi>],
          ...includedIn<Location>(found, 'Location').map(
            (place) => ['Where', <Place key="where" place={place} />] as const,
          ),
          [
            'To know',
            visit.appointment.patientInstruction && <bdi key="told">{visit.appointment.patientInstruction}</bdi>,
          ],
        ]}
      />
    </>
  )
}

/** All who take part but the patients and the place. */
const actorsOf = ({ participant }: Appointment, practitioners: readonly Practitioner[]): string =>
  participant
    .filter(({ actor }) => !['Patient', 'Location'].includes(referenceParts(actor?.reference)?.type ?? ''))
    .map(({ actor }) => {
      const found = practitioners.find(({ id }) => id === referenceParts(actor?.reference)?.id)
      return (found && nameOf(found.name)) || referenceText(actor)
    })
    .filter(Boolean)
    .join(', ')

function Place({ place }: { readonly place: Location }) {
  const phone = telecomOf(place.telecom, 'phone')
  return (
    <>
      <bdi>{[place.name, addressText(place.address)].filter(Boolean).join(', ')}</bdi>
      {phone !== '' && `, ${phone}`}
    </>
  )
}
