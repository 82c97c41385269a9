/** The tabs of a page by their labels. */
import { Tabs } from '@mantine/core'
import type { ReactNode } from 'react'

interface NamedTabsProps<Name extends string> {
  /** The tabs that are shown, in this order. */
  readonly names: readonly Name[]
  readonly labels: Readonly<Record<Name, string>>
  /** The tab that is open. */
  readonly value: Name | undefined
  readonly onOpen: (name: string) => void
  /** A `Tabs.Panel` for each. */
  readonly children: ReactNode
}

export function NamedTabs<Name extends string>({ names, labels, value, onOpen, children }: NamedTabsProps<Name>) {
  return (
    <Tabs value={value ?? null} onChange={(next) => onOpen(next ?? '')} keepMounted={false}>
      <Tabs.List mb="md">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {labels[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  )
}
