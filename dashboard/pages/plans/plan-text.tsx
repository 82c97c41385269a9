/** The text of a plan, with a list of the words and names that may stand at the cursor. */
import { Text } from '@mantine/core'
import { type CSSProperties, type RefObject, useId } from 'react'
import {
  completionAttributes,
  SuggestionList,
  textareaSurface,
  useCompletion,
} from '../../parts/json-editor/completion.tsx'
import classes from './plans.module.css'
import { type Known, namesIn, suggestionsAt } from './suggestions.ts'

interface PlanTextProps {
  readonly value: string
  readonly known: Known
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onChange: (text: string) => void
}

export function PlanText({ value, known, field, onChange }: PlanTextProps) {
  const id = useId()
  const completion = useCompletion(
    () => textareaSurface(field, placeOf),
    (place) => suggestionsAt(place, known, namesIn(field.current?.value ?? '')),
  )
  return (
    <div className={classes.editor}>
      <textarea
        ref={field}
        className={classes.text}
        aria-label="The plan as JSON"
        aria-describedby={`${id}-keys`}
        {...completionAttributes(completion)}
        spellCheck={false}
        wrap="off"
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value)
          void completion.offer(false)
        }}
        onKeyDown={completion.onKey}
        onClick={completion.close}
        onBlur={completion.close}
        onScroll={completion.close}
      />
      <SuggestionList completion={completion} />
      <Text id={`${id}-keys`} size="xs" c="dimmed">
        Words and names are offered as you write, and by Ctrl and Space: the arrows choose, Enter takes one, Esc closes.
      </Text>
    </div>
  )
}

/** Pixels: the height of a line, as plans.module.css has it. */
const LINE = 20

/**
 * Below the cursor, or above it in the lower half of the text: all letters are of one width and all lines of one height, as
 * plans.module.css has them.
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
