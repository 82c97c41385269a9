/** Two runs of one plan side by side: the steps in rows, those that differ marked. */
import { Badge, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { JudgedStep, Run, RunSummary } from '../../api/rehearsal-answers.ts'
import { runOf, runsOf } from '../../api/runs.ts'
import { timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { VerdictBadge } from '../../parts/verdict.tsx'

interface CompareProps {
  readonly run: Run
  /** The id of the other run; empty: the newest of the plan. */
  readonly other: string
  readonly onChoose: (other: string) => void
}

export function CompareTab({ run, other, onChoose }: CompareProps) {
  const { id, timeZone } = useClinic()
  const query = useQuery(runsOf(id))
  const label = ({ client, startedAt, as }: RunSummary): string =>
    `${client}${as === undefined ? '' : ` as ${as}`}, ${timeText(startedAt, timeZone)}`
  return (
    <Loaded query={query}>
      {(all) => {
        const others = all.filter((one) => one.plan === run.plan && one.run !== run.run)
        const chosen = others.find((one) => one.run === other) ?? others[0]
        if (chosen === undefined) {
          return (
            <Empty icon="run" title="This is the only run of the plan">
              Start another one, for example of the next version of the client.
            </Empty>
          )
        }
        return (
          <Stack>
            <NativeSelect
              label="Other run of the plan"
              maw={480}
              data={others.map((one) => ({ value: one.run, label: label(one) }))}
              value={chosen.run}
              onChange={({ currentTarget: { value } }) => onChoose(value)}
            />
            <OtherRun run={run} other={chosen.run} />
          </Stack>
        )
      }}
    </Loaded>
  )
}

function OtherRun({ run, other }: Pick<CompareProps, 'run' | 'other'>) {
  const { id } = useClinic()
  const query = useQuery(runOf({ clinic: id, run: other }))
  return <Loaded query={query}>{(found) => <Comparison one={run} other={found} />}</Loaded>
}

function Comparison({ one, other }: { readonly one: Run; readonly other: Run }) {
  const steps = stepsOfBoth(one, other)
  const differing = steps.filter(([mine, theirs]) => mine?.result !== theirs?.result).length
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {differing === 0 ? 'No step differs.' : `${differing} of ${steps.length} steps differ.`}
      </Text>
      <Table.ScrollContainer minWidth={680} className="card">
        <Table verticalSpacing="xs" aria-label="Two runs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Step</Table.Th>
              <RunHead run={one} />
              <RunHead run={other} />
              <Table.Th>Difference</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {steps.map(([mine, theirs]) => (
              <StepRow key={mine?.id ?? theirs?.id} mine={mine} theirs={theirs} />
            ))}
            <Table.Tr>
              <Table.Th scope="row">Median latency</Table.Th>
              <Table.Td className="number">{one.traffic.latency.median} ms</Table.Td>
              <Table.Td className="number">{other.traffic.latency.median} ms</Table.Td>
              <Table.Td />
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}

const RunHead = ({ run: { run, client, version, score } }: { readonly run: Run }) => (
  <Table.Th>
    <PageLink to={`/runs/${run}`}>
      <bdi>{client}</bdi>
    </PageLink>
    <Text size="xs" c="dimmed">
      plan {version}, {score} %
    </Text>
  </Table.Th>
)

type Pair = readonly [mine: JudgedStep | undefined, theirs: JudgedStep | undefined]

/** By their ids, in the order of the first run; plans of two versions may have different steps. */
function stepsOfBoth({ steps: mine }: Run, { steps: theirs }: Run): readonly Pair[] {
  return [
    ...mine.map((step): Pair => [step, theirs.find(({ id }) => id === step.id)]),
    ...theirs.filter(({ id }) => !mine.some((step) => step.id === id)).map((step): Pair => [undefined, step]),
  ]
}

function StepRow({ mine, theirs }: { readonly mine: Pair[0]; readonly theirs: Pair[1] }) {
  const isDifferent = mine?.result !== theirs?.result
  return (
    <Table.Tr>
      <Table.Th scope="row">{mine?.title ?? theirs?.title}</Table.Th>
      {[mine, theirs].map((step, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the first is always the one run
        <Table.Td key={index}>
          {step === undefined ? 'not in its plan' : <VerdictBadge result={step.result} />}
          {isDifferent && step !== undefined && (
            <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {step.message}
            </Text>
          )}
        </Table.Td>
      ))}
      <Table.Td>{isDifferent && <Badge variant="default">differs</Badge>}</Table.Td>
    </Table.Tr>
  )
}
