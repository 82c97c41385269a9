/** One run: a checklist that fills in as the client sends its requests, and what else is known of it. docs/runs.md */
import { Alert, Group, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Run } from '../../api/rehearsal-answers.ts'
import { type RunAddress, runOf, startedRun } from '../../api/runs.ts'
import { useFreshRun } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { JudgedSteps } from '../../parts/judged-steps.tsx'
import { NamedTabs } from '../../parts/named-tabs.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { RehearsalOnly } from '../../parts/rehearsal-only.tsx'
import { Time } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { VerdictBadge } from '../../parts/verdict.tsx'
import { Attest } from './attest-form.tsx'
import { CompareTab } from './compare-tab.tsx'
import { Connection } from './connection.tsx'
import { CoverageTab } from './coverage-tab.tsx'
import { RunActions } from './run-actions.tsx'
import { TrafficTab } from './traffic-tab.tsx'

export const RunPage = () => (
  <RehearsalOnly title="Run">
    <FoundRun />
  </RehearsalOnly>
)

function FoundRun() {
  const { id: run = '' } = useParams({ strict: false }) as { readonly id?: string }
  const { id: own } = useClinic()
  const [{ clinic }] = useFilters({ clinic: own })
  const { data: started } = useQuery(startedRun(run))
  // The session reads its own clinic; a run with a clinic of its own is read with the token that it was given.
  const token = clinic === own ? undefined : started?.token
  const address: RunAddress = { clinic, run, ...(token === undefined ? {} : { token }) }
  useFreshRun(own, run)
  const query = useQuery(runOf(address))
  return (
    <Loaded query={query} rows={8}>
      {(found) => <RunView run={found} address={address} isOwn={clinic === own} />}
    </Loaded>
  )
}

interface RunViewProps {
  readonly run: Run
  readonly address: RunAddress
  /** Whether it is in the clinic of the user, whose pages show its exchanges. */
  readonly isOwn: boolean
}

const TABS = { steps: 'Steps', traffic: 'Traffic', coverage: 'Coverage', compare: 'Compare' } as const
type Tab = keyof typeof TABS
const NAMES = Object.keys(TABS) as Tab[]

function RunView({ run, address, isOwn }: RunViewProps) {
  const { id: own } = useClinic()
  const mayChange = useMayChange()
  const isOpen = run.status === 'open'
  const [filters, setFilters] = useFilters({ tab: 'steps', with: '', clinic: own })
  const tab = NAMES.find((name) => name === filters.tab) ?? 'steps'
  return (
    <>
      <PageHead
        title={run.title}
        description={<RunFacts run={run} />}
        actions={<RunActions run={run} address={address} />}
      />
      <Stack>
        <Notes notes={run.notes} />
        {isOpen && mayChange && <Connection run={run} />}
        <NamedTabs names={NAMES} labels={TABS} value={tab} onOpen={(tab) => setFilters({ tab })}>
          <Tabs.Panel value="steps">
            <JudgedSteps steps={run.steps} isOwn={isOwn}>
              {(step) => <Attest step={step} address={address} mayAttest={isOpen && mayChange} />}
            </JudgedSteps>
          </Tabs.Panel>
          <Tabs.Panel value="traffic">
            <TrafficTab run={run} isOwn={isOwn} />
          </Tabs.Panel>
          <Tabs.Panel value="coverage">
            <CoverageTab run={run} />
          </Tabs.Panel>
          <Tabs.Panel value="compare">
            <CompareTab run={run} other={filters.with} onChoose={(other) => setFilters({ with: other })} />
          </Tabs.Panel>
        </NamedTabs>
      </Stack>
    </>
  )
}

function RunFacts({ run }: { readonly run: Run }) {
  const { client, version, as, scenario, by, status, result, score, startedAt, endedAt, steps } = run
  const passed = steps.filter((step) => step.result === 'pass').length
  return (
    <Stack gap={4}>
      <Group gap="xs" role="status">
        {status !== 'aborted' && <VerdictBadge result={result} />}
        <span>
          {status}: {passed} of {steps.length} steps pass, score {score} %
        </span>
      </Group>
      <span>
        <bdi>{client}</bdi> · plan {version}
        {as !== undefined && ` · as ${as}`}
        {scenario !== undefined && ` · scenario ${scenario}`} · started <Time at={startedAt} /> by <bdi>{by}</bdi>
        {endedAt !== undefined && (
          <>
            {' · '}ended <Time at={endedAt} />
          </>
        )}
      </span>
    </Stack>
  )
}

const Notes = ({ notes }: { readonly notes: readonly string[] }) =>
  notes.length === 0 ? null : (
    <Alert>
      {notes.map((note) => (
        <Text key={note} size="sm">
          {note}
        </Text>
      ))}
    </Alert>
  )
