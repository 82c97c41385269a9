/** Other records that may be of the same person, and merging them side by side. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { type ReactNode, useState } from 'react'
import { type Candidate, useMatches } from '../../api/matches.ts'
import { patientName } from '../../fhir/names.ts'
import { useFilters } from '../../parts/filters.ts'
import { LikelihoodBadge } from '../../parts/likelihood.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Merge } from '../../parts/merge.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'

export function Duplicates({ patient }: { readonly patient: Patient }) {
  const query = useMatches(patient)
  return <Loaded query={query}>{(candidates) => <List patient={patient} candidates={candidates} />}</Loaded>
}

interface ListProps {
  readonly patient: Patient
  readonly candidates: readonly Candidate[]
}

function List({ patient, candidates }: ListProps) {
  const [other, setOther] = useState<Patient>()
  const [{ unlikely }, setFilters] = useFilters({ tab: '', unlikely: '' })
  const likely = candidates.filter(({ grade }) => grade !== 'possible')
  const shown = unlikely === '' ? likely : candidates
  const rest = candidates.length - likely.length
  const more = rest > 0 && (
    <Button
      variant="default"
      w="fit-content"
      aria-pressed={unlikely !== ''}
      onClick={() => setFilters({ unlikely: unlikely === '' ? 'shown' : '' }, { replace: true })}
    >
      Show unlikely ones ({rest})
    </Button>
  )
  if (shown.length === 0) return <NoMatches hasUnlikely={rest > 0} action={more} />
  return (
    <Stack>
      {shown.map(({ patient: found, grade, score }) => (
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
      {more}
      {other !== undefined && <Merge target={patient} source={other} onClose={() => setOther(undefined)} />}
    </Stack>
  )
}

interface NoMatchesProps {
  readonly hasUnlikely: boolean
  readonly action: ReactNode
}

const NoMatches = ({ hasUnlikely, action }: NoMatchesProps) => (
  <Empty
    icon="check"
    title={hasUnlikely ? 'No other record is likely to be of this person' : 'No other record is like this one'}
    action={action}
  >
    Patient/$match compares names, birth date, telephone, e-mail, address and identifiers.
  </Empty>
)
