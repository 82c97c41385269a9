/** The list of what may stand at the cursor of a text: when it opens, what is chosen of it, and taking that. */
import { type CSSProperties, type RefObject, useId, useRef, useState } from 'react'
import classes from './completion.module.css'
import { accepting, type Change, type Place, placeIn } from './json-place.ts'
import type { Suggestion } from './suggestion.ts'

/** A text that is being written. */
export interface TextSurface {
  readonly text: string
  readonly cursor: number
  /** Changes the text so that the user can undo it; the cursor stands behind the change. */
  readonly replace: (change: Change) => void
  /** The place of a list below the cursor. */
  readonly placeOf: (cursor: number) => CSSProperties
}

/** @param text up to the cursor */
export type Suggest = (place: Place, text: string) => readonly Suggestion[] | Promise<readonly Suggestion[]>

interface Open {
  readonly place: Place
  readonly suggestions: readonly Suggestion[]
  readonly chosen: number
  readonly cursor: number
}

interface Key {
  readonly key: string
  readonly ctrlKey: boolean
  readonly preventDefault: () => void
}

export function useCompletion(surface: () => TextSurface | undefined, suggest: Suggest) {
  const id = useId()
  const [open, setOpen] = useState<Open>()
  /** The latest question; responses to earlier ones come too late. */
  const latest = useRef(0)
  const close = () => {
    latest.current += 1
    setOpen(undefined)
  }
  /** @param isAsked by a key; otherwise it opens only where something is written already */
  const offer = async (isAsked: boolean): Promise<void> => {
    latest.current += 1
    const mine = latest.current
    const { text = '', cursor = 0 } = surface() ?? {}
    const place = placeIn(text, cursor)
    if (place === undefined || !(isAsked || place.word !== '')) return setOpen(undefined)
    const before = text.slice(0, cursor)
    // Where the server is away nothing is offered.
    const suggestions = await Promise.resolve(suggest(place, before)).catch(() => [])
    if (mine === latest.current) setOpen(suggestions.length > 0 ? { place, suggestions, chosen: 0, cursor } : undefined)
  }
  const accept = ({ place, cursor }: Open, { text }: Suggestion): void => {
    const current = surface()
    close()
    current?.replace(accepting(current.text, cursor, place, text))
  }
  /** @returns whether the key was for the list */
  const onKey = (event: Key): boolean => {
    const action = actionOf(event)
    if (action === undefined) return false
    event.preventDefault()
    action()
    return true
  }
  const actionOf = ({ key, ctrlKey }: Key): (() => void) | undefined => {
    if (key === ' ' && ctrlKey) return () => void offer(true)
    if (open === undefined || ctrlKey) return undefined
    const last = open.suggestions.length - 1
    const choose = (chosen: number) => setOpen({ ...open, chosen: chosen < 0 ? last : chosen > last ? 0 : chosen })
    const chosen = open.suggestions[open.chosen]
    return {
      ArrowDown: () => choose(open.chosen + 1),
      ArrowUp: () => choose(open.chosen - 1),
      Enter: () => chosen && accept(open, chosen),
      Escape: close,
    }[key]
  }
  return { id, open, close, offer, accept, onKey, surface }
}

type Completion = ReturnType<typeof useCompletion>

const listId = (id: string): string => `${id}-list`
const optionId = (id: string, index: number): string => `${id}-${index}`

/** The attributes by which a text names the list and what is chosen of it. */
export const completionAttributes = ({ id, open }: Completion) => ({
  'aria-autocomplete': 'list' as const,
  'aria-controls': open === undefined ? undefined : listId(id),
  'aria-activedescendant': open === undefined ? undefined : optionId(id, open.chosen),
})

/** Suggestions that are shown at once: a window on the list that moves with the one that is chosen. */
const SHOWN = 8

export function SuggestionList({ completion }: { readonly completion: Completion }) {
  const { id, open, accept, surface } = completion
  if (open === undefined) return null
  const { suggestions, chosen, cursor } = open
  const first = Math.max(0, chosen - SHOWN + 1)
  return (
    <div
      id={listId(id)}
      role="listbox"
      aria-label="What may stand here"
      className={`options ${classes.suggestions}`}
      style={surface()?.placeOf(cursor)}
    >
      {suggestions.slice(first, first + SHOWN).map((suggestion, offset) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the text has it
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the text takes it
        <div
          key={optionId(id, first + offset)}
          id={optionId(id, first + offset)}
          role="option"
          aria-selected={first + offset === chosen}
          aria-setsize={suggestions.length}
          aria-posinset={first + offset + 1}
          className="option"
          // Keeps the focus in the text.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => accept(open, suggestion)}
        >
          <span className="mono">{suggestion.text}</span>
          {suggestion.hint !== undefined && <span className={classes.hint}>{suggestion.hint}</span>}
        </div>
      ))}
    </div>
  )
}

/** The surface of a field of the browser. */
export function textareaSurface(
  field: RefObject<HTMLTextAreaElement | null>,
  placeOf: (cursor: number, field: HTMLTextAreaElement) => CSSProperties,
): TextSurface | undefined {
  const textarea = field.current
  if (textarea === null) return undefined
  return {
    text: textarea.value,
    cursor: textarea.selectionStart,
    placeOf: (cursor) => placeOf(cursor, textarea),
    replace: ({ from, to, insert }) => {
      textarea.focus()
      textarea.setSelectionRange(from, to)
      // The one way to change a text so that the browser can undo it.
      document.execCommand('insertText', false, insert)
    },
  }
}
