/** The patient whom a Task is about, and the one of the call where that is somebody else. */
import { Stack, Text } from '@mantine/core'
import type { Patient, Reference, Task } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { patientName, referenceParts, referenceText } from '../../fhir/names.ts'
import { isPlaceholder } from '../../fhir/patients.ts'
import { dateText } from '../../fhir/time.ts'
import { PageLink } from '../../parts/links.tsx'

export function WhoItIsFor({ task }: { readonly task: Task }) {
  const references = [task.for, task.focus].filter((one) => one !== undefined)
  const seen = new Map(references.map((one) => [one.reference ?? referenceText(one), one]))
  if (seen.size === 0) return <Text size="sm">nobody</Text>
  return (
    <Stack gap={2}>
      {[...seen].map(([key, reference]) => (
        <Referred key={key} reference={reference} />
      ))}
    </Stack>
  )
}

function Referred({ reference }: { readonly reference: Reference }) {
  const { type, id } = referenceParts(reference.reference) ?? {}
  if (type === undefined || id === undefined) return <bdi>{referenceText(reference)}</bdi>
  if (type !== 'Patient') {
    return (
      <PageLink to="/explorer" search={{ open: `${type}/${id}` }}>
        {type === 'Appointment' ? 'Entry of the waitlist, or visit' : `${type}/${id}`}
      </PageLink>
    )
  }
  return <PatientLink id={id} />
}

export function PatientLink({ id }: { readonly id: string }) {
  const { data } = useGet<Patient>(`Patient/${id}`)
  const born = dateText(data?.birthDate)
  return (
    <span>
      <PageLink to={`/patients/${id}`}>
        <bdi>{data === undefined ? 'The patient' : patientName(data)}</bdi>
      </PageLink>
      {born === '' ? '' : `, born ${born}`}
      {data !== undefined && isPlaceholder(data) ? ' (unknown caller)' : ''}
    </span>
  )
}
