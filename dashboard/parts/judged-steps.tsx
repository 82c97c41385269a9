/** The steps of a plan as a checklist: what was expected of each, what came, and the exchanges that prove it. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Evidence, JudgedStep } from '../api/rehearsal-answers.ts'
import { PageLink } from './links.tsx'
import { ruleText } from './rule-text.ts'
import { SourceText } from './source-text.tsx'
import { Seconds } from './times.tsx'
import { VerdictBadge } from './verdict.tsx'

interface JudgedStepsProps {
  readonly steps: readonly JudgedStep[]
  /** Whether the exchanges are of the clinic of the user, whose pages open them; otherwise they are only named. */
  readonly isOwn?: boolean
  /** Below a step: buttons to attest it. */
  readonly children?: (step: JudgedStep) => ReactNode
}

export const JudgedSteps = ({ steps, isOwn = true, children }: JudgedStepsProps) => (
  <Stack component="ol" aria-label="Steps" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
    {steps.map((step) => (
      <li key={step.id}>
        <StepCard step={step} isOwn={isOwn}>
          {children?.(step)}
        </StepCard>
      </li>
    ))}
  </Stack>
)

interface StepCardProps {
  readonly step: JudgedStep
  readonly isOwn: boolean
  readonly children: ReactNode
}

function StepCard({ step, isOwn, children }: StepCardProps) {
  const { title, result, message, source, optional, evidence } = step
  return (
    <Stack className="card" p="sm" gap={6}>
      <Group gap="sm" align="flex-start" wrap="nowrap">
        <VerdictBadge result={result} />
        <Text size="sm" fw={600} miw={0}>
          {title}
        </Text>
        {optional && (
          <Badge variant="default" flex="none">
            optional
          </Badge>
        )}
      </Group>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <ProvokedFault step={step} />
      <EvidenceList evidence={evidence} result={result} isOwn={isOwn} />
      {children}
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <SourceText text={source} />
      </Text>
    </Stack>
  )
}

function ProvokedFault({ step: { do: provoked } }: { readonly step: JudgedStep }) {
  if (provoked === undefined) return null
  const { on = [1] } = provoked
  return (
    <Text size="sm" c="dimmed">
      Provokes <b>{provoked.fault}</b>: {ruleText({ ...provoked, on }, 'requests of the run')}
    </Text>
  )
}

/** The part of an exchange in the proof, by the word of the step that it is about. */
const PARTS: Readonly<Record<Evidence['of'], string>> = {
  expect: 'came',
  times: 'came again',
  after: 'came after it',
  never: 'must not come',
  nearest: 'came nearest',
}

interface EvidenceListProps extends Pick<JudgedStep, 'evidence' | 'result'> {
  readonly isOwn: boolean
}

function EvidenceList({ evidence, result, isOwn }: EvidenceListProps) {
  if (evidence.length === 0) return null
  return (
    <Stack component="ul" gap={2} m={0} p={0} style={{ listStyle: 'none' }}>
      {evidence.map(({ exchange, of, at, line }) => {
        const isRed = result === 'fail' && of !== 'expect' && of !== 'after'
        return (
          <Group component="li" key={`${exchange} ${of}`} gap="xs" wrap="nowrap" align="baseline">
            <Text size="sm" c={isRed ? 'red' : 'dimmed'} fw={isRed ? 600 : undefined} flex="none">
              {PARTS[of]}
            </Text>
            <Text span className="mono" miw={0}>
              {isOwn ? <PageLink to={`/journal/${exchange}`}>{line}</PageLink> : line}
            </Text>
            <Seconds at={at} />
          </Group>
        )
      })}
    </Stack>
  )
}
