/** A filter that is typed: the address changes when the typing pauses. */
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useId, useState } from 'react'

interface TypedFilterProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  /** The values that there are, with how often. */
  readonly of?: Readonly<Record<string, number>> | undefined
  readonly onChange: (value: string) => void
}

export function TypedFilter({ label, value, placeholder, of, onChange }: TypedFilterProps) {
  const [typed, setTyped] = useState(value)
  const [settled] = useDebouncedValue(typed, 250)
  const list = useId()
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address here
  useEffect(() => {
    if (settled.trim() !== value) onChange(settled.trim())
  }, [settled])
  useEffect(() => setTyped(value), [value])
  return (
    <>
      <TextInput
        label={label}
        placeholder={placeholder}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        w={{ base: '100%', xs: 150 }}
        {...(of === undefined ? {} : { list })}
      />
      {of !== undefined && (
        <datalist id={list}>
          {Object.entries(of).map(([name, count]) => (
            <option key={name} value={name}>
              {count}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}
