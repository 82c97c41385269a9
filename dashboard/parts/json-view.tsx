/** A text that may be JSON: as a tree with colours, folding and links, or as it is. Long ones are drawn in part. */
import { Box, SegmentedControl } from '@mantine/core'
import { useMemo, useState } from 'react'
import { prettyJson, treeIn } from '../fhir/json-text.ts'
import { ResourceTree } from './resource-tree.tsx'
import { useGo } from './use-go.ts'

const FORMS = [
  { value: 'tree', label: 'Tree' },
  { value: 'text', label: 'Text' },
]

/** Most characters of text that are drawn. */
const MOST_TEXT = 200_000

interface JsonViewProps {
  readonly text: string
  /** Name of the choice between tree and text. */
  readonly label: string
}

export function JsonView({ text, label }: JsonViewProps) {
  const [form, setForm] = useState('tree')
  const go = useGo()
  const value = useMemo(() => treeIn(text), [text])
  if (value === undefined) return <PlainText text={text} />
  return (
    <>
      <SegmentedControl aria-label={label} size="xs" data={FORMS} value={form} onChange={setForm} mb="xs" />
      {form === 'tree' ? (
        <Box mah={480} style={{ overflow: 'auto' }} tabIndex={0} role="group" aria-label={label}>
          <ResourceTree value={value} onOpen={(path) => go('/explorer', { path })} />
        </Box>
      ) : (
        <PlainText text={prettyJson(text)} />
      )}
    </>
  )
}

const PlainText = ({ text }: { readonly text: string }) => (
  <Box
    component="pre"
    className="mono"
    m={0}
    mah={480}
    style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
    tabIndex={0}
  >
    {text.slice(0, MOST_TEXT)}
    {text.length > MOST_TEXT && `\n${text.length - MOST_TEXT} characters more are not shown.`}
  </Box>
)
