/** A button that opens a list of actions, of which one is chosen. */
import { ActionIcon, Button, Popover, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface ActionListProps {
  readonly label: string
  readonly icon?: IconName
  /** The icon alone is visible, and `label` is its name. */
  readonly isIconOnly?: boolean
  readonly isInitiallyOpen?: boolean
  readonly isBusy?: boolean
  /** Stands above the actions. */
  readonly head?: ReactNode
  readonly actions: readonly Action[]
}

interface Action {
  readonly label: string
  readonly icon?: IconName
  /** Stands below the label. */
  readonly note?: string
  readonly run: () => void
}

export function ActionList(props: ActionListProps) {
  const { label, icon, isIconOnly = false, isInitiallyOpen = false, isBusy = false, head, actions } = props
  const [isOpen, { toggle, close }] = useDisclosure(isInitiallyOpen)
  const target = useRef<HTMLButtonElement>(null)
  // Not by `returnFocus`, which knows no button where the list is initially open.
  const leave = () => {
    close()
    target.current?.focus()
  }
  return (
    <Popover opened={isOpen} onDismiss={leave} position="bottom-end" trapFocus transitionProps={{ duration: 0 }}>
      <Popover.Target>
        {isIconOnly && icon !== undefined ? (
          <ActionIcon ref={target} variant="default" size="lg" aria-label={label} onClick={toggle}>
            <Icon name={icon} />
          </ActionIcon>
        ) : (
          <Button
            ref={target}
            size="xs"
            variant="default"
            leftSection={icon && <Icon name={icon} size={14} />}
            loading={isBusy}
            onClick={toggle}
          >
            {label}
          </Button>
        )}
      </Popover.Target>
      <Popover.Dropdown p={4} mah={320} style={{ overflowY: 'auto' }}>
        {head}
        <Stack gap={0}>
          {actions.map((action) => (
            <ActionButton
              key={`${action.label} ${action.note}`}
              action={action}
              onChosen={() => {
                leave()
                action.run()
              }}
            />
          ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function ActionButton({ action, onChosen }: { readonly action: Action; readonly onChosen: () => void }) {
  const { label, icon, note } = action
  return (
    <Button
      variant="subtle"
      size="sm"
      fw={500}
      c="var(--mantine-color-text)"
      justify="start"
      h={note === undefined ? undefined : 'auto'}
      leftSection={icon && <Icon name={icon} />}
      onClick={onChosen}
    >
      <span style={{ textAlign: 'left' }}>
        <bdi>{label}</bdi>
        {note !== undefined && (
          <Text size="xs" c="dimmed">
            {note}
          </Text>
        )}
      </span>
    </Button>
  )
}
