/** The versions of the record, each with its changes. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Bundle, BundleEntry, Patient } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { differencesBetween } from '../../fhir/diff.ts'
import { Differences } from '../../parts/differences.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Time } from '../../parts/times.tsx'

export function History({ patient }: { readonly patient: Patient }) {
  const query = useGet<Bundle>(`Patient/${patient.id}/_history?_count=100`)
  return (
    <Loaded query={query}>
      {({ entry = [] }) => (
        <Stack>
          {entry.map((version, index) => (
            <Version key={versionOf(version)} entry={version} before={entry[index + 1]} />
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

function Version({ entry, before }: { readonly entry: BundleEntry; readonly before: BundleEntry | undefined }) {
  const { resource, request, response } = entry
  const at = resource?.meta?.lastUpdated ?? response?.lastModified
  return (
    <Panel
      title={`Version ${versionOf(entry)}`}
      aside={
        <Group gap="xs">
          <Badge variant="default">{request?.method}</Badge>
          <Text size="sm" c="dimmed">
            <Time at={at} />
          </Text>
        </Group>
      }
    >
      <Changes now={resource} before={before?.resource} isFirst={before === undefined} />
    </Panel>
  )
}

function Changes({
  now,
  before,
  isFirst,
}: {
  readonly now: object | undefined
  readonly before: object | undefined
  readonly isFirst: boolean
}) {
  if (now === undefined) return <Text size="sm">The record was deleted.</Text>
  if (isFirst) {
    return (
      <Text size="sm" c="dimmed">
        The first version that is kept.
      </Text>
    )
  }
  return <Differences differences={differencesBetween(before ?? {}, now)} />
}

const versionOf = ({ resource, response }: BundleEntry): string =>
  resource?.meta?.versionId ?? /"([^"]+)"/.exec(response?.etag ?? '')?.[1] ?? ''
