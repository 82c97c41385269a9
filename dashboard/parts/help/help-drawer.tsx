/** The help of a page, opened by `?`: what the page is for, its keys, and its documentation. */
import { Drawer, Group, Kbd, Stack, Text, Title } from '@mantine/core'
import { PageLink } from '../links.tsx'
import { KEYS, type Key, PAGE_HELP } from './page-help.ts'

interface HelpDrawerProps {
  /** As in page-list.ts; undefined for an address that is no page. */
  readonly page: string | undefined
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function HelpDrawer({ page, title, isOpen, onClose }: HelpDrawerProps) {
  const help = PAGE_HELP[page ?? '']
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      title={`Help: ${title}`}
      transitionProps={{ duration: 0 }}
    >
      <Stack>
        {help !== undefined && (
          <>
            <Text size="sm">{help.text}</Text>
            <PageLink to="/help" search={{ doc: help.doc, section: help.section }}>
              Documentation of this page
            </PageLink>
          </>
        )}
        <Keys title="Keys of this page" keys={help?.keys ?? []} />
        <Keys title="Keys of all pages" keys={KEYS} />
        <PageLink to="/help">All of the documentation</PageLink>
      </Stack>
    </Drawer>
  )
}

function Keys({ title, keys }: { readonly title: string; readonly keys: readonly Key[] }) {
  if (keys.length === 0) return null
  return (
    <Stack gap="xs" component="section">
      <Title order={3} size="h6">
        {title}
      </Title>
      {keys.map((one) => (
        <Group key={one.does} gap="xs" wrap="nowrap">
          {one.keys.map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          <Text size="sm">{one.does}</Text>
        </Group>
      ))}
    </Stack>
  )
}
