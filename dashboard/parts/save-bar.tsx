/** The save button of a long form, always in sight, with the server's objections to the form as a whole. */
import { Alert, Button, Group, List } from '@mantine/core'

interface SaveBarProps {
  readonly isBusy: boolean
  readonly isChanged: boolean
  readonly onReset: () => void
}

export const SaveBar = ({ isBusy, isChanged, onReset }: SaveBarProps) => (
  <Group className="save-bar">
    <Button type="submit" loading={isBusy} disabled={!isChanged}>
      Save
    </Button>
    <Button variant="default" disabled={!isChanged} onClick={onReset}>
      Undo the changes
    </Button>
  </Group>
)

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
