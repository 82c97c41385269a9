/** The requests that the console keeps: to send one again, or to save the one that is typed under a name. */
import { Badge, Button, Group, Modal, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { timeText } from '../../fhir/time.ts'
import { useZone } from '../../parts/times.tsx'
import classes from './explorer.module.css'
import type { KeptRequest } from './kept-requests.ts'
import type { TypedRequest } from './request-text.ts'
import type { useKeptRequests } from './use-kept-requests.ts'

interface KeptDialogProps {
  readonly isOpen: boolean
  readonly kept: ReturnType<typeof useKeptRequests>
  /** The request that is typed. */
  readonly request: TypedRequest
  readonly onChoose: (request: TypedRequest) => void
  readonly onClose: () => void
}

export const KeptDialog = ({ isOpen, kept, request, onChoose, onClose }: KeptDialogProps) => (
  <Modal opened={isOpen} onClose={onClose} title="Requests of this browser" size="lg">
    <Stack>
      <SaveForm request={request} onSave={kept.save} />
      <Title order={3} size="h6">
        Saved for this clinic
      </Title>
      {kept.saved.length === 0 && <Hint>No request is saved in this browser.</Hint>}
      {kept.saved.map((one) => (
        <Row key={one.name} request={one} onChoose={onChoose}>
          <Button size="compact-xs" variant="default" onClick={() => kept.remove(one.name)}>
            Remove {one.name}
          </Button>
        </Row>
      ))}
      <Group justify="space-between">
        <Title order={3} size="h6">
          History
        </Title>
        {kept.sent.length > 0 && (
          <Button size="compact-xs" variant="default" onClick={kept.clear}>
            Clear the history
          </Button>
        )}
      </Group>
      <Hint>
        The last 50 requests that you have sent from this browser. Tokens and responses are not kept; a body of a
        resource is, so clear the history where others use this browser.
      </Hint>
      <Stack gap={0}>
        {kept.sent.map((one) => (
          <Row key={`${one.at} ${one.method} ${one.path}`} request={one} onChoose={onChoose} />
        ))}
      </Stack>
    </Stack>
  </Modal>
)

const Hint = ({ children }: { readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

function SaveForm({
  request,
  onSave,
}: Pick<KeptDialogProps, 'request'> & { readonly onSave: (one: KeptRequest) => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    onSave({ ...request, name: name.trim() })
    setName('')
  }
  return (
    <form onSubmit={submit} aria-label="Save the request">
      <Group align="end" gap="xs">
        <TextInput
          label="Save the request that is typed under the name"
          flex="1 1 200px"
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name.trim() === ''}>
          Save
        </Button>
      </Group>
    </form>
  )
}

interface RowProps {
  readonly request: KeptRequest
  readonly onChoose: (request: TypedRequest) => void
  readonly children?: ReactNode
}

function Row({ request, onChoose, children }: RowProps) {
  const { name, method, path, status, at, format } = request
  const zone = useZone()
  return (
    <Group gap="xs" wrap="nowrap" className={classes.kept}>
      <UnstyledButton flex={1} miw={0} onClick={() => onChoose(request)}>
        {name !== undefined && (
          <Text size="sm" fw={600} className="cut">
            <bdi>{name}</bdi>
          </Text>
        )}
        <Text size="sm" className="mono cut">
          {method} {path}
        </Text>
        <Text size="xs" c="dimmed">
          {[at === undefined ? '' : timeText(at, zone), format === 'xml' ? 'XML' : ''].filter(Boolean).join(' · ')}
        </Text>
      </UnstyledButton>
      {status !== undefined && <Badge variant="default">{status === 0 ? 'no response' : status}</Badge>}
      {children}
    </Group>
  )
}
