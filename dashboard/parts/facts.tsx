/** A list of labelled facts; unknown ones are left out. */
import { DataList, Text } from '@mantine/core'
import type { ReactNode } from 'react'

export type Fact = readonly [label: string, value: ReactNode]

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '' && value !== false)
  if (known.length === 0) return <Text c="dimmed">Nothing is known yet.</Text>
  return (
    <DataList gap="xs">
      {known.map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and the order is fixed
        <DataList.Item key={`${label} ${index}`}>
          <DataList.ItemLabel w={120} flex="none">
            {label}
          </DataList.ItemLabel>
          <DataList.ItemValue miw={0}>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
    </DataList>
  )
}
