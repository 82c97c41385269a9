/** The save button of a long form, always in sight, which asks before its changes are lost, with the server's objections to the form as a whole. */
import { Alert, Button, Group, List } from '@mantine/core'
import { type LeftBy, useUnsaved } from './unsaved.tsx'

interface SaveBarProps {
  readonly isBusy: boolean
  readonly isChanged: boolean
  /** Whether nothing is stored yet, so that it is saved without a change too. */
  readonly isNew?: boolean
  readonly leftBy?: LeftBy
  readonly onReset: () => void
}

export function SaveBar({ isBusy, isChanged, isNew = false, leftBy, onReset }: SaveBarProps) {
  const { question } = useUnsaved(isChanged && !isBusy, leftBy === undefined ? {} : { leftBy })
  return (
    <Group className="save-bar">
      <Button type="submit" loading={isBusy} disabled={!isChanged && !isNew}>
        {isNew ? 'Create' : 'Save'}
      </Button>
      <Button variant="default" disabled={!isChanged} onClick={onReset}>
        Undo the changes
      </Button>
      {question}
    </Group>
  )
}

export function NotSaved({ problems }: { readonly problems: readonly string[] }) {
  if (problems.length === 0) return null
  return (
    <Alert color="red" role="alert" title="This is not saved">
      <List size="sm">
        {problems.map((problem) => (
          <List.Item key={problem}>{problem}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
