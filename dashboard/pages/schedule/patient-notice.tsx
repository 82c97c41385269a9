/** A reason not to book for a record, or to look twice: it is replaced, inactive, or its patient has died. */
import { Alert, Button, Group, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { patientName } from '../../fhir/names.ts'
import { replacedBy } from '../../fhir/patients.ts'
import { dateText } from '../../fhir/time.ts'

/** The whole record of somebody found, of whom a search reads a part. */
export function useRecord(patient: Patient | undefined) {
  const { data } = useGet<Patient>(`Patient/${patient?.id}`, { enabled: patient !== undefined })
  return patient === undefined ? undefined : (data ?? patient)
}

/** Undefined where visits may be booked. */
export function whyNotBooked(patient: Patient): string | undefined {
  if (replacedBy(patient) !== undefined) return 'This record was merged into another one: book for that one.'
  const { deceasedDateTime, deceasedBoolean } = patient
  if (deceasedDateTime !== undefined) return `The patient died on ${dateText(deceasedDateTime.slice(0, 10))}.`
  return deceasedBoolean === true ? 'The patient has died.' : undefined
}

interface PatientNoticeProps {
  readonly patient: Patient | undefined
  readonly onInstead: (patient: Patient) => void
}

export function PatientNotice({ patient, onInstead }: PatientNoticeProps) {
  const instead = patient && replacedBy(patient)
  const { data: other } = useGet<Patient>(`Patient/${instead}`, { enabled: instead !== undefined })
  if (patient === undefined) return null
  const why =
    whyNotBooked(patient) ??
    (patient.active === false ? 'This record is inactive. It can be booked for all the same.' : '')
  if (why === '') return null
  return (
    <Alert color="yellow" role="status" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{why}</Text>
        {other !== undefined && (
          <Button size="compact-sm" variant="default" onClick={() => onInstead(other)}>
            <bdi>Book for {patientName(other)}</bdi>
          </Button>
        )}
      </Group>
    </Alert>
  )
}
