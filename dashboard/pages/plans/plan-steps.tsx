/** The steps of a plan for reading: each with its words in sentences, and its source. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Plan, PlanStep } from '../../api/rehearsal-answers.ts'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { SourceText } from '../../parts/source-text.tsx'
import { wordsOf } from './step-text.ts'

export const PlanSteps = ({ plan: { names = {}, steps } }: { readonly plan: Plan }) => (
  <Stack>
    {Object.keys(names).length > 0 && (
      <Panel title="Names">
        <Facts
          facts={Object.entries(names).map(
            ([name, value]): Fact => [
              name,
              <span key={name} className="mono">
                {value}
              </span>,
            ],
          )}
        />
      </Panel>
    )}
    <Stack component="ol" aria-label="Steps" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
      {steps.map((step, index) => (
        <li key={step.id}>
          <StepCard step={step} number={index + 1} />
        </li>
      ))}
    </Stack>
  </Stack>
)

const StepCard = ({ step, number }: { readonly step: PlanStep; readonly number: number }) => (
  <Stack className="card" p="sm" gap={6}>
    <Group gap="sm" align="baseline">
      <Text size="sm" fw={600} miw={0}>
        {number}. {step.title}
      </Text>
      <Text span className="mono" c="dimmed">
        {step.id}
      </Text>
      {step.optional && <Badge variant="default">optional</Badge>}
    </Group>
    <Facts facts={wordsOf(step)} />
    <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      <SourceText text={step.source} />
    </Text>
  </Stack>
)
