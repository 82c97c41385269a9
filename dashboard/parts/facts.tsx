/** A list of labelled facts; unknown ones are left out. */
import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'

export type Fact = readonly [label: string, value: ReactNode]

export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <DataList labelWidth="110px" gap="xs">
    {facts
      .filter(([, value]) => value !== undefined && value !== '' && value !== false)
      .map(([label, value], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and the order is fixed
        <DataList.Item key={`${label} ${index}`}>
          <DataList.ItemLabel>{label}</DataList.ItemLabel>
          <DataList.ItemValue miw={0}>{value}</DataList.ItemValue>
        </DataList.Item>
      ))}
  </DataList>
)
