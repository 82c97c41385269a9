/** The faults that can be rehearsed, each with a switch, and how often it fired. docs/faults.md */
import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  catalogue,
  type Fault,
  type FaultRule,
  removeAllRules,
  removeRule,
  rulesKey,
  rulesOf,
  setRule,
} from '../../api/faults.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ruleText } from '../../parts/rule-text.ts'
import { Time } from '../../parts/times.tsx'
import { tellProblem } from '../../parts/undo.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { FaultForm } from './fault-form.tsx'

interface FaultsTabProps {
  /** The fault whose form is open; empty: none. */
  readonly opened: string
  readonly onOpen: (fault: string) => void
}

export function FaultsTab({ opened, onOpen }: FaultsTabProps) {
  const { id } = useClinic()
  const mayChange = useMayChange()
  const faults = useQuery(catalogue)
  const rules = useQuery(rulesOf(id))
  const actions = useRuleActions()
  const data = faults.data && rules.data ? { faults: faults.data, rules: rules.data } : undefined
  const query = {
    data,
    error: faults.error ?? rules.error,
    refetch: () => Promise.all([faults.refetch(), rules.refetch()]),
  }
  return (
    <Loaded query={query}>
      {(all) => (
        <Stack>
          <RulesPanel rules={all.rules} actions={actions} />
          {all.faults.map((fault) => (
            <FaultRow
              key={fault.name}
              fault={fault}
              isOn={all.rules.some(({ name }) => name === fault.name)}
              actions={mayChange ? actions : undefined}
              onOpen={() => onOpen(fault.name)}
            />
          ))}
          {mayChange && (
            <FaultDialog
              fault={all.faults.find(({ name }) => name === opened)}
              rules={all.rules}
              onClose={() => onOpen('')}
            />
          )}
        </Stack>
      )}
    </Loaded>
  )
}

interface FaultDialogProps {
  readonly fault: Fault | undefined
  readonly rules: readonly FaultRule[]
  readonly onClose: () => void
}

const FaultDialog = ({ fault, rules, onClose }: FaultDialogProps) =>
  fault === undefined ? null : (
    <FaultForm fault={fault} rule={rules.find(({ name }) => name === fault.name)} onClose={onClose} />
  )

function useRuleActions() {
  const { id } = useClinic()
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const then = (work: Promise<unknown>) => {
    setBusy(true)
    return work
      .catch(tellProblem)
      .then(() => client.invalidateQueries({ queryKey: rulesKey(id) }))
      .finally(() => setBusy(false))
  }
  return {
    isBusy,
    /** For each request of the clinic. */
    turnOn: (fault: string) => then(setRule(id, fault, { fault })),
    remove: (name: string) => then(removeRule(id, name)),
    removeAll: () => then(removeAllRules(id)),
  }
}

type RuleActions = ReturnType<typeof useRuleActions>

function RulesPanel({ rules, actions }: { readonly rules: readonly FaultRule[]; readonly actions: RuleActions }) {
  const mayChange = useMayChange()
  if (rules.length === 0) return <Text size="sm">No faults are on: every request has its usual response.</Text>
  return (
    <Panel
      title="On now"
      aside={
        mayChange && (
          <Button size="xs" variant="default" disabled={actions.isBusy} onClick={actions.removeAll}>
            Turn all off
          </Button>
        )
      }
    >
      <Stack gap="xs">
        {rules.map((rule) => (
          <Group key={rule.name} gap="sm" justify="space-between">
            <Text size="sm" flex="1 1 260px">
              <Text span inherit fw={600}>
                {rule.name}
              </Text>
              {rule.name !== rule.fault && `, ${rule.fault}`}: {ruleText(rule)}
            </Text>
            <Fired rule={rule} />
            {mayChange && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Turn off ${rule.name}`}
                disabled={actions.isBusy}
                onClick={() => actions.remove(rule.name)}
              >
                Turn off
              </Button>
            )}
          </Group>
        ))}
      </Stack>
    </Panel>
  )
}

const Fired = ({ rule: { fault, fired, matched, last } }: { readonly rule: FaultRule }) => (
  <Group gap="sm">
    <Text size="sm" c="dimmed">
      matched {matched}
      {last === undefined ? (
        ', not fired yet'
      ) : (
        <>
          , last <Time at={last} />
        </>
      )}
    </Text>
    {last !== undefined && (
      <Text size="sm">
        <PageLink to="/journal" search={{ fault }}>{`fired ${fired}`}</PageLink>
      </Text>
    )}
  </Group>
)

interface FaultRowProps {
  readonly fault: Fault
  readonly isOn: boolean
  /** Undefined where the user only looks. */
  readonly actions: RuleActions | undefined
  readonly onOpen: () => void
}

const CONCERNED = { fhir: 'FHIR', tools: 'tools', both: 'FHIR and tools' } as const

function FaultRow({ fault, isOn, actions, onOpen }: FaultRowProps) {
  const { name, title, what, of } = fault
  return (
    <Group className="card" p="sm" gap="sm" justify="space-between" align="flex-start">
      <Stack gap={4} flex="1 1 300px" miw={0}>
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {title}
          </Text>
          <Text span className="mono" c="dimmed">
            {name}
          </Text>
          <Badge variant="default">{CONCERNED[of]}</Badge>
          {fault.true && <Badge variant="default">true in the data</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {what}
        </Text>
      </Stack>
      <Group gap="sm">
        {actions !== undefined && (
          <Button size="compact-sm" variant="default" aria-label={`Set ${name}…`} onClick={onOpen}>
            Set…
          </Button>
        )}
        <Switch
          aria-label={title}
          checked={isOn}
          disabled={actions === undefined || actions.isBusy}
          onChange={({ currentTarget: { checked } }) => void (checked ? actions?.turnOn(name) : actions?.remove(name))}
        />
      </Group>
    </Group>
  )
}
