/** A part of a page with a heading of its own. */
import { Box, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PanelProps {
  readonly title: string
  /** Beside the heading: a link to more, a switch. */
  readonly aside?: ReactNode
  /** Minimal height of the content in pixels, so that the page below does not move when it has loaded. */
  readonly minHeight?: number
  readonly children: ReactNode
}

export const Panel = ({ title, aside, minHeight, children }: PanelProps) => (
  <Box component="section" className="card" p="md" miw={0}>
    <Group justify="space-between" mb="xs" gap="xs" mih={30}>
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    <Box mih={minHeight}>{children}</Box>
  </Box>
)
