/** The form for a new Subscription: to a topic, or by criteria of R4. docs/subscriptions.md */
import { Button, Group, Modal, NativeSelect, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { createWithId, newId } from '../../api/operations.ts'
import { CONTENTS, subscriptionFrom } from '../../fhir/subscriptions.ts'
import { wallTime } from '../../fhir/time.ts'
import type { Topic } from '../../fhir/topics.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsavedNew } from '../../parts/unsaved.tsx'
import { useTyped } from '../../parts/use-typed.ts'
import { LimitFields } from './limit-fields.tsx'

interface NewSubscriptionProps {
  readonly known: readonly Topic[]
  readonly onClose: () => void
  readonly onCreated: (id: string) => void
}

const FIRST = {
  ...{
    kind: 'topic',
    topic: '',
    filters: '',
    criteria: '',
    channel: 'rest-hook',
    endpoint: '',
    headers: '',
    reason: '',
  },
  ...{ topicContent: 'id-only', criteriaContent: '' },
  ...{ end: '', heartbeat: '', timeout: '', maxCount: '' },
}

const CHANNELS = [
  { value: 'rest-hook', label: 'Requests to a web address (rest-hook)' },
  { value: 'email', label: 'E-mail' },
  { value: 'websocket', label: 'WebSocket' },
]

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

export function NewSubscription({ known, onClose, onCreated }: NewSubscriptionProps) {
  const client = useQueryClient()
  const { timeZone } = useClinic()
  const [id] = useState(newId)
  const { typed, set } = useTyped(FIRST)
  const isToTopic = typed.kind === 'topic'
  const topic = known.find(({ url }) => url === typed.topic) ?? known[0]
  const { error, isBusy, submit } = useSubmit(async () => {
    const content = isToTopic ? typed.topicContent : typed.criteriaContent
    const end = typed.end === '' ? '' : wallTime(`${typed.end}:00`, timeZone)
    await createWithId(subscriptionFrom({ ...typed, content, end, topic: topic?.url ?? '' }, id))
    await client.invalidateQueries({ queryKey: ['Subscription'] })
    onCreated(id)
  })
  const { filters, criteria, endpoint, headers, reason, end, heartbeat, timeout, maxCount } = typed
  const isChanged = [filters, criteria, endpoint, headers, reason, end, heartbeat, timeout, maxCount].some(Boolean)
  const { question, close } = useUnsavedNew(isChanged && !isBusy, onClose)
  return (
    <Modal opened onClose={close} title="New Subscription" size="lg">
      <form onSubmit={submit} aria-label="New Subscription">
        <Stack>
          <Radio.Group
            label="Events"
            value={typed.kind}
            onChange={(value) => set('kind')({ currentTarget: { value } })}
          >
            <Group mt="xs">
              <Radio value="topic" label="Of a topic" />
              <Radio value="criteria" label="By search criteria" />
            </Group>
          </Radio.Group>
          {isToTopic ? (
            <TopicFields known={known} topic={topic} typed={typed} set={set} />
          ) : (
            <TextInput
              label="Criteria"
              required
              placeholder="Observation?status=final"
              description="A search that the changed resource itself decides"
              value={typed.criteria}
              onChange={set('criteria')}
            />
          )}
          <ChannelFields typed={typed} set={set} />
          <LimitFields typed={typed} set={set} />
          <TextInput label="Reason" required maxLength={500} value={typed.reason} onChange={set('reason')} />
          <FormError text={error} />
          {question}
          <Button type="submit" loading={isBusy}>
            Subscribe
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

function filterText(topic: Topic | undefined): string {
  const ways = Object.entries(Object.groupBy(topic?.filters ?? [], ({ resource }) => resource)).map(
    ([type, filters = []]) => {
      const names = filters.map(({ parameter }) => parameter)
      return `${type}?${names[0]}=…, by ${names.join(', ')}`
    },
  )
  return ways.length === 0 ? 'This topic has none' : `One on a line, as ${ways.join('; or ')}. All must be met.`
}

type Form = Pick<ReturnType<typeof useTyped<typeof FIRST>>, 'typed' | 'set'>

interface TopicFieldsProps extends Form {
  readonly known: readonly Topic[]
  readonly topic: Topic | undefined
}

const TopicFields = ({ known, topic, typed, set }: TopicFieldsProps) => (
  <>
    <NativeSelect
      label="Topic"
      required
      data={known.map(({ url, title }) => ({ value: url, label: title }))}
      value={topic?.url ?? ''}
      description={topic?.description}
      onChange={set('topic')}
    />
    <Textarea
      label="Filters"
      description={filterText(topic)}
      autosize
      minRows={1}
      value={typed.filters}
      onChange={set('filters')}
    />
  </>
)

function ChannelFields({ typed, set }: Form) {
  const isToTopic = typed.kind === 'topic'
  return (
    <>
      <NativeSelect label="Channel" data={CHANNELS} value={typed.channel} onChange={set('channel')} />
      {typed.channel === 'rest-hook' && (
        <TextInput
          label="Endpoint"
          type="url"
          required
          placeholder="https://example.org/events"
          value={typed.endpoint}
          onChange={set('endpoint')}
        />
      )}
      {typed.channel === 'email' && (
        <TextInput label="E-mail address" type="email" required value={typed.endpoint} onChange={set('endpoint')} />
      )}
      <NativeSelect
        label="Content"
        data={optionsOf(isToTopic ? CONTENTS.topic : CONTENTS.criteria)}
        value={isToTopic ? typed.topicContent : typed.criteriaContent}
        onChange={set(isToTopic ? 'topicContent' : 'criteriaContent')}
      />
      {typed.channel === 'rest-hook' && (
        <Textarea
          label="Headers"
          description="One on a line, as Authorization: Bearer …; nobody reads their values afterwards"
          autosize
          minRows={1}
          spellCheck={false}
          value={typed.headers}
          onChange={set('headers')}
        />
      )}
    </>
  )
}
