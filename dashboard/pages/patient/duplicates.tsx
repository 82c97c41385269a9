/** Other records that may be of the same person, and merging them side by side. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { useState } from 'react'
import { READS, send } from '../../api/client.ts'
import { patientName } from '../../fhir/names.ts'
import { type Likelihood, likelihoodOf } from '../../fhir/pairs.ts'
import { LikelihoodBadge } from '../../parts/likelihood.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Merge } from '../../parts/merge.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'

interface Candidate extends Likelihood {
  readonly patient: Patient
}

export function Duplicates({ patient }: { readonly patient: Patient }) {
  const query = useQuery({
    // Two records that are being compared stay on the page when one of them is changed.
    placeholderData: keepPreviousData,
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

/** The parameters of $match: the demographics of the patient, without the rest of the record. */
const questionOf = ({ identifier, name, telecom, gender, birthDate, address }: Patient) => ({
  resourceType: 'Parameters',
  parameter: [
    { name: 'resource', resource: { resourceType: 'Patient', identifier, name, telecom, gender, birthDate, address } },
    { name: 'count', valueInteger: 10 },
  ],
})

const candidateOf = (entry: BundleEntry): readonly Candidate[] =>
  entry.resource?.resourceType === 'Patient' ? [{ patient: entry.resource as Patient, ...likelihoodOf(entry) }] : []

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
        <Panel key={found.id} title={patientName(found)} aside={<LikelihoodBadge grade={grade} score={score} />}>
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
