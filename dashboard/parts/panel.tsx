/** A part of a page with a heading of its own. */
import { Box, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PanelProps {
  readonly title: string
  /** Beside the heading: a link to more, a switch. */
  readonly aside?: ReactNode
  /** Pixels at least of what it shows, so that what is below stays where it is when that has come. */
  readonly minHeight?: number
  readonly children: ReactNode
}

export const Panel = ({ title, aside, minHeight, children }: PanelProps) => (
  <Box component="section" className="card" p="md" miw={0}>
    <Group justify="space-between" mb="xs" gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    <Box mih={minHeight}>{children}</Box>
  </Box>
)
