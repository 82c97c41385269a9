/** The coverages of a patient, and the insurers' responses about each. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Coverage, CoverageEligibilityResponse, Patient } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { conceptText, referenceParts, referenceText, statusText } from '../../fhir/names.ts'
import { dateText } from '../../fhir/time.ts'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/times.tsx'

const STATUS = 'https://sandbox-emr.example/fhir/StructureDefinition/insurance-status'

export function Coverages({ patient }: { readonly patient: Patient }) {
  const id = patient.id ?? ''
  const coverages = useSearch('Coverage', [
    ['beneficiary', `Patient/${id}`],
    ['_sort', '-_lastUpdated'],
  ])
  const answers = useSearch('CoverageEligibilityResponse', [
    ['patient', id],
    ['_sort', '-created'],
    ['_count', '50'],
  ])
  return (
    <Loaded query={coverages}>
      {(bundle) => (
        <Loaded query={answers}>
          {(responses) => <List coverages={matchesIn<Coverage>(bundle)} answers={matchesIn(responses)} />}
        </Loaded>
      )}
    </Loaded>
  )
}

interface ListProps {
  readonly coverages: readonly Coverage[]
  readonly answers: readonly CoverageEligibilityResponse[]
}

function List({ coverages, answers }: ListProps) {
  if (coverages.length === 0) {
    return (
      <Empty icon="document" title="No coverage">
        A caller who gives an insurer and a member id gets one, and so does POST /Coverage.
      </Empty>
    )
  }
  return (
    <Stack>
      {coverages.map((coverage) => (
        <CoveragePanel
          key={coverage.id}
          coverage={coverage}
          answers={answers.filter(({ insurance = [] }) =>
            insurance.some(({ coverage: about }) => referenceParts(about.reference)?.id === coverage.id),
          )}
        />
      ))}
    </Stack>
  )
}

function CoveragePanel({ coverage, answers }: { readonly coverage: Coverage } & Pick<ListProps, 'answers'>) {
  const { payor, type, subscriberId, status, period } = coverage
  const until = period?.end === undefined ? '' : ` until ${dateText(period.end.slice(0, 10))}`
  return (
    <Panel
      title={payor.map(referenceText).join(', ') || conceptText(type)}
      aside={<Badge variant="default">{statusText(status)}</Badge>}
    >
      <Text size="sm">
        {[conceptText(type), subscriberId && `member ${subscriberId}`].filter(Boolean).join(' · ')}
        {period?.start !== undefined && ` · since ${dateText(period.start.slice(0, 10))}${until}`}
      </Text>
      {answers.length === 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          Eligibility has not been asked for.
        </Text>
      ) : (
        answers.map(({ id, created, disposition, outcome, extension = [] }) => (
          <Group key={id} gap="xs" mt="xs" wrap="nowrap">
            <Badge variant="default" flex="none">
              {statusText(extension.find(({ url }) => url === STATUS)?.valueCode ?? outcome)}
            </Badge>
            <Text size="sm">
              <Time at={created} />
              {disposition === undefined ? '' : ` · ${disposition}`}
            </Text>
          </Group>
        ))
      )}
    </Panel>
  )
}
