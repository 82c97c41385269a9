/** Sets a fault in detail: for which requests, how often, and how. docs/faults.md */
import { Button, Group, Modal, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  CONDITIONS,
  type Fault,
  type FaultParameter,
  type FaultRule,
  type FaultSetting,
  rulesKey,
  setRule,
} from '../../api/faults.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'

const CONDITION_LABELS: Readonly<Record<(typeof CONDITIONS)[number], readonly [label: string, example: string]>> = {
  interaction: ['Interaction', 'create'],
  type: ['Resource type', 'Appointment'],
  path: ['Path', '/Appointment'],
  query: ['Query', 'status=free'],
  call: ['Call', 'id of a call'],
  run: ['Run', 'X-Run-Id'],
  tool: ['Tool', 'book_appointment'],
}

type Counting = 'each' | 'every' | 'on'

const COUNTING = [
  { value: 'each', label: 'each of them' },
  { value: 'every', label: 'one in so many' },
  { value: 'on', label: 'those with these numbers' },
]

interface Draft {
  readonly when: Readonly<Record<string, string>>
  readonly counting: Counting
  readonly every: string
  readonly on: string
  readonly times: string
  readonly with: Readonly<Record<string, string>>
}

interface FaultFormProps {
  readonly fault: Fault
  /** As it is set now. */
  readonly rule: FaultRule | undefined
  readonly onClose: () => void
}

export function FaultForm({ fault, rule, onClose }: FaultFormProps) {
  const { id } = useClinic()
  const client = useQueryClient()
  const [first] = useState(() => draftOf(rule))
  const [draft, setDraft] = useState(first)
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const { error, isBusy, submit } = useSubmit(async () => {
    await setRule(id, fault.name, settingOf(fault, draft))
    await client.invalidateQueries({ queryKey: rulesKey(id) })
    onClose()
  })
  const { close, question } = useUnsaved(draft !== first && !isBusy, { onClose })
  return (
    <Modal opened onClose={close} title={fault.title} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Conditions when={draft.when} onChange={(when) => change({ when })} />
          <Counts draft={draft} onChange={change} />
          <ParameterFields fault={fault} values={draft.with} onChange={(values) => change({ with: values })} />
          <FormError text={error} />
          {question}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <Button type="submit" loading={isBusy}>
              Turn it on
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

interface ConditionsProps {
  readonly when: Readonly<Record<string, string>>
  readonly onChange: (when: Readonly<Record<string, string>>) => void
}

const Conditions = ({ when, onChange }: ConditionsProps) => (
  <Group component="fieldset" className="card" p="md" gap="sm" m={0}>
    <legend>Requests that it concerns</legend>
    {CONDITIONS.map((name) => (
      <TextInput
        key={name}
        label={CONDITION_LABELS[name][0]}
        placeholder={`any, or ${CONDITION_LABELS[name][1]}`}
        flex="1 1 180px"
        value={when[name] ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ ...when, [name]: value })}
      />
    ))}
  </Group>
)

interface CountsProps {
  readonly draft: Draft
  readonly onChange: (changes: Partial<Draft>) => void
}

const Counts = ({ draft, onChange }: CountsProps) => (
  <Group component="fieldset" className="card" p="md" gap="sm" m={0} align="end">
    <legend>How often</legend>
    <NativeSelect
      label="It concerns"
      data={COUNTING}
      value={draft.counting}
      onChange={({ currentTarget: { value } }) => onChange({ counting: value as Counting })}
    />
    {draft.counting === 'every' && (
      <NumberInput
        label="One in"
        required
        min={1}
        allowDecimal={false}
        value={draft.every}
        onChange={(value) => onChange({ every: String(value) })}
      />
    )}
    {draft.counting === 'on' && (
      <TextInput
        label="Numbers"
        placeholder="1, 3"
        required
        pattern="\s*\d+(\s*,\s*\d+)*\s*"
        value={draft.on}
        onChange={({ currentTarget: { value } }) => onChange({ on: value })}
      />
    )}
    <NumberInput
      label="Times at most"
      placeholder="no limit"
      min={1}
      allowDecimal={false}
      value={draft.times}
      onChange={(value) => onChange({ times: String(value) })}
    />
  </Group>
)

interface ParameterFieldsProps {
  readonly fault: Fault
  readonly values: Readonly<Record<string, string>>
  readonly onChange: (values: Readonly<Record<string, string>>) => void
}

function ParameterFields({ fault: { parameters }, values, onChange }: ParameterFieldsProps) {
  const entries = Object.entries(parameters)
  if (entries.length === 0) return null
  return (
    <Group component="fieldset" className="card" p="md" gap="sm" m={0}>
      <legend>How</legend>
      {entries.map(([name, parameter]) => (
        <ParameterField
          key={name}
          name={name}
          parameter={parameter}
          value={values[name] ?? String(parameter.default)}
          onChange={(value) => onChange({ ...values, [name]: value })}
        />
      ))}
    </Group>
  )
}

interface ParameterFieldProps {
  readonly name: string
  readonly parameter: FaultParameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ name, parameter, value, onChange }: ParameterFieldProps) {
  const shared = { label: name, description: parameter.what, flex: '1 1 200px', value }
  if (parameter.type === 'code') {
    return (
      <NativeSelect
        {...shared}
        data={[...parameter.values]}
        onChange={({ currentTarget: { value: chosen } }) => onChange(chosen)}
      />
    )
  }
  return (
    <NumberInput
      {...shared}
      required
      min={parameter.least}
      max={parameter.most}
      allowDecimal={false}
      onChange={(number) => onChange(String(number))}
    />
  )
}

function draftOf(rule: FaultRule | undefined): Draft {
  const { when = {}, on, every, times, with: parameters = {} } = rule ?? {}
  return {
    when,
    counting: on !== undefined ? 'on' : every !== undefined ? 'every' : 'each',
    every: String(every ?? ''),
    on: (on ?? []).join(', '),
    times: String(times ?? ''),
    with: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, String(value)])),
  }
}

function settingOf({ name, parameters }: Fault, draft: Draft): FaultSetting {
  const when = given(draft.when)
  const texts = Object.entries(given(draft.with))
  return {
    fault: name,
    ...(Object.keys(when).length === 0 ? {} : { when }),
    ...(draft.counting === 'every' ? { every: Number(draft.every) } : {}),
    ...(draft.counting === 'on' ? { on: draft.on.split(',').map(Number) } : {}),
    ...(draft.times === '' ? {} : { times: Number(draft.times) }),
    ...(texts.length === 0
      ? {}
      : { with: Object.fromEntries(texts.map(([key, text]) => [key, typed(text, parameters[key])])) }),
  }
}

const given = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''))

const typed = (text: string, parameter: FaultParameter | undefined): string | number =>
  parameter?.type === 'integer' ? Number(text) : text
