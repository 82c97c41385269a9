/** The comments on a Task, and a form for a new one. */
import { Button, Stack, Text, Textarea, Title } from '@mantine/core'
import type { Annotation, Task } from 'fhir/r4'
import { useState } from 'react'
import { referenceText } from '../../fhir/names.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useTaskActions } from './task-actions.ts'

export function Comments({ task }: { readonly task: Task }) {
  const user = useUser()
  const [text, setText] = useState('')
  const { comment } = useTaskActions()
  const { error, isBusy, submit } = useSubmit(async () => {
    await comment(task, text.trim(), user)
    setText('')
  })
  const { question } = useUnsaved(text.trim() !== '' && !isBusy, { leftBy: ({ task }) => task })
  return (
    <Stack gap="xs" component="section" aria-label="Comments">
      <Title order={3} size="h6">
        Comments
      </Title>
      {(task.note ?? []).map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: comments are added at the end only
        <div key={index}>
          <Text size="xs" c="dimmed">
            <bdi>{authorOf(note)}</bdi> <Time at={note.time} />
          </Text>
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            <bdi>{note.text}</bdi>
          </Text>
        </div>
      ))}
      <form onSubmit={submit}>
        <Stack gap="xs">
          <Textarea
            label="Comment"
            placeholder="What colleagues should know"
            required
            autosize
            minRows={2}
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
          <FormError text={error} />
          {question}
          <Button type="submit" variant="default" w="fit-content" loading={isBusy} disabled={text.trim() === ''}>
            Comment
          </Button>
        </Stack>
      </form>
    </Stack>
  )
}

const authorOf = ({ authorString, authorReference }: Annotation): string =>
  authorString ?? referenceText(authorReference)
