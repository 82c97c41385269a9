/** The differences between two versions of a resource of any type, of its history. */
import { Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { differencesBetween } from '../../fhir/diff.ts'
import { parseLossless } from '../../fhir/json-text.ts'
import { timeText } from '../../fhir/time.ts'
import { Differences } from '../../parts/differences.tsx'
import { useZone } from '../../parts/times.tsx'
import { useConsoleFilters } from './console-filters.ts'

interface Entry {
  readonly resource?: { readonly meta?: { readonly versionId?: string; readonly lastUpdated?: string } }
  readonly response?: { readonly etag?: string; readonly lastModified?: string }
}

interface Version {
  readonly id: string
  readonly at: string
  /** Absent: the resource was deleted. */
  readonly resource: object | undefined
}

/** @param text of a Bundle of type history, with its numbers as they are */
export function VersionChanges({ text }: { readonly text: string }) {
  const [filters, setFilters] = useConsoleFilters()
  const zone = useZone()
  const versions = useMemo(() => versionsIn(text), [text])
  const after = versions.find(({ id }) => id === filters.after) ?? versions[0]
  const before = versions.find(({ id }) => id === filters.before) ?? versions[1] ?? versions[0]
  if (before === undefined || after === undefined) return <Text size="sm">The history has no versions.</Text>
  const data = versions.map(({ id, at, resource }) => ({
    value: id,
    label: `${id} · ${timeText(at, zone)}${resource === undefined ? ' · deleted' : ''}`,
  }))
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <NativeSelect
          label="Version before"
          data={data}
          value={before.id}
          onChange={({ currentTarget: { value } }) => setFilters({ before: value, after: after.id }, { replace: true })}
        />
        <NativeSelect
          label="Version after"
          data={data}
          value={after.id}
          onChange={({ currentTarget: { value } }) =>
            setFilters({ after: value, before: before.id }, { replace: true })
          }
        />
      </Group>
      <Differences differences={differencesBetween(before.resource ?? {}, after.resource ?? {})} />
    </Stack>
  )
}

function versionsIn(text: string): readonly Version[] {
  const { entry = [] } = parseLossless(text) as { readonly entry?: readonly Entry[] }
  return entry.map(({ resource, response }) => ({
    id: resource?.meta?.versionId ?? /"([^"]+)"/.exec(response?.etag ?? '')?.[1] ?? '',
    at: resource?.meta?.lastUpdated ?? response?.lastModified ?? '',
    resource,
  }))
}
