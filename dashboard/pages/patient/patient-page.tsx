/** One patient. */
import { useParams } from '@tanstack/react-router'
import type { Patient } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { patientName } from '../../fhir/names.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'

export function PatientPage() {
  const { id = '' } = useParams({ strict: false })
  const query = useGet<Patient>(`Patient/${id}`)
  return <Loaded query={query}>{(patient) => <PageHead title={patientName(patient)} />}</Loaded>
}
