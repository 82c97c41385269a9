/** The response to a request: its status, its body as a tree or as text, and the actions it allows. */
import { Badge, Box, Button, Group, List, SegmentedControl, Text } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { type ReactNode, useMemo } from 'react'
import { issueOf, outcomeIn } from '../../api/problem.ts'
import { parseLossless, prettyJson } from '../../fhir/json-text.ts'
import { useMaybeClinic } from '../../parts/clinic-context.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ResourceTree } from '../../parts/resource-tree.tsx'
import { DeleteButton } from './delete-button.tsx'
import classes from './explorer.module.css'
import { isOffered } from './offers.ts'
import type { ConsoleAnswer } from './use-console.ts'

interface AnswerProps {
  readonly answer: ConsoleAnswer
  readonly statement: CapabilityStatement
  readonly onOpen: (path: string) => void
  /** @param text of the resource @param address of it @param version that is edited */
  readonly onEdit: (text: string, address: string, version: string | undefined) => void
}

/** Most characters of text that are drawn; the whole can be copied. */
const MOST_TEXT = 200_000

const FORMS = [
  { value: 'tree', label: 'Tree' },
  { value: 'json', label: 'JSON' },
]

export function Answer({ answer, statement, onOpen, onEdit }: AnswerProps) {
  const [{ form }, setFilters] = useFilters({
    view: 'console',
    method: 'GET',
    path: 'Patient?_count=20',
    open: '',
    form: 'tree',
  })
  const pretty = useMemo(() => prettyJson(answer.text), [answer.text])
  const { status, request, milliseconds, headers } = answer
  return (
    <Panel
      title="Response"
      aside={
        <SegmentedControl
          aria-label="Form"
          size="xs"
          data={FORMS}
          value={form}
          onChange={(value) => setFilters({ form: value }, { replace: true })}
        />
      }
    >
      <Group gap="xs" mb="sm">
        <Badge color={status >= 400 || status === 0 ? 'red' : 'cyan'} variant="filled">
          {status === 0 ? 'no response' : status}
        </Badge>
        <Text size="sm" c="dimmed">
          {request.method ?? 'GET'} {request.path} · {milliseconds} ms
        </Text>
        <InJournal exchange={headers.get('x-request-id')} />
      </Group>
      <Actions answer={answer} statement={statement} onOpen={onOpen} onEdit={() => editable(answer, pretty, onEdit)}>
        <CopyButton text={pretty} label="Copy" said="The response is copied." />
      </Actions>
      <Findings answer={answer} />
      <Box mt="sm">{form === 'tree' ? <Tree text={answer.text} onOpen={onOpen} /> : <JsonText text={pretty} />}</Box>
    </Panel>
  )
}

function InJournal({ exchange }: { readonly exchange: string | null }) {
  const clinic = useMaybeClinic()
  // Without a clinic, an operator has no page for exchanges that belong to none.
  if (exchange === null || clinic === undefined) return null
  return (
    <Text size="sm">
      <PageLink to={`/journal/${exchange}`}>in the journal</PageLink>
    </Text>
  )
}

interface Shown {
  readonly resourceType?: string
  readonly id?: string
  readonly meta?: { readonly versionId?: string }
}

function editable({ body }: ConsoleAnswer, pretty: string, onEdit: AnswerProps['onEdit']): void {
  const { resourceType, id, meta } = body as Shown
  onEdit(pretty, `${resourceType}/${id}`, meta?.versionId)
}

interface ActionsProps extends Pick<AnswerProps, 'answer' | 'statement' | 'onOpen'> {
  readonly onEdit: () => void
  readonly children: ReactNode
}

/** The actions on a resource that the CapabilityStatement declares. */
function Actions({ answer, statement, onOpen, onEdit, children }: ActionsProps) {
  const { resourceType: type, id, meta } = (answer.body ?? {}) as Shown
  const isResource = type !== undefined && id !== undefined && answer.status < 300 && isOf(answer.request, type, id)
  const may = (code: string): boolean => isResource && isOffered(statement, type, code)
  return (
    <Group gap="xs">
      {may('update') && (
        <Button size="xs" variant="default" onClick={onEdit}>
          Edit
        </Button>
      )}
      {may('history-instance') && (
        <Button size="xs" variant="default" onClick={() => onOpen(`${type}/${id}/_history`)}>
          History
        </Button>
      )}
      {may('delete') && meta?.versionId !== undefined && (
        <DeleteButton path={`${type}/${id}`} version={meta.versionId} onOpen={onOpen} />
      )}
      {children}
    </Group>
  )
}

/** Whether the request is about the resource itself: an operation, or `metadata`, may give one that is not stored. */
function isOf({ method = 'GET', path }: ConsoleAnswer['request'], type: string, id: string): boolean {
  const [address = ''] = path.split('?', 1)
  const current = address.replace(/\/_history\/[^/]+$/, '').replace(/\/+$/, '')
  const own = method === 'POST' ? type : `${type}/${id}`
  return current === own || current.endsWith(`/${own}`)
}

function Findings({ answer }: { readonly answer: ConsoleAnswer }) {
  const issues = outcomeIn(answer.body)?.issue.map(issueOf) ?? []
  if (issues.length === 0) return null
  return (
    <List size="sm" mt="sm" listStyleType="none">
      {issues.map(({ severity, text, expression }) => (
        <List.Item key={`${expression} ${text}`}>
          {severity !== undefined && (
            <Badge size="sm" variant="default" mr="xs">
              {severity}
            </Badge>
          )}
          {expression !== undefined && <span className="mono">{expression}: </span>}
          {text}
        </List.Item>
      ))}
    </List>
  )
}

function Tree({ text, onOpen }: { readonly text: string; readonly onOpen: AnswerProps['onOpen'] }) {
  const value = useMemo(() => treeOf(text), [text])
  return value === undefined ? <JsonText text={text} /> : <ResourceTree value={value} onOpen={onOpen} />
}

function treeOf(text: string): object | undefined {
  try {
    const value = parseLossless(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const JsonText = ({ text }: { readonly text: string }) => (
  <pre className={`${classes.text} mono`}>
    {text === '' ? 'The answer has no body.' : text.slice(0, MOST_TEXT)}
    {text.length > MOST_TEXT && `\n… and ${text.length - MOST_TEXT} characters more`}
  </pre>
)
