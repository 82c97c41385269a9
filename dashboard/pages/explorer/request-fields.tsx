/** The fields of the console's request: its line, its headers and its body. */
import { Button, Group, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useRef } from 'react'
import type { ProblemIssue } from '../../api/problem.ts'
import type { Suggest } from '../../parts/json-editor/completion.tsx'
import { JsonField } from '../../parts/json-editor/json-field.tsx'
import { type Format, METHODS, type TypedRequest } from './request-text.ts'

interface RequestLineProps {
  readonly request: TypedRequest
  /** Whether the address is that of another server. */
  readonly isElsewhere: boolean
  readonly isBusy: boolean
  readonly onChange: (part: { readonly method?: string; readonly format?: Format }) => void
  readonly onPath: (path: string) => void
}

const FORMATS = [
  { value: 'json', label: 'JSON' },
  { value: 'xml', label: 'XML' },
]

const ELSEWHERE = 'This is the address of another server; the console sends requests to this one only.'

export const RequestLine = ({ request, isElsewhere, isBusy, onChange, onPath }: RequestLineProps) => (
  <Group gap="xs" align="end">
    <NativeSelect
      label="Method"
      data={METHODS}
      value={request.method}
      onChange={(event) => onChange({ method: event.currentTarget.value })}
    />
    <TextInput
      label="Address"
      flex="1 1 220px"
      value={request.path}
      spellCheck={false}
      classNames={{ input: 'mono' }}
      error={isElsewhere && ELSEWHERE}
      onChange={(event) => onPath(event.currentTarget.value)}
    />
    <NativeSelect
      label="Format"
      data={FORMATS}
      value={request.format}
      onChange={(event) => onChange({ format: event.currentTarget.value === 'xml' ? 'xml' : 'json' })}
    />
    <Button type="submit" loading={isBusy} disabled={isElsewhere} title="Ctrl Enter">
      Send
    </Button>
  </Group>
)

interface HeaderFieldProps {
  readonly value: string
  readonly onChange: (text: string) => void
}

export const HeaderField = ({ value, onChange }: HeaderFieldProps) => (
  <Textarea
    label="Request headers"
    placeholder={'One on a line: If-Match: W/"1"'}
    autosize
    minRows={1}
    spellCheck={false}
    classNames={{ input: 'mono' }}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
)

interface BodyFieldProps {
  readonly request: TypedRequest
  readonly findings: readonly ProblemIssue[]
  readonly onChange: (text: string) => void
  readonly onSend: (request: TypedRequest) => void
  /** Fills in a template of what the address takes. */
  readonly onFill: () => void
  readonly suggest: Suggest
}

export function BodyField({ request, findings, onChange, onSend, onFill, suggest }: BodyFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  return (
    <>
      {request.format === 'xml' ? (
        <Textarea
          label="Body"
          autosize
          minRows={8}
          maxRows={24}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={request.body}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      ) : (
        <JsonField
          label="Body"
          field={field}
          value={request.body}
          findings={findings}
          onChange={onChange}
          suggest={suggest}
        />
      )}
      <Group gap="xs">
        {request.format === 'json' && (
          <Button variant="default" size="xs" onClick={onFill}>
            Template
          </Button>
        )}
        <Button
          variant="default"
          size="xs"
          disabled={request.body === ''}
          onClick={() => onSend({ ...request, method: 'POST', path: `${typeIn(request.body)}/$validate`, headers: '' })}
        >
          Validate
        </Button>
      </Group>
    </>
  )
}

/** The type of the resource in the text of a body, which may not be complete. */
const typeIn = (body: string): string =>
  (/"resourceType"\s*:\s*"(\w+)"/.exec(body) ?? /^\s*(?:<\?[^>]*>\s*)?<(\w+)/.exec(body))?.[1] ?? 'Patient'
