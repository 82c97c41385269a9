/** The tabs of a page by their labels, in one row, which scrolls where the window is narrower. */
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
      <Tabs.List mb="md" style={{ overflowX: 'auto', overflowY: 'hidden', flexWrap: 'nowrap' }}>
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} flex="none" ref={name === value ? showTab : undefined}>
            {labels[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  )
}

/** Also where the row of tabs is wider than the window. */
const showTab = (tab: HTMLElement | null): void => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
