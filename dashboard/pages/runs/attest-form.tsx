/** A person's word on a step: its sentence is true, or not. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { JudgedStep } from '../../api/rehearsal-answers.ts'
import { type RunAddress, useChangeRun } from '../../api/runs.ts'
import { FormError } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'

interface AttestProps {
  readonly step: JudgedStep
  readonly address: RunAddress
  /** The run is open, and the user may change it. */
  readonly mayAttest: boolean
}

export function Attest({ step, address, mayAttest }: AttestProps) {
  const { attest, attested } = step
  if (attest === undefined) return null
  return (
    <Stack gap="xs">
      <Text size="sm">
        To attest: <b>{attest}</b>
      </Text>
      {attested !== undefined && (
        <Text size="sm">
          <bdi>{attested.by}</bdi> says {attested.ok ? 'yes' : 'no'}
          {attested.note !== undefined && (
            <>
              : <bdi>{attested.note}</bdi>
            </>
          )}
        </Text>
      )}
      {mayAttest && <AttestForm step={step} address={address} />}
    </Stack>
  )
}

function AttestForm({ step: { id, title }, address }: Omit<AttestProps, 'mayAttest'>) {
  const [note, setNote] = useState('')
  const change = useChangeRun(address)
  const say = (ok: boolean) => {
    const word = { to: 'attest', step: id, ok, ...(note.trim() === '' ? {} : { note: note.trim() }) } as const
    change.mutate(word, { onSuccess: () => setNote('') })
  }
  const { question } = useUnsaved(note.trim() !== '' && !change.isPending, { leftBy: ({ tab }) => tab })
  return (
    <Stack gap="xs" role="group" aria-label={`Attest: ${title}`}>
      <Group gap="xs" align="end">
        <TextInput
          label="Note"
          size="xs"
          maxLength={1000}
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
        />
        <Button size="xs" variant="default" disabled={change.isPending} onClick={() => say(true)}>
          Yes
        </Button>
        <Button size="xs" variant="default" disabled={change.isPending} onClick={() => say(false)}>
          No
        </Button>
      </Group>
      <FormError text={change.error?.message} />
      {question}
    </Stack>
  )
}
