/** Other records that may be of the same person, and merging them side by side. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { useState } from 'react'
import { READS, send } from '../../api/client.ts'
import { patientName } from '../../fhir/names.ts'
import { PageLink } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Merge } from './merge.tsx'

const GRADE = 'http://hl7.org/fhir/StructureDefinition/match-grade'

interface Candidate {
  readonly patient: Patient
  readonly grade: string
  readonly score: number
}

export function Duplicates({ patient }: { readonly patient: Patient }) {
  const query = useQuery({
    queryKey: ['Patient', '$match', patient.id, patient.meta?.versionId],
    queryFn: async ({ signal }) => {
      const { body } = await send<Bundle>({
        ...{ method: 'POST', path: 'Patient/$match', body: questionOf(patient), signal },
        headers: { 'x-run-id': READS },
      })
      return (body.entry ?? []).flatMap(candidateOf).filter(({ patient: { id } }) => id !== patient.id)
    },
  })
  return <Loaded query={query}>{(candidates) => <List patient={patient} candidates={candidates} />}</Loaded>
}

/** What the record says of the person, without what is about the record. */
const questionOf = ({ identifier, name, telecom, gender, birthDate, address }: Patient) => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'resource', resource: { resourceType: 'Patient', identifier, name, telecom, gender, birthDate, address } },
    { name: 'count', valueInteger: 10 },
  ],
})

function candidateOf({ resource, search }: BundleEntry): readonly Candidate[] {
  if (resource?.resourceType !== 'Patient') return []
  const grade = search?.extension?.find(({ url }) => url === GRADE)?.valueCode ?? ''
  return [{ patient: resource as Patient, grade, score: search?.score ?? 0 }]
}

interface ListProps {
  readonly patient: Patient
  readonly candidates: readonly Candidate[]
}

function List({ patient, candidates }: ListProps) {
  const [other, setOther] = useState<Patient>()
  if (candidates.length === 0) {
    return (
      <Empty icon="check" title="No other record is like this one">
        Patient/$match compares names, birth date, telephone, e-mail, address and identifiers.
      </Empty>
    )
  }
  return (
    <Stack>
      {candidates.map(({ patient: found, grade, score }) => (
        <Panel
          key={found.id}
          title={patientName(found)}
          aside={
            <Group gap="xs">
              <Badge variant="default">{grade}</Badge>
              <Text size="sm" c="dimmed" className="number">
                {Math.round(score * 100)} %
              </Text>
            </Group>
          }
        >
          <Group gap="sm" justify="space-between">
            <Text size="sm">
              <PageLink to={`/patients/${found.id}`}>Open the record</PageLink>
            </Text>
            <Button size="xs" variant="default" onClick={() => setOther(found)}>
              Compare and merge
            </Button>
          </Group>
        </Panel>
      ))}
      {other !== undefined && <Merge target={patient} source={other} onClose={() => setOther(undefined)} />}
    </Stack>
  )
}
