/** Edits a plan as JSON: with completion, with what the server finds wrong as it is written, saved under any name. */
import { Alert, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import { objectionTo, useStorePlan } from '../../api/plans.ts'
import { errorText } from '../../api/problem.ts'
import type { Plan } from '../../api/rehearsal-answers.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { JsonField, showRange } from '../../parts/json-editor/json-field.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useGo } from '../../parts/use-go.ts'
import { DryRun } from './dry-run.tsx'
import { useKnown } from './known.ts'
import { namesIn, rangeOfStep, suggestionsAt } from './suggestions.ts'

interface PlanEditorProps {
  /** The plan that it begins with. */
  readonly plan: Plan
}

export function PlanEditor({ plan: { builtIn, ...plan } }: PlanEditorProps) {
  const { id } = useClinic()
  const go = useGo()
  const known = useKnown()
  const store = useStorePlan(id)
  const field = useRef<HTMLTextAreaElement>(null)
  const [first] = useState(() => `${JSON.stringify(plan, undefined, 2)}\n`)
  const [text, setText] = useState(first)
  const [name, setName] = useState(builtIn ? `my-${plan.plan}` : plan.plan)
  const { error, isBusy, submit } = useSubmit(async () => {
    await store.mutateAsync(named(text, name))
    notifications.show({ message: `The plan ${name.trim()} is saved.` })
    go(`/plans/${name.trim()}`)
  })
  const { question } = useUnsaved(text !== first && !isBusy, { leftBy: ({ tab }) => tab })
  return (
    <Stack>
      <form onSubmit={submit} aria-label="Plan">
        <Stack gap="sm">
          {question}
          <JsonField
            label="The plan as JSON"
            field={field}
            value={text}
            onChange={setText}
            suggest={(place) => suggestionsAt(place, known, namesIn(text))}
          />
          <Findings text={text} name={name} field={field} />
          <Group align="end" gap="sm">
            <TextInput
              label="Save under the name"
              required
              value={name}
              onChange={({ currentTarget: { value } }) => setName(value)}
            />
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </Group>
          {builtIn && (
            <Text size="sm" c="dimmed">
              The plan belongs to the server, so yours needs another name.
            </Text>
          )}
          <FormError text={error} />
        </Stack>
      </form>
      <Title order={2} size="h5">
        Dry run
      </Title>
      <DryRun plan={() => named(text, name)} />
    </Stack>
  )
}

/** The plan under the name that it is to have. @throws SyntaxError */
const named = (text: string, name: string): { readonly plan: string } => ({ ...JSON.parse(text), plan: name.trim() })

/** Milliseconds without a change after which the text is checked. */
const SETTLED = 500

interface FindingsProps {
  readonly text: string
  readonly name: string
  readonly field: RefObject<HTMLTextAreaElement | null>
}

function Findings({ text, name, field }: FindingsProps) {
  const { id } = useClinic()
  const [settled] = useDebouncedValue(text, SETTLED)
  const { data: found = '' } = useQuery({
    queryKey: ['plan-objection', id, settled, name],
    queryFn: async () => (await wrongIn(id, settled, name)) ?? '',
    placeholderData: (before) => before,
  })
  const range = rangeOf(settled, found)
  return (
    <div role="status">
      {found === '' ? (
        <Text size="sm" c="dimmed">
          The plan is right.
        </Text>
      ) : (
        <Alert color="red" variant="light" p="xs">
          <Group gap="sm">
            <Text size="sm" flex="1 1 300px">
              {found}
            </Text>
            {range !== undefined && (
              <Button size="compact-sm" variant="default" onClick={() => showRange(field.current, range)}>
                Show it
              </Button>
            )}
          </Group>
        </Alert>
      )}
    </div>
  )
}

async function wrongIn(clinic: string, text: string, name: string): Promise<string | undefined> {
  try {
    JSON.parse(text)
  } catch (error) {
    return `This is not JSON: ${errorText(error)}`
  }
  return objectionTo(clinic, named(text, name))
}

/** The part of the text that a finding is about: a step that it names, or a position of a syntax error. */
function rangeOf(text: string, finding: string): { readonly from: number; readonly to: number } | undefined {
  const [, step] = /step '([\w-]+)'/.exec(finding) ?? []
  if (step !== undefined) return rangeOfStep(text, step)
  const [, at] = /position (\d+)/.exec(finding) ?? []
  return at === undefined ? undefined : { from: Number(at), to: Number(at) + 1 }
}
