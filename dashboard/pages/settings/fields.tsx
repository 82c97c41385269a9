/** Some fields of the settings that belong together. */
import { Fieldset, SimpleGrid, Text } from '@mantine/core'
import { FieldInput, type FieldsProps } from './field-input.tsx'
import type { SettingsGroup } from './settings-fields.ts'

export function Fields({ group, ...fields }: FieldsProps & { readonly group: SettingsGroup }) {
  return (
    <Fieldset legend={group.title} className="card">
      {group.note !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {group.note}
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: 'start' }}>
        {group.fields.map((field) => (
          <FieldInput key={field.path} field={field} {...fields} />
        ))}
      </SimpleGrid>
    </Fieldset>
  )
}
