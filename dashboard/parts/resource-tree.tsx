/** A response as a collapsible tree, in which references to resources of the server are links. */
import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { numberText } from '../fhir/json-text.ts'
import { referenceParts } from '../fhir/names.ts'
import classes from './resource-tree.module.css'

interface TreeProps {
  readonly value: object
  /** Opens an address of the server. */
  readonly onOpen: (path: string) => void
}

/** Members of a list that are drawn at first; a button shows more. */
const AT_FIRST = 50
/** Levels that are open at first. */
const OPEN_LEVELS = 3

export const ResourceTree = ({ value, onOpen }: TreeProps) => <Members value={value} level={0} onOpen={onOpen} />

interface LevelProps extends TreeProps {
  readonly level: number
}

function Members({ value, level, onOpen }: LevelProps) {
  const [shown, setShown] = useState(AT_FIRST)
  const members = Object.entries(value)
  return (
    <ul className={`${classes.tree} mono`}>
      {members.slice(0, shown).map(([name, member]) => (
        <li key={name}>
          <Member name={Array.isArray(value) ? `[${name}]` : name} value={member} level={level} onOpen={onOpen} />
        </li>
      ))}
      {members.length > shown && (
        <li>
          <Button size="compact-xs" variant="default" onClick={() => setShown(shown + 10 * AT_FIRST)}>
            {members.length - shown} more
          </Button>
        </li>
      )}
    </ul>
  )
}

interface MemberProps extends Omit<LevelProps, 'value'> {
  readonly name: string
  readonly value: unknown
}

function Member({ name, value, level, onOpen }: MemberProps) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS)
  if (typeof value !== 'object' || value === null || numberText(value) !== undefined) {
    return (
      <>
        <span className={classes.key}>{name}</span>: <Leaf name={name} value={value} onOpen={onOpen} />
      </>
    )
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.key}>{name}</span> {summaryOf(value)}
      </summary>
      {isOpen && <Members value={value} level={level + 1} onOpen={onOpen} />}
    </details>
  )
}

function Leaf({
  name,
  value,
  onOpen,
}: {
  readonly name: string
  readonly value: unknown
  readonly onOpen: TreeProps['onOpen']
}) {
  const number = numberText(value)
  if (number !== undefined) return <span className="json-number">{number}</span>
  if (typeof value !== 'string') return <span className="json-word">{String(value)}</span>
  const path = addressIn(name, value)
  if (path === undefined) return <bdi className="json-string">{value}</bdi>
  return (
    <Anchor component="button" type="button" inherit ta="start" onClick={() => onOpen(path)}>
      {value}
    </Anchor>
  )
}

/** References within this server, and addresses of it such as those of `Bundle.link` and `fullUrl`. */
function addressIn(name: string, value: string): string | undefined {
  const here = new URL('..', document.baseURI).href
  if (value.startsWith(here)) return value.slice(here.length)
  return name === 'reference' && /^[A-Z]\w+\/[^/]+/.test(value) && referenceParts(value) !== undefined
    ? value
    : undefined
}

function summaryOf(value: object): string {
  if (Array.isArray(value)) return `[${value.length}]`
  const { resourceType, id, display, text, code } = value as Readonly<Record<string, unknown>>
  if (typeof resourceType === 'string') return typeof id === 'string' ? `${resourceType}/${id}` : resourceType
  const said = [display, text, code].find((one) => typeof one === 'string')
  return typeof said === 'string' ? said : ''
}
