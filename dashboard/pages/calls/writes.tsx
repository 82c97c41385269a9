/** Versions of resources that were written, each with what it changed. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useGet } from '../../api/queries.ts'
import { differencesBetween } from '../../fhir/diff.ts'
import { Differences } from '../../parts/differences.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import type { Write } from './conversation.ts'

export const Writes = ({ writes }: { readonly writes: readonly Write[] }) => (
  <Stack gap={2} component="ul" p={0} m={0} aria-label="Stored" style={{ listStyle: 'none' }}>
    {writes.map((write) => (
      <li key={pathOf(write)}>
        <WriteView write={write} />
      </li>
    ))}
  </Stack>
)

const pathOf = ({ type, id, version }: Write): string => `${type}/${id}/_history/${version}`

const isFirst = ({ version }: Write): boolean => version === '1'

function WriteView({ write }: { readonly write: Write }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Badge variant="default" size="sm" flex="none" w={78}>
          {isFirst(write) ? 'created' : 'changed'}
        </Badge>
        <Text size="sm" className="cut mono" miw={0}>
          <PageLink to="/explorer" search={{ path: pathOf(write) }}>
            {`${write.type}/${write.id}`}
          </PageLink>
        </Text>
        <Text size="xs" c="dimmed" flex="none">
          version {write.version}
        </Text>
        <Button
          size="compact-xs"
          variant="subtle"
          flex="none"
          aria-expanded={isOpen}
          onClick={() => setOpen((before) => !before)}
        >
          Changes
        </Button>
      </Group>
      {isOpen && <Changes write={write} />}
    </>
  )
}

function Changes({ write }: { readonly write: Write }) {
  const now = useGet<object>(pathOf(write))
  const earlier = { ...write, version: String(Number(write.version) - 1) }
  const before = useGet<object>(pathOf(earlier), { enabled: !isFirst(write) })
  return (
    <Loaded query={now} rows={2}>
      {(after) =>
        isFirst(write) ? (
          <Differences differences={differencesBetween({}, after)} />
        ) : (
          <Loaded query={before} rows={2}>
            {(earlier) => <Differences differences={differencesBetween(earlier, after)} />}
          </Loaded>
        )
      }
    </Loaded>
  )
}
