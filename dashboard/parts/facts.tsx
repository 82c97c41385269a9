/** What is known of a thing, each with its name; what is not known is left out. */
import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'

export type Fact = readonly [label: string, value: ReactNode]

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <DataList labelWidth="110px" gap="xs">
    {facts
      .filter(([, value]) => value !== undefined && value !== '' && value !== false)
      .map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may come twice, and nothing moves
        <DataList.Item key={`${label} ${index}`}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue miw={0}>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
  </DataList>
)
