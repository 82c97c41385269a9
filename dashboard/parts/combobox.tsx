/**
 * A field with a list of options below it, of which one is taken (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The
 * option that is marked is known by its key: a list that is read anew meanwhile never puts another one in its place.
 */
import { TextInput, type TextInputProps } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import classes from './combobox.module.css'

export interface ComboboxOption {
  readonly key: string
  readonly text: string
  /** Stands there in place of the text. */
  readonly content?: ReactNode
}

type FieldProps = Pick<TextInputProps, 'placeholder' | 'required' | 'error' | 'rightSection' | 'maw'>

interface ComboboxProps extends FieldProps {
  readonly label: string
  readonly text: string
  readonly options: readonly ComboboxOption[]
  /** Whether the dialog around it begins here. */
  readonly isFirst?: boolean
  readonly onText: (text: string) => void
  readonly onChoose: (key: string) => void
  /** Called when the focus leaves the field. */
  readonly onLeave?: () => void
}

export function Combobox({ label, text, options, isFirst, onText, onChoose, onLeave, ...field }: ComboboxProps) {
  const id = useId()
  const { isOpen, at, open, close, move } = useList(options)
  const marked = options[at]
  const choose = (key: string) => {
    close()
    onChoose(key)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const action = event.nativeEvent.isComposing ? undefined : actionOf(event.key)
    if (action === undefined) return
    event.preventDefault()
    action()
  }
  const actionOf = (key: string): (() => void) | undefined => {
    if (key === 'ArrowDown') return () => move(1)
    if (key === 'ArrowUp') return () => move(-1)
    // Enter in an open list is about the list, and never sends the form around it.
    if (isOpen && key === 'Enter') return () => marked !== undefined && choose(marked.key)
    return isOpen && key === 'Escape' ? close : undefined
  }
  return (
    <TextInput
      {...field}
      label={label}
      role="combobox"
      autoComplete="off"
      aria-autocomplete="list"
      aria-expanded={isOpen}
      aria-controls={isOpen ? id : undefined}
      aria-activedescendant={marked === undefined ? undefined : optionId(id, at)}
      data-autofocus={isFirst || undefined}
      // A dialog around it leaves Escape to the list.
      data-mantine-stop-propagation={isOpen || undefined}
      inputContainer={(children) => (
        <div className={classes.field}>
          {children}
          {isOpen && <OptionList {...{ id, options, at }} onChoose={choose} />}
        </div>
      )}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        open()
        onText(value)
      }}
      onClick={open}
      onKeyDown={onKeyDown}
      onBlur={() => {
        close()
        onLeave?.()
      }}
    />
  )
}

/** Whether the list is open, and which of its options is marked. */
function useList(options: readonly ComboboxOption[]) {
  const [isWanted, setWanted] = useState(false)
  const [key, setKey] = useState<string>()
  const isOpen = isWanted && options.length > 0
  /** The index of the one that is marked; -1: none. */
  const at = isOpen ? options.findIndex((option) => option.key === key) : -1
  /** Nothing is marked in a list that opens. */
  const show = (next: boolean) => () => {
    setWanted(next)
    setKey(undefined)
  }
  return {
    isOpen,
    at,
    open: show(true),
    close: show(false),
    /** Marks the next option, or the one before; from the end it goes on at the other end. */
    move: (by: 1 | -1) => {
      setWanted(true)
      const from = at < 0 && by < 0 ? 0 : at
      setKey(options.at((from + by) % options.length)?.key)
    },
  }
}

const optionId = (id: string, index: number): string => `${id}-${index}`

interface OptionListProps {
  readonly id: string
  readonly options: readonly ComboboxOption[]
  /** The index of the one that is marked. */
  readonly at: number
  readonly onChoose: (key: string) => void
}

function OptionList({ id, options, at, onChoose }: OptionListProps) {
  // The end of the list may be below the dialog that it is in.
  useEffect(() => {
    document.getElementById(id)?.scrollIntoView({ block: 'nearest' })
  }, [id])
  useEffect(() => {
    document.getElementById(optionId(id, at))?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Options"
      className={`options ${classes.list}`}
      // Keeps the focus in the field.
      onMouseDown={(event) => event.preventDefault()}
    >
      {options.map(({ key, text, content }, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the field has it
        // biome-ignore lint/a11y/useKeyWithClickEvents: Enter in the field takes it
        <div
          key={key}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === at}
          className="option"
          onClick={() => onChoose(key)}
        >
          {content ?? text}
        </div>
      ))}
    </div>
  )
}
