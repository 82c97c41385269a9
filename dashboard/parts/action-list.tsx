/** A button that opens a list of actions, of which one is chosen. */
import { Button, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Icon, type IconName } from './icon.tsx'

interface ActionListProps {
  readonly label: string
  readonly icon: IconName
  readonly isBusy?: boolean
  readonly actions: readonly { readonly label: string; readonly run: () => void }[]
}

export function ActionList({ label, icon, isBusy = false, actions }: ActionListProps) {
  const [isOpen, { toggle, close }] = useDisclosure(false)
  return (
    <Popover
      opened={isOpen}
      onDismiss={close}
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name={icon} size={14} />}
          loading={isBusy}
          onClick={toggle}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={4} mah={320} style={{ overflowY: 'auto' }}>
        <Stack gap={0}>
          {actions.map((action) => (
            <Button
              key={action.label}
              variant="subtle"
              size="sm"
              justify="start"
              onClick={() => {
                close()
                action.run()
              }}
            >
              <bdi>{action.label}</bdi>
            </Button>
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
