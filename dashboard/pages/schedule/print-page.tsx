/** The visits of a day as a list to print, a page for each practitioner. */
import { Table, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { telecomOf } from '../../fhir/names.ts'
import { addDays, clockText, dateText, dayOf, dayText, startOfDay } from '../../fhir/time.ts'
import { kindOf, type Visit, visitStatusText } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { PrintActions } from './print-actions.tsx'
import classes from './schedule.module.css'
import { type Column, columnsNamed, columnText, useColumns, usePlan } from './use-plan.ts'

export function PrintPage() {
  const columns = useColumns()
  return (
    <Loaded query={columns} rows={10}>
      {(data) => <Lists columns={data} />}
    </Loaded>
  )
}

function Lists({ columns }: { readonly columns: readonly Column[] }) {
  const { timeZone: zone, name } = useClinic()
  const [filters] = useFilters({ day: '', who: '' })
  const day = filters.day || dayOf(clinicNow(), zone)
  const shown = columnsNamed(columns, filters.who)
  const schedules = shown === columns ? [] : shown.map(({ id }) => id)
  const plan = usePlan({ from: day, until: addDays(day, 1), zone, schedules }, columns)
  return (
    <>
      <PageHead
        title={`Visits of ${dayText(startOfDay(day, zone), zone)}`}
        description={
          <>
            <bdi>{name}</bdi>. <ZoneNote />
          </>
        }
        actions={<PrintActions day={day} who={filters.who} />}
      />
      <Loaded query={plan} rows={10}>
        {({ visits, patients }) =>
          shown.map((column) => (
            <DayList
              key={column.id}
              column={column}
              visits={visits.filter(({ schedule }) => schedule === column.id)}
              patients={patients}
            />
          ))
        }
      </Loaded>
    </>
  )
}

interface DayListProps {
  readonly column: Column
  readonly visits: readonly Visit[]
  readonly patients: readonly Patient[]
}

function DayList({ column, visits, patients }: DayListProps) {
  return (
    <section className={classes.sheet} aria-label={column.label}>
      <Text component="h2" size="md" fw={600} m={0}>
        <bdi>{columnText(column)}</bdi>
      </Text>
      {visits.length === 0 ? (
        <Text size="sm">No visits.</Text>
      ) : (
        <Table.ScrollContainer minWidth={640} role="group" aria-label={column.label}>
          <Table withTableBorder verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                {['Time', 'Patient', 'Born', 'Phone', 'Kind', 'Reason', 'Status'].map((title) => (
                  <Table.Th key={title}>{title}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {[...visits]
                .sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
                .map((visit) => (
                  <VisitLine key={visit.id} visit={visit} patient={patients.find(({ id }) => id === visit.patientId)} />
                ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  )
}

function VisitLine({ visit, patient }: { readonly visit: Visit; readonly patient: Patient | undefined }) {
  const { timeZone: zone } = useClinic()
  return (
    <Table.Tr>
      <Table.Td className={`number ${classes.whole}`}>
        {clockText(visit.start, zone)}–{clockText(visit.end, zone)}
      </Table.Td>
      <Table.Td>
        <bdi>{visit.patient}</bdi>
      </Table.Td>
      <Table.Td className={`number ${classes.whole}`}>{dateText(patient?.birthDate)}</Table.Td>
      <Table.Td className={`number ${classes.whole}`}>{telecomOf(patient?.telecom, 'phone')}</Table.Td>
      <Table.Td>
        <bdi>{kindOf(visit)}</bdi>
      </Table.Td>
      <Table.Td>
        <bdi>{visit.appointment.description}</bdi>
      </Table.Td>
      <Table.Td>{visitStatusText(visit.status)}</Table.Td>
    </Table.Tr>
  )
}
