/** The body of a response as a tree or as text. */
import { useMemo } from 'react'
import { treeIn } from '../../fhir/json-text.ts'
import { isXml } from '../../fhir/xml-text.ts'
import { ResourceTree } from '../../parts/resource-tree.tsx'
import classes from './explorer.module.css'
import type { ConsoleAnswer } from './use-console.ts'

/** Most characters of text that are drawn; the whole can be copied. */
const MOST_TEXT = 200_000

interface BodyTreeProps {
  readonly answer: ConsoleAnswer
  /** The text where it is no resource. */
  readonly shown: string
  readonly onOpen: (path: string) => void
}

export function BodyTree({ answer: { text, body }, shown, onOpen }: BodyTreeProps) {
  // JSON is read again for its numbers as they were written.
  const value = useMemo(() => (isXml(text) ? (body as object | undefined) : treeIn(text)), [text, body])
  return value === undefined ? <BodyText text={shown} /> : <ResourceTree value={value} onOpen={onOpen} />
}

export const BodyText = ({ text }: { readonly text: string }) => (
  <pre className={`${classes.text} mono`}>
    {text === '' ? 'The response has no body.' : text.slice(0, MOST_TEXT)}
    {text.length > MOST_TEXT && `\n… and ${text.length - MOST_TEXT} characters more`}
  </pre>
)
