/**
 * One request of the telephone: a tool, its arguments as the caller says them, and as many calls of it as a batch has.
 */
import { Button, Code, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { curlOf } from '../../api/curl.ts'
import { errorText } from '../../api/problem.ts'
import { envelopeOf, headersOf, type Line, resultsIn, sendOnCall, type Tool } from '../../api/tools.ts'
import { CopyButton } from '../../parts/copy.tsx'
import { ErrorView } from '../../parts/page-states.tsx'

interface ToolFormProps {
  readonly families: readonly { readonly name: string; readonly tools: readonly Tool[] }[]
  /** The name of the tool as `tool`, and arguments by theirs. */
  readonly first: Readonly<Record<string, string | undefined>>
  readonly line: Line
  readonly onCall: (call: string) => void
}

export function ToolForm({ families, first, line, onCall }: ToolFormProps) {
  const tools = families.flatMap((family) => family.tools)
  const [name, setName] = useState(first.tool)
  const tool = tools.find((one) => one.name === name) ?? tools[0]
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Tool"
        description={tool?.description}
        inputWrapperOrder={['label', 'input', 'description']}
        data={families.map((family) => ({ group: family.name, items: family.tools.map((one) => one.name) }))}
        value={tool?.name ?? ''}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {tool !== undefined && <Arguments key={tool.name} tool={tool} first={first} line={line} onCall={onCall} />}
    </Stack>
  )
}

function Arguments({ tool, first, line, onCall }: { readonly tool: Tool } & Omit<ToolFormProps, 'families'>) {
  const [values, setValues] = useState(() => filledIn(tool, first))
  const [json, setJson] = useState<string>()
  const [batch, setBatch] = useState<readonly object[]>([])
  const { args, error } = argumentsOf(tool, values, json)
  const body = envelopeOf(args === undefined ? batch : [...batch, args])
  const sent = useMutation({
    mutationFn: () => sendOnCall(line, tool.path, body),
    onSuccess: () => {
      setBatch([])
      onCall(line.callId)
    },
  })
  const request = {
    method: 'POST',
    path: tool.path,
    body,
    headers: { ...headersOf(line), 'content-type': 'application/json' },
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        sent.mutate()
      }}
    >
      <Stack gap="sm">
        {json === undefined ? (
          Object.entries(tool.parameters.properties).map(([argument, { type, description }]) => (
            <TextInput
              key={argument}
              label={argument}
              description={description}
              inputWrapperOrder={['label', 'input', 'description']}
              placeholder={type === 'string' ? 'as the caller says it' : type}
              withAsterisk={tool.parameters.required.includes(argument)}
              value={values[argument] ?? ''}
              onChange={(event) => {
                const { value } = event.currentTarget
                setValues((before) => ({ ...before, [argument]: value }))
              }}
            />
          ))
        ) : (
          <Textarea
            label="Arguments as JSON"
            className="mono"
            autosize
            minRows={4}
            value={json}
            error={error}
            onChange={(event) => setJson(event.currentTarget.value)}
          />
        )}
        <Group gap="sm">
          <Button type="submit" loading={sent.isPending} disabled={args === undefined}>
            {batch.length === 0 ? 'Call the tool' : `Call it ${batch.length + 1} times in one request`}
          </Button>
          <Button
            variant="default"
            disabled={args === undefined}
            onClick={() => args !== undefined && setBatch((before) => [...before, args])}
          >
            Add to a batch
          </Button>
          <Button
            variant="subtle"
            onClick={() =>
              setJson((before) => (before === undefined ? JSON.stringify(args ?? {}, undefined, 2) : undefined))
            }
          >
            {json === undefined ? 'Write JSON' : 'Fill in fields'}
          </Button>
          <CopyButton text={curlOf(request)} label="Copy as curl" said="The curl is copied, with the secret in it." />
        </Group>
        {sent.error && <ErrorView error={sent.error} />}
        {sent.data !== undefined && <Answer text={sent.data.text} results={resultsIn(sent.data.body)} />}
      </Stack>
    </form>
  )
}

const filledIn = (tool: Tool, first: ToolFormProps['first']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(tool.parameters.properties).map((name) => [name, first[name] ?? '']))

function argumentsOf(tool: Tool, values: Readonly<Record<string, string>>, json: string | undefined) {
  if (json !== undefined) {
    try {
      return { args: JSON.parse(json) as object }
    } catch (problem) {
      return { error: errorText(problem) }
    }
  }
  const given = Object.entries(values).filter(([, value]) => value !== '')
  return { args: Object.fromEntries(given.map(([name, value]) => [name, typed(tool, name, value)])) }
}

/** The value in the type of its argument; otherwise the text itself, as agents send it too. */
function typed(tool: Tool, name: string, value: string): unknown {
  const type = tool.parameters.properties[name]?.type
  if (type === 'boolean' && /^(true|false)$/.test(value)) return value === 'true'
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(value)) return Number(value)
  return value
}

interface AnswerProps {
  readonly text: string
  readonly results: readonly Readonly<Record<string, unknown>>[]
}

const Answer = ({ text, results }: AnswerProps) => (
  <Stack gap="xs" role="status">
    {results.map((result, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they do not move
      <div key={index}>
        {typeof result.say === 'string' && <Text size="sm">“{result.say}”</Text>}
        <Code block style={{ whiteSpace: 'pre-wrap' }} mah={320} tabIndex={0}>
          {JSON.stringify(result, undefined, 2)}
        </Code>
      </div>
    ))}
    <details>
      <summary>The whole response</summary>
      <Code block style={{ whiteSpace: 'pre-wrap' }} tabIndex={0}>
        {text}
      </Code>
    </details>
  </Stack>
)
