/** Completes a Task with its outcome. */
import { Button, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import type { Task } from 'fhir/r4'
import { useState } from 'react'
import { codeOf } from '../../fhir/work.ts'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useTaskActions } from './task-actions.ts'

/** The codes of CodeSystem/task-outcome. */
const OUTCOMES = [
  { code: 'done', text: 'Done' },
  { code: 'no-answer', text: 'The patient was not reached' },
  { code: 'not-needed', text: 'Not needed any more' },
  { code: 'refused', text: 'The patient did not want it' },
]
const OTHER = 'other'

export function CompleteForm({ task, onDone }: { readonly task: Task; readonly onDone: () => void }) {
  const [chosen, setChosen] = useState('done')
  const [words, setWords] = useState('')
  const [note, setNote] = useState('')
  const { complete, restore } = useTaskActions()
  // A refused offer is made to the next entry at once.
  const goesOn = chosen === 'refused' && codeOf(task) === 'waitlist-offer'
  const { error, isBusy, submit } = useSubmit(async () => {
    const text = chosen === OTHER ? words.trim() : (OUTCOMES.find(({ code }) => code === chosen)?.text ?? chosen)
    const after = await complete(task.id ?? '', { code: chosen === OTHER ? '' : chosen, text, note: note.trim() })
    onDone()
    if (!goesOn) offerUndo('The task is completed.', { things: [`Task/${task.id}`], undo: () => restore(after) })
  })
  const { question } = useUnsaved(`${words}${note}`.trim() !== '' && !isBusy, { leftBy: ({ task }) => task })
  return (
    <form onSubmit={submit} aria-label="Complete the task">
      <Stack gap="sm" className="card" p="sm">
        <Radio.Group label="Outcome" value={chosen} onChange={setChosen}>
          <Stack gap={6} mt={6}>
            {OUTCOMES.map(({ code, text }) => (
              <Radio key={code} value={code} label={text} />
            ))}
            <Radio value={OTHER} label="Something else" />
          </Stack>
        </Radio.Group>
        {chosen === OTHER && (
          <TextInput
            label="Outcome in words"
            required
            value={words}
            onChange={({ currentTarget: { value } }) => setWords(value)}
          />
        )}
        <Textarea
          label="Note"
          description={goesOn ? 'The slot is offered to the next one at once; this cannot be taken back.' : undefined}
          autosize
          minRows={2}
          maxLength={10_000}
          value={note}
          onChange={({ currentTarget: { value } }) => setNote(value)}
        />
        <FormError text={error} />
        {question}
        <Button type="submit" loading={isBusy} w="fit-content">
          Complete
        </Button>
      </Stack>
    </form>
  )
}
