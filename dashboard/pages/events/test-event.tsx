/** The dialog that makes a test event, about a resource of the kind that the Subscription is about. */
import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Bundle, Subscription } from 'fhir/r4'
import { useState } from 'react'
import { get } from '../../api/client.ts'
import { SENT, sendTestEvent } from '../../api/subscriptions.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { isToTopic, topicOf } from '../../fhir/subscriptions.ts'
import type { Topic } from '../../fhir/topics.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'

interface TestEventProps {
  readonly subscription: Subscription
  readonly known: readonly Topic[] | undefined
  readonly onClose: () => void
}

export function TestEvent({ subscription, known, onClose }: TestEventProps) {
  const { id: clinic } = useClinic()
  const client = useQueryClient()
  const search = searchOf(subscription, known)
  const { data: newest = '' } = useQuery({
    queryKey: ['focus of a test event', search],
    queryFn: ({ signal }) => newestOf(search ?? '', signal),
    enabled: search !== undefined,
  })
  const [typed, setTyped] = useState<string>()
  const focus = typed ?? newest
  const { error, isBusy, submit } = useSubmit(async () => {
    const { events } = await sendTestEvent(clinic, subscription.id ?? '', focus.trim())
    await client.invalidateQueries({ queryKey: [SENT] })
    notifications.show({ message: `The test event is on its way, as number ${events}.` })
    onClose()
  })
  return (
    <Modal opened onClose={onClose} title="Send a test event">
      <form onSubmit={submit} aria-label="Send a test event">
        <Stack>
          <Text size="sm">The receiver is told of the resource as if it had just been changed.</Text>
          <TextInput
            label="Resource"
            description="Type and id; at first the newest one that would be an event"
            required
            data-autofocus
            value={focus}
            onChange={({ currentTarget: { value } }) => setTyped(value)}
          />
          <FormError text={error} />
          <Button type="submit" loading={isBusy}>
            Send it
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

/** The search whose newest match is offered; undefined where its topic is not known. */
const searchOf = (subscription: Subscription, known: readonly Topic[] | undefined): string | undefined =>
  isToTopic(subscription) ? topicOf(subscription, known)?.types[0] : subscription.criteria

/** `Patient/1`; '' where there is none. */
async function newestOf(search: string, signal: AbortSignal): Promise<string> {
  const path = `${search}${search.includes('?') ? '&' : '?'}_sort=-_lastUpdated&_count=1&_elements=id`
  const [found] = matchesIn(await get<Bundle>(path, signal))
  return found === undefined ? '' : `${found.resourceType}/${found.id}`
}
