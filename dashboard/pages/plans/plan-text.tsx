/** The text of a plan, with a list of the words and names that may stand at the cursor. */
import { Text } from '@mantine/core'
import { type CSSProperties, type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { accepting, type Place, placeIn } from './json-place.ts'
import classes from './plans.module.css'
import { type Known, namesIn, type Suggestion, suggestionsAt } from './suggestions.ts'

interface PlanTextProps {
  readonly value: string
  readonly known: Known
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onChange: (text: string) => void
}

interface Open {
  readonly place: Place
  readonly suggestions: readonly Suggestion[]
  readonly chosen: number
  readonly cursor: number
}

/** The list at the cursor: when it opens, what is chosen of it, and taking that. */
function useCompletion(known: Known, field: PlanTextProps['field']) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  /** @param isAsked by a key; otherwise it opens only where something is written already */
  const offer = (isAsked: boolean) => {
    const { value: text = '', selectionStart: cursor = 0 } = field.current ?? {}
    const place = placeIn(text, cursor)
    const suggestions = place === undefined ? [] : suggestionsAt(place, known, namesIn(text))
    const isWanted = isAsked || (place !== undefined && place.word !== '')
    setOpen(
      place !== undefined && isWanted && suggestions.length > 0 ? { place, suggestions, chosen: 0, cursor } : undefined,
    )
  }
  const accept = ({ place, cursor }: Open, { text }: Suggestion) => {
    const textarea = field.current
    if (textarea === null) return
    const { from, to, insert } = accepting(textarea.value, cursor, place, text)
    textarea.focus()
    textarea.setSelectionRange(from, to)
    // The one way to change a text so that the browser can undo it.
    document.execCommand('insertText', false, insert)
    close()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault()
      offer(true)
      return
    }
    if (open === undefined) return
    const last = open.suggestions.length - 1
    const choose = (chosen: number) => setOpen({ ...open, chosen: chosen < 0 ? last : chosen > last ? 0 : chosen })
    const chosen = open.suggestions[open.chosen]
    const action = {
      ArrowDown: () => choose(open.chosen + 1),
      ArrowUp: () => choose(open.chosen - 1),
      Enter: () => chosen && accept(open, chosen),
      Escape: close,
    }[event.key]
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  return { open, close, offer, accept, onKeyDown }
}

export function PlanText({ value, known, field, onChange }: PlanTextProps) {
  const id = useId()
  const { open, close, offer, accept, onKeyDown } = useCompletion(known, field)
  const optionId = (index: number): string => `${id}-${index}`
  return (
    <div className={classes.editor}>
      <textarea
        ref={field}
        className={classes.text}
        aria-label="The plan as JSON"
        aria-describedby={`${id}-keys`}
        aria-autocomplete="list"
        aria-controls={open === undefined ? undefined : `${id}-list`}
        aria-activedescendant={open === undefined ? undefined : optionId(open.chosen)}
        spellCheck={false}
        wrap="off"
        value={value}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value)
          offer(false)
        }}
        onKeyDown={onKeyDown}
        onClick={close}
        onBlur={close}
        onScroll={close}
      />
      {open !== undefined && (
        <Suggestions
          open={open}
          field={field}
          listId={`${id}-list`}
          optionId={optionId}
          onTake={(suggestion) => accept(open, suggestion)}
        />
      )}
      <Text id={`${id}-keys`} size="xs" c="dimmed">
        Words and names are offered as you write, and by Ctrl and Space: the arrows choose, Enter takes one, Esc closes.
      </Text>
    </div>
  )
}

interface SuggestionsProps {
  readonly open: Open
  readonly field: PlanTextProps['field']
  readonly listId: string
  readonly optionId: (index: number) => string
  readonly onTake: (suggestion: Suggestion) => void
}

/** Pixels: the height of a line, as plans.module.css has it. */
const LINE = 20

/** Suggestions that are shown at once: a window on the list that moves with the one that is chosen. */
const SHOWN = 8

function Suggestions({ open, field, listId, optionId, onTake }: SuggestionsProps) {
  const { suggestions, chosen, cursor } = open
  const first = Math.max(0, chosen - SHOWN + 1)
  return (
    <div
      id={listId}
      role="listbox"
      aria-label="What may stand here"
      className={classes.suggestions}
      style={placeOf(cursor, field.current)}
    >
      {suggestions.slice(first, first + SHOWN).map((suggestion, offset) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the text has it
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the text takes it
        <div
          key={optionId(first + offset)}
          id={optionId(first + offset)}
          role="option"
          aria-selected={first + offset === chosen}
          aria-setsize={suggestions.length}
          aria-posinset={first + offset + 1}
          className={classes.suggestion}
          // Keeps the focus in the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onTake(suggestion)}
        >
          <span className="mono">{suggestion.text}</span>
          {suggestion.hint !== undefined && <span className={classes.hint}>{suggestion.hint}</span>}
        </div>
      ))}
    </div>
  )
}

/**
 * Below the cursor, or above it in the lower half of the text: all letters are of one width and all lines of one height, as
 * plans.module.css has them.
 */
function placeOf(cursor: number, textarea: HTMLTextAreaElement | null): CSSProperties {
  const before = (textarea?.value ?? '').slice(0, cursor).split('\n')
  const column = before.at(-1)?.length ?? 0
  const { scrollTop = 0, scrollLeft = 0, clientHeight = 0 } = textarea ?? {}
  const isLow = before.length * LINE - scrollTop > clientHeight / 2
  const line = isLow ? before.length - 1 : before.length
  return {
    top: `calc(${line * LINE - scrollTop}px + var(--inset))`,
    left: `max(0px, min(calc(${column}ch + var(--inset) - ${scrollLeft}px), 100% - 280px))`,
    ...(isLow ? { transform: 'translateY(-100%)' } : {}),
  }
}
