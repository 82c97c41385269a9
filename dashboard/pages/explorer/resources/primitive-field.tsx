/** A value of a primitive type: a text, number, boolean or code. */
import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { codesOf } from '../../../api/definitions.ts'
import type { CodeChoice, TypedElement } from '../../../fhir/definitions.ts'
import { numberText, parseLossless } from '../../../fhir/json-text.ts'
import { useFormState } from './form-context.ts'

interface PrimitiveFieldProps {
  readonly element: TypedElement
  readonly label: string
  readonly value: unknown
  /** FHIRPath. */
  readonly path: string
  readonly onChange: (value: unknown) => void
}

export function PrimitiveField({ element, label, value, path, onChange }: PrimitiveFieldProps) {
  const { type, min, binding } = element
  const error = useFormState().problems.get(path)
  const text = textOf(value)
  const common = { label, error, withAsterisk: min > 0 }
  const choices = useQuery({ ...codesOf(binding?.valueSet ?? ''), enabled: binding?.isRequired === true })
  const data = type.code === 'boolean' ? BOOLEANS : type.code === 'code' ? choices.data : undefined
  if (data !== undefined && data.length > 0)
    return (
      <NativeSelect
        {...common}
        data={optionsOf(data, text)}
        value={text}
        onChange={(event) => onChange(valueFrom(event.currentTarget.value, type.code))}
      />
    )
  if (type.code === 'base64Binary') return <Hint label={label}>{`${text.length} characters, kept as they are`}</Hint>
  const Field = type.code === 'markdown' ? Textarea : TextInput
  return (
    <Field
      {...common}
      autosize={type.code === 'markdown' ? true : undefined}
      placeholder={type.code}
      value={text}
      onChange={(event: { readonly currentTarget: { readonly value: string } }) =>
        onChange(valueFrom(event.currentTarget.value, type.code))
      }
    />
  )
}

const BOOLEANS: readonly CodeChoice[] = [{ code: 'true' }, { code: 'false' }]

const optionsOf = (choices: readonly CodeChoice[], own: string) => {
  const codes = [...new Map(choices.map((one) => [one.code, one])).values()]
  const known = codes.some(({ code }) => code === own)
  return [
    ...(known ? [] : [{ value: own, label: own }]),
    ...codes.map(({ code, display }) => ({
      value: code,
      label: display === undefined || display === code ? code : `${display} (${code})`,
    })),
  ]
}

const textOf = (value: unknown): string => numberText(value) ?? (value === undefined ? '' : String(value))

/** A text as the value of its type; a number as it is written, and what is none as the text, which the server refuses. */
function valueFrom(text: string, code: string): unknown {
  if (code === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return NUMBERS.has(code) && NUMBER.test(text) ? parseLossless(text) : text
}

const NUMBERS: ReadonlySet<string> = new Set(['integer', 'decimal', 'positiveInt', 'unsignedInt'])

/** https://www.rfc-editor.org/rfc/rfc8259#section-6 */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

export const Hint = ({ label, children }: { readonly label: string; readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {label}: {children}
  </Text>
)
