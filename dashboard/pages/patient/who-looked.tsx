/** Every access to the data of the patient, by users and calls, from the audit trail. */
import { Group, Stack, Text } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { AuditEvents, ForAdmins } from '../../parts/audit-events.tsx'
import { LinkButton } from '../../parts/links.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

export function WhoLooked({ patient: { id = '' } }: { readonly patient: Patient }) {
  if (!useMayChange()) return <ForAdmins />
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          Reads, searches that found this patient, changes, operations and calls. <ZoneNote />.
        </Text>
        <LinkButton to="/audit" search={{ patient: id }} size="xs" variant="default">
          Filter and export
        </LinkButton>
      </Group>
      <AuditEvents parameters={[['patient', `Patient/${id}`]]} height="calc(100dvh - 300px)" />
    </Stack>
  )
}
