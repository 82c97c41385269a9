/** The scenario that the clinic was filled with, and those that it can be reset to. docs/scenarios.md */
import { Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { resetOf, scenarios } from '../../api/rehearsal.ts'
import type { Scenario } from '../../api/rehearsal-answers.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Loaded, WhenRead } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

export function ScenariosTab({ onReset }: { readonly onReset: (scenario: string) => void }) {
  const { id } = useClinic()
  const mayChange = useMayChange()
  const query = useQuery(scenarios)
  const preview = useQuery(resetOf(id))
  return (
    <WhenRead queries={[query, preview]}>
      <Stack>
        <InUse />
        <Loaded query={query}>
          {(list) =>
            list.map((scenario) => (
              <ScenarioPanel
                key={scenario.name}
                scenario={scenario}
                isInUse={scenario.name === preview.data?.scenario}
                onReset={mayChange ? () => onReset(scenario.name) : undefined}
              />
            ))
          }
        </Loaded>
      </Stack>
    </WhenRead>
  )
}

function InUse() {
  const { id } = useClinic()
  const query = useQuery(resetOf(id))
  return (
    <Panel title="In use">
      <Loaded query={query} rows={3}>
        {({ scenario, snapshot, filledAt, by, generation, counts, running }) => {
          const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
          const facts: readonly Fact[] = [
            ['Scenario', scenario ?? 'none'],
            ['Snapshot', snapshot],
            ['Since', filledAt !== undefined && <Time key="since" at={filledAt} />],
            ['By', by],
            ['Resources', total.toLocaleString('en')],
            ['Generation', String(generation)],
            ['Under way', running !== undefined && `${running.by} is resetting the clinic`],
          ]
          return <Facts facts={facts} />
        }}
      </Loaded>
    </Panel>
  )
}

interface ScenarioPanelProps {
  readonly scenario: Scenario
  readonly isInUse: boolean
  readonly onReset: (() => void) | undefined
}

function ScenarioPanel({ scenario, isInUse, onReset }: ScenarioPanelProps) {
  const { name, title, description, resources, people, oddities = [] } = scenario
  return (
    <Panel
      title={title}
      aside={
        <Group gap="sm">
          {isInUse && <Badge variant="default">in use</Badge>}
          {onReset !== undefined && (
            <Button size="xs" variant="default" aria-label={`Reset to ${title}…`} onClick={onReset}>
              Reset…
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="xs">
        {description !== undefined && <Text size="sm">{description}</Text>}
        <Text size="sm" c="dimmed">
          <span className="mono">{name}</span>,{' '}
          {resources === 1 ? '1 resource' : `${resources.toLocaleString('en')} resources`}
          {people > 0 && `, about ${people === 1 ? '1 person' : `${people} people`}`}
        </Text>
        {oddities.length > 0 && (
          <details>
            <summary>{oddities.length === 1 ? '1 oddity' : `${oddities.length} oddities`}</summary>
            <List size="sm" mt="xs">
              {oddities.map(({ what, resource }) => (
                <List.Item key={`${what} ${resource}`}>
                  {what}: <span className="mono">{resource}</span>
                </List.Item>
              ))}
            </List>
          </details>
        )}
      </Stack>
    </Panel>
  )
}
