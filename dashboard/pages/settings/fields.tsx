/** Some fields of the settings that belong together. */
import { Fieldset, SimpleGrid, Text } from '@mantine/core'
import { FieldInput, type FieldsProps } from './field-input.tsx'
import type { SettingsField, SettingsGroup } from './settings-fields.ts'

export function Fields({ group, ...fields }: FieldsProps & { readonly group: SettingsGroup }) {
  return (
    <Fieldset legend={group.title} className="card" m={0}>
      {group.note !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {group.note}
        </Text>
      )}
      <FieldGrid fields={group.fields} {...fields} />
    </Fieldset>
  )
}

export const FieldGrid = ({ fields, ...rest }: FieldsProps & { readonly fields: readonly SettingsField[] }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'end' }}>
    {fields.map((field) => (
      <FieldInput key={field.path} field={field} {...rest} />
    ))}
  </SimpleGrid>
)
