/** The buttons of a page that is printed, which are not on the paper. */
import { Button } from '@mantine/core'
import { LinkButton } from '../../parts/links.tsx'

interface PrintActionsProps {
  /** The day of the schedule to go back to. */
  readonly day: string
  readonly who?: string
}

export const PrintActions = ({ day, who }: PrintActionsProps) => (
  <div className="screen-only">
    <LinkButton size="xs" variant="default" to="/schedule" search={{ day, who: who || undefined }} mr="xs">
      Schedule
    </LinkButton>
    <Button size="xs" onClick={() => window.print()}>
      Print
    </Button>
  </div>
)
