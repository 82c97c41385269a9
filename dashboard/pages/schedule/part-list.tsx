/** One list of the working hours, whose parts are added, changed and removed. */
import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Availability } from '../../fhir/availability.ts'
import { Icon } from '../../parts/icon.tsx'
import type { HoursProblem } from './use-hours.ts'

type ListName = 'weekly' | 'breaks' | 'special' | 'absences' | 'types'
type Part<N extends ListName> = Availability[N][number]

export interface RowProps<P> {
  readonly part: P
  readonly onChange: (part: P) => void
  /** The part's name, which screen readers hear with its fields: `Hours of the week 1`. */
  readonly name: string
}

interface PartListProps<N extends ListName> {
  readonly name: N
  readonly title: string
  readonly note?: string
  readonly add: string
  readonly fresh: Part<N>
  readonly hours: Availability
  readonly onChange: (hours: Availability) => void
  readonly problems: readonly HoursProblem[]
  readonly row: (props: RowProps<Part<N>>) => ReactNode
}

export function PartList<N extends ListName>(props: PartListProps<N>) {
  const { name, title, note, add, fresh, hours, onChange, problems, row } = props
  const parts: readonly Part<N>[] = hours[name]
  const set = (next: readonly Part<N>[]) => onChange({ ...hours, [name]: next })
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <div>
        <Text component="h2" size="md" fw={600} m={0}>
          {title}
        </Text>
        {note !== undefined && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </div>
      {parts.map((part, index) => {
        const label = `${title} ${index + 1}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: their whole state is in the fields
          <div key={index}>
            <Group gap="xs" align="end" wrap="wrap" className="card" p="xs">
              {row({ part, name: label, onChange: (next) => set(parts.map((one, at) => (at === index ? next : one))) })}
              <ActionIcon
                variant="default"
                size={36}
                ml="auto"
                aria-label={`Remove ${label}`}
                onClick={() => set(parts.filter((_, at) => at !== index))}
              >
                <Icon name="close" size={16} />
              </ActionIcon>
            </Group>
            <PlaceError problems={problems} place={`${name}.${index}`} />
          </div>
        )
      })}
      <Button
        variant="default"
        size="xs"
        w="fit-content"
        leftSection={<Icon name="add" size={14} />}
        onClick={() => set([...parts, fresh])}
      >
        {add}
      </Button>
    </Stack>
  )
}

function PlaceError({ problems, place }: { readonly problems: readonly HoursProblem[]; readonly place: string }) {
  const found = problems.filter((one) => one.place === place)
  if (found.length === 0) return null
  return (
    <Text size="sm" c="red" role="alert" mt={4}>
      {found.map(({ text }) => text).join('; ')}
    </Text>
  )
}
