/** The response to a request: its status, its headers, its body in several forms, and the actions it allows. */
import { Badge, Box, Group, List, SegmentedControl, Text } from '@mantine/core'
import type { Bundle, CapabilityStatement } from 'fhir/r4'
import { lazy, Suspense, useMemo } from 'react'
import { issuesIn } from '../../api/problem.ts'
import { prettyJson } from '../../fhir/json-text.ts'
import { isXml, prettyXml } from '../../fhir/xml-text.ts'
import { useMaybeClinic } from '../../parts/clinic-context.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loading } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { AnswerActions } from './answer-actions.tsx'
import { BodyText, BodyTree } from './answer-body.tsx'
import { useConsoleFilters } from './console-filters.ts'
import classes from './explorer.module.css'
import type { ConsoleAnswer } from './use-console.ts'

const BundleTable = lazy(async () => ({ default: (await import('./bundle-table.tsx')).BundleTable }))
const VersionChanges = lazy(async () => ({ default: (await import('./version-changes.tsx')).VersionChanges }))

interface AnswerProps {
  readonly answer: ConsoleAnswer
  readonly statement: CapabilityStatement
  readonly onOpen: (path: string) => void
  /** @param text of the resource @param address of it @param version that is edited */
  readonly onEdit: (text: string, address: string, version: string | undefined) => void
}

const LABELS = { tree: 'Tree', json: 'Text', table: 'Table', changes: 'Changes' } as const

type Form = keyof typeof LABELS

/** The forms that a response has; the tree comes first. */
function formsOf(answer: ConsoleAnswer): readonly Form[] {
  const { request } = answer
  const bundle = bundleIn(answer)
  const isHistory = bundle?.type === 'history' && /^\/*[A-Z]\w+\/[^/?]+\/_history/.test(request.path)
  return [
    'tree',
    'json',
    ...(bundle === undefined ? [] : (['table'] as const)),
    ...(isHistory ? (['changes'] as const) : []),
  ]
}

/** In JSON: the members of XML have no types, by which columns and changes go. */
function bundleIn({ body, text }: ConsoleAnswer): Bundle | undefined {
  const bundle = isXml(text) ? undefined : (body as Bundle | undefined)
  return bundle?.resourceType === 'Bundle' && Array.isArray(bundle.entry) ? bundle : undefined
}

export function Answer({ answer, statement, onOpen, onEdit }: AnswerProps) {
  const [filters, setFilters] = useConsoleFilters()
  const text = useMemo(() => prettyXml(prettyJson(answer.text)), [answer.text])
  const forms = formsOf(answer)
  const form = forms.find((one) => one === filters.form) ?? 'tree'
  return (
    <Panel
      title="Response"
      aside={
        <SegmentedControl
          aria-label="Form"
          size="xs"
          data={forms.map((value) => ({ value, label: LABELS[value] }))}
          value={form}
          onChange={(value) => setFilters({ form: value }, { replace: true })}
        />
      }
    >
      <Summary answer={answer} />
      <AnswerActions answer={answer} statement={statement} text={text} onOpen={onOpen} onEdit={onEdit}>
        <CopyButton text={text} label="Copy" said="The response is copied." />
      </AnswerActions>
      <Findings answer={answer} />
      <ResponseHeaders headers={answer.headers} />
      <Box mt="sm">
        <Suspense fallback={<Loading rows={4} />}>
          <Body form={form} answer={answer} text={text} statement={statement} onOpen={onOpen} />
        </Suspense>
      </Box>
    </Panel>
  )
}

interface BodyProps extends Pick<AnswerProps, 'answer' | 'statement' | 'onOpen'> {
  readonly form: Form
  readonly text: string
}

function Body({ form, answer, text, statement, onOpen }: BodyProps) {
  const bundle = bundleIn(answer)
  if (form === 'table' && bundle !== undefined)
    return <BundleTable bundle={bundle} statement={statement} onOpen={onOpen} />
  if (form === 'changes') return <VersionChanges text={answer.text} />
  return form === 'tree' ? <BodyTree answer={answer} shown={text} onOpen={onOpen} /> : <BodyText text={text} />
}

const Summary = ({ answer: { status, request, milliseconds, headers } }: Pick<AnswerProps, 'answer'>) => (
  <Group gap="xs" mb="sm">
    <Badge color={status >= 400 || status === 0 ? 'red' : 'cyan'} variant="filled">
      {status === 0 ? 'no response' : status}
    </Badge>
    <Text size="sm" c="dimmed" miw={0}>
      {request.method ?? 'GET'} {request.path} · {milliseconds} ms
    </Text>
    <InJournal exchange={headers.get('x-request-id')} />
  </Group>
)

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

function ResponseHeaders({ headers }: { readonly headers: Headers }) {
  const all = [...headers]
  if (all.length === 0) return null
  return (
    <details className={classes.headers}>
      <summary>{all.length} response headers</summary>
      <dl className="mono">
        {all.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

function Findings({ answer }: { readonly answer: ConsoleAnswer }) {
  const issues = issuesIn(answer.body) ?? []
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
