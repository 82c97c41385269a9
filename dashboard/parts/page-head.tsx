/** The head of a page: its title, a description, and actions. */
import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

interface PageHeadProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
}

export function PageHead({ title, description, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Sandbox EMR`
  }, [title])
  return (
    <Group className="page-head" justify="space-between" align="flex-start" gap="sm">
      {/* Its width is not that of its text, which may come late and would push the actions away. */}
      <Stack gap={0} miw={0} flex="1 1 160px">
        <Title order={1} size="h3">
          <bdi>{title}</bdi>
        </Title>
        {description !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {description}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  )
}
