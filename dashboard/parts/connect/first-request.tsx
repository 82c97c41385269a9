/** Whether a client of the clinic has sent a request, as it happens. */
import { Alert, Group, Loader, Text } from '@mantine/core'
import { useFirstRequest } from '../../api/first-request.ts'
import { Icon } from '../icon.tsx'
import { PageLink } from '../links.tsx'
import { ErrorView } from '../page-states.tsx'
import { Time } from '../times.tsx'
import classes from './connect.module.css'

export function FirstRequest({ clinic }: { readonly clinic: string }) {
  const { data: found, error, refetch } = useFirstRequest(clinic)
  if (error) return <ErrorView error={error} onRetry={refetch} />
  return (
    <div role="status">
      {found ? (
        <Alert
          color="green"
          classNames={{ label: classes.seen ?? '' }}
          icon={<Icon name="check" />}
          title="A client has sent a request"
        >
          <PageLink to={`/journal/${found.id}`}>
            <span className="mono">
              {found.method} {found.address}
            </span>
          </PageLink>
          , <span className="number">{found.status}</span>, <Time at={found.time} />
        </Alert>
      ) : (
        <Group className="card" p="md" gap="sm" wrap="nowrap">
          <Loader size="xs" />
          <Text size="sm">
            Waiting for your first request. Those of the dashboard don’t count; the page shows yours as it comes in.
          </Text>
        </Group>
      )}
    </div>
  )
}
