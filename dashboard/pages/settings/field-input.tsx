/** One field of the settings. */
import { NativeSelect, NumberInput, PasswordInput, Switch, TagsInput, TextInput } from '@mantine/core'
import { valueAt, withValueAt } from './setting-values.ts'
import type { SettingsField } from './settings-fields.ts'

/** Stands for a secret in the server's response; sent back, it leaves the secret unchanged. */
const IS_SET = 'set'

export interface FieldsProps {
  readonly settings: unknown
  readonly onChange: (settings: unknown) => void
  readonly problemAt: (path: string) => string | undefined
}

export function FieldInput({ field, settings, onChange, problemAt }: FieldsProps & { readonly field: SettingsField }) {
  const { path, label, note, kind, choices = [] } = field
  const value = valueAt(settings, path)
  const set = (next: unknown) => onChange(withValueAt(settings, path, next === '' ? undefined : next))
  const shared = { label, description: note, error: problemAt(path) }
  const text = value === undefined ? '' : String(value)
  switch (kind) {
    case 'number':
      return (
        <NumberInput
          {...shared}
          value={text}
          allowDecimal={false}
          onChange={(next) => set(next === '' ? '' : Number(next))}
        />
      )
    case 'switch':
      return (
        <Switch
          {...shared}
          mb={8}
          checked={(value ?? field.isOnByDefault) === true}
          onChange={({ currentTarget: { checked } }) => set(checked)}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...shared}
          data={[...choices]}
          value={text}
          onChange={({ currentTarget: { value: next } }) => set(typeof value === 'number' ? Number(next) : next)}
        />
      )
    case 'list':
      return (
        <TagsInput
          {...shared}
          value={Array.isArray(value) ? value.map(String) : []}
          onChange={(next) => set(next.length === 0 && path !== 'dialedNumbers' ? undefined : next)}
        />
      )
    case 'secret':
      return <Secret {...shared} value={text} onChange={set} />
    default:
      return (
        <TextInput
          {...shared}
          type={kind === 'time' ? 'time' : 'text'}
          value={text}
          onChange={({ currentTarget: { value: next } }) => set(next)}
        />
      )
  }
}

interface SecretProps {
  readonly label: string
  readonly description: string | undefined
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A secret can be written but not read; an untouched field keeps it. */
function Secret({ value, onChange, ...shared }: SecretProps) {
  const isKept = value === IS_SET
  return (
    <PasswordInput
      {...shared}
      autoComplete="off"
      placeholder={isKept ? 'is set; type to replace it' : 'is not set'}
      value={isKept ? '' : value}
      onChange={({ currentTarget: { value: next } }) => onChange(next === '' && isKept ? IS_SET : next)}
    />
  )
}
