/** The code of a CodeableConcept or Coding, of the value set that the element is bound to. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { codesOf, MOST_CODES } from '../../../api/definitions.ts'
import type { CodeChoice, TypedElement } from '../../../fhir/definitions.ts'
import { Combobox } from '../../../parts/combobox.tsx'
import type { Members } from '../cells.tsx'

interface CodePickerProps {
  readonly element: TypedElement
  readonly value: Members
  readonly onChange: (value: Members) => void
}

/** Options that are shown at once. */
const SHOWN = 50
/** Text that the server is asked for. */
const SEARCHABLE = /^[\p{L}\p{N} ]{1,40}$/u

const textOf = ({ display, code }: CodeChoice): string => `${display ?? code} (${code})`
const keyOf = ({ system, code }: { readonly system?: unknown; readonly code?: unknown }): string => `${system}|${code}`

export function CodePicker({ element: { type, binding }, value, onChange }: CodePickerProps) {
  /** Undefined: the code that is chosen stands there. */
  const [typed, setTyped] = useState<string>()
  const { choices, hasCodes } = useCodes(binding?.valueSet ?? '', typed ?? '')
  if (!hasCodes) return null
  const isConcept = type.code === 'CodeableConcept'
  const codings = (Array.isArray(value.coding) ? value.coding : []) as readonly Members[]
  const own = isConcept ? codings[0] : value
  // A code that a search has found is not among the first ones of a long list.
  const given = typeof own?.code === 'string' ? (own as unknown as CodeChoice) : undefined
  const chosen = choices.find((one) => given !== undefined && keyOf(one) === keyOf(given)) ?? given
  const choose = (key: string): void => {
    setTyped(undefined)
    const choice = choices.find((one) => keyOf(one) === key)
    if (choice === undefined) return
    const coding = { ...(own ?? {}), ...choice }
    onChange(isConcept ? { ...value, coding: [coding, ...codings.slice(1)] } : coding)
  }
  return (
    <Combobox
      label={binding?.isRequired ? 'Code' : 'Code, where one fits'}
      maw={420}
      options={choices
        .map((one) => ({ key: keyOf(one), text: textOf(one) }))
        .filter(({ text }) => text.toLowerCase().includes((typed ?? '').toLowerCase()))
        .slice(0, SHOWN)}
      text={typed ?? (chosen === undefined ? '' : textOf(chosen))}
      onText={setTyped}
      onChoose={choose}
      onLeave={() => setTyped(undefined)}
    />
  )
}

/** The codes of a value set; of a long one those that a text finds. */
function useCodes(valueSet: string, typed: string) {
  const { data: first } = useQuery(codesOf(valueSet))
  const isLong = (first?.length ?? 0) >= MOST_CODES
  const words = SEARCHABLE.test(typed) ? typed : ''
  const { data: found } = useQuery({ ...codesOf(valueSet, words), enabled: isLong && words !== '' })
  return { choices: distinct(found ?? first ?? []), hasCodes: first?.length !== 0 }
}

const distinct = (choices: readonly CodeChoice[]): readonly CodeChoice[] => [
  ...new Map(choices.map((one) => [keyOf(one), one])).values(),
]
