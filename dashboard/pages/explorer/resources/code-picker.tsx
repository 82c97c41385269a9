/** The code of a CodeableConcept or Coding, of the value set that the element is bound to. */
import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { codesOf, MOST_CODES } from '../../../api/definitions.ts'
import type { CodeChoice, TypedElement } from '../../../fhir/definitions.ts'
import type { Members } from '../cells.tsx'

interface CodePickerProps {
  readonly element: TypedElement
  readonly value: Members
  readonly onChange: (value: Members) => void
}

const keyOf = ({ system, code }: { readonly system?: unknown; readonly code?: unknown }): string => `${system}|${code}`

export function CodePicker({ element: { type, binding }, value, onChange }: CodePickerProps) {
  const [typed, setTyped] = useState('')
  const first = useQuery(codesOf(binding?.valueSet ?? ''))
  const isLong = (first.data?.length ?? 0) >= MOST_CODES
  const found = useQuery({ ...codesOf(binding?.valueSet ?? '', typed), enabled: isLong && typed !== '' })
  const choices = distinct(found.data ?? first.data ?? [])
  if (first.data !== undefined && choices.length === 0) return null
  const isConcept = type.code === 'CodeableConcept'
  const codings = (Array.isArray(value.coding) ? value.coding : []) as readonly Members[]
  const own = isConcept ? codings[0] : value
  const choose = (key: string | null): void => {
    const choice = choices.find((one) => keyOf(one) === key)
    if (choice === undefined) return
    const coding = { ...(own ?? {}), ...choice }
    onChange(isConcept ? { ...value, coding: [coding, ...codings.slice(1)] } : coding)
  }
  return (
    <Select
      label={binding?.isRequired ? 'Code' : 'Code, where one fits'}
      searchable
      limit={50}
      maw={420}
      data={choices.map((one) => ({ value: keyOf(one), label: `${one.display ?? one.code} (${one.code})` }))}
      value={own?.code === undefined ? null : keyOf(own)}
      onSearchChange={(text) => setTyped(/^[\p{L}\p{N} ]{1,40}$/u.test(text) ? text : '')}
      onChange={choose}
    />
  )
}

const distinct = (choices: readonly CodeChoice[]): readonly CodeChoice[] => [
  ...new Map(choices.map((one) => [keyOf(one), one])).values(),
]
