/** The reason for which a search has found a patient, beside a name that does not show it. */
import { Text } from '@mantine/core'

export const Reasons = ({ text }: { readonly text: string }) =>
  text === '' ? null : (
    <Text span size="xs" c="dimmed" fw={400} ml="xs">
      {text}
    </Text>
  )
