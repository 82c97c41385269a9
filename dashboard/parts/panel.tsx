/** A part of a page with a heading of its own. */
import { Box, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface PanelProps {
  readonly title: string
  /** Beside the heading: a link to more, a switch. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export const Panel = ({ title, aside, children }: PanelProps) => (
  <Box component="section" className="card" p="md" miw={0}>
    <Group justify="space-between" mb="xs" gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    {children}
  </Box>
)
