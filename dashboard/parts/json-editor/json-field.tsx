/** JSON that is written: a text field of the browser, with colours, findings at their place, and what may stand at the cursor. */
import { Button, Group, Input, List, Text } from '@mantine/core'
import { type CSSProperties, type KeyboardEvent, memo, type RefObject, useId, useMemo, useRef } from 'react'
import type { ProblemIssue } from '../../api/problem.ts'
import {
  completionAttributes,
  type Suggest,
  SuggestionList,
  type TextSurface,
  textareaSurface,
  useCompletion,
} from './completion.tsx'
import classes from './json-field.module.css'
import { coloured, type Range, rangesOf } from './json-tokens.ts'

interface JsonFieldProps {
  readonly label: string
  readonly value: string
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly suggest: Suggest
  readonly findings?: readonly ProblemIssue[]
  readonly onChange: (text: string) => void
}

const NONE: readonly ProblemIssue[] = []

/** Most characters that have colours. */
const MOST_COLOURED = 30_000

export function JsonField({ label, value, field, suggest, findings = NONE, onChange }: JsonFieldProps) {
  const id = useId()
  const colours = useRef<HTMLPreElement>(null)
  const completion = useCompletion(() => textareaSurface(field, placeOf), suggest)
  const ranges = useMemo(
    () =>
      rangesOf(
        value,
        findings.map(({ expression = '' }) => expression),
      ),
    [value, findings],
  )
  const isColoured = value.length <= MOST_COLOURED
  return (
    <div>
      <Input.Label htmlFor={id}>{label}</Input.Label>
      <div className={classes.editor}>
        {isColoured && (
          <pre ref={colours} className={classes.colours} aria-hidden="true">
            <Coloured text={value} marks={ranges} />
          </pre>
        )}
        <textarea
          id={id}
          ref={field}
          className={`${classes.text} ${isColoured ? classes.clear : ''}`}
          aria-describedby={`${id}-keys`}
          {...completionAttributes(completion)}
          spellCheck={false}
          wrap="off"
          style={{ height: (value.split('\n').length + 3) * LINE }}
          value={value}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value)
            void completion.offer(false)
          }}
          onKeyDown={(event) => completion.onKey(event) || indent(event, textareaSurface(field, placeOf))}
          onClick={completion.close}
          onBlur={completion.close}
          onScroll={({ currentTarget: { scrollTop, scrollLeft } }) => {
            completion.close()
            colours.current?.scrollTo(scrollLeft, scrollTop)
          }}
        />
        <SuggestionList completion={completion} />
      </div>
      <Text id={`${id}-keys`} size="xs" c="dimmed">
        Words are offered as you write, and by Ctrl and Space: the arrows choose, Enter takes one, Esc closes.
      </Text>
      <Findings findings={findings} onShow={(index) => showRange(field.current, ranges[index])} />
    </div>
  )
}

interface ColouredProps {
  readonly text: string
  readonly marks: readonly Range[]
}

/** Drawn anew only with the text: not with the list at the cursor, nor with another field of the form. */
const Coloured = memo(({ text, marks }: ColouredProps) => (
  <code>
    {coloured(text, marks).map(({ text: part, kind, isMarked }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other name, and those behind the cursor stay
      <span key={index} className={`${kind} ${isMarked ? classes.marked : ''}`}>
        {part}
      </span>
    ))}
    {/* A last line that is empty has a height only with something in it. */}
    {'\n'}
  </code>
))

/** A new line begins where the one before it does, and further in behind an opening bracket. */
function indent(event: KeyboardEvent<HTMLTextAreaElement>, surface: TextSurface | undefined): void {
  const { key, ctrlKey, metaKey, nativeEvent, currentTarget } = event
  if (key !== 'Enter' || ctrlKey || metaKey || nativeEvent.isComposing || surface === undefined) return
  event.preventDefault()
  const { text, cursor, replace } = surface
  const line = text.slice(text.lastIndexOf('\n', cursor - 1) + 1, cursor)
  const [before = ''] = /^ */.exec(line) ?? []
  const further = /[{[]\s*$/.test(line) ? '  ' : ''
  replace({ from: cursor, to: currentTarget.selectionEnd, insert: `\n${before}${further}` })
}

interface FindingsProps {
  readonly findings: readonly ProblemIssue[]
  readonly onShow: (index: number) => void
}

function Findings({ findings, onShow }: FindingsProps) {
  const placed = findings.flatMap(({ text, expression }, index) => (expression ? [{ text, expression, index }] : []))
  if (placed.length === 0) return null
  return (
    <List size="sm" listStyleType="none" mt="xs" spacing={4} aria-label="Findings in the body">
      {placed.map(({ text, expression, index }) => (
        <List.Item key={`${expression} ${text}`}>
          <Group gap="sm">
            <Text size="sm" flex="1 1 300px" miw={0}>
              <span className="mono">{expression}</span>: {text}
            </Text>
            <Button size="compact-sm" variant="default" onClick={() => onShow(index)}>
              Show it
            </Button>
          </Group>
        </List.Item>
      ))}
    </List>
  )
}

/** Chooses a part of the text, and brings it into sight. */
export function showRange(field: HTMLTextAreaElement | null, range: Range | undefined): void {
  if (field === null || range === undefined) return
  field.focus()
  field.setSelectionRange(range.from, range.to)
  const line = field.value.slice(0, range.from).split('\n').length
  field.scrollTop = Math.max(0, line * LINE - field.clientHeight / 2)
}

/** Pixels: the height of a line, as json-field.module.css has it. */
const LINE = 20

/**
 * Below the cursor, or above it in the lower half of the text: all letters are of one width and all lines of one height, as
 * json-field.module.css has them.
 */
function placeOf(cursor: number, { value, scrollTop, scrollLeft, clientHeight }: HTMLTextAreaElement): CSSProperties {
  const before = value.slice(0, cursor).split('\n')
  const column = before.at(-1)?.length ?? 0
  const isLow = before.length * LINE - scrollTop > clientHeight / 2
  const line = isLow ? before.length - 1 : before.length
  return {
    top: `calc(${line * LINE - scrollTop}px + var(--inset))`,
    left: `max(0px, min(calc(${column}ch + var(--inset) - ${scrollLeft}px), 100% - 280px))`,
    ...(isLow ? { transform: 'translateY(-100%)' } : {}),
  }
}
