/** Stand-ins for a page or a part of it: empty, an error, the sandbox turned off, still loading. */
import { Alert, Button, EmptyState, List, Skeleton, Stack, Text } from '@mantine/core'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useSwitchSandbox } from '../api/clinic.ts'
import { errorText, Problem } from '../api/problem.ts'
import { useMaybeClinic } from './clinic-context.tsx'
import { Icon, type IconName } from './icon.tsx'
import { LinkButton } from './links.tsx'

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  /** How the list would be filled. */
  readonly children: ReactNode
  /** A button that does so. */
  readonly action?: ReactNode
}

export const Empty = ({ icon, title, children, action }: EmptyProps) => (
  <EmptyState icon={<Icon name={icon} size={24} />} title={title} description={children} py="lg">
    {action !== undefined && <EmptyState.Actions>{action}</EmptyState.Actions>}
  </EmptyState>
)

interface ErrorProps {
  readonly error: unknown
  readonly onRetry?: (() => unknown) | undefined
}

/** An error of the server in its own words. */
export function ErrorView({ error, onRetry }: ErrorProps) {
  const clinic = useMaybeClinic()
  if (error instanceof Problem && error.reason === 'sandbox-off' && clinic !== undefined)
    return <SandboxOff clinic={clinic.id} />
  const issues = error instanceof Problem ? error.issues : []
  return (
    <Alert color="red" variant="light" title={titleOf(error)} icon={<Icon name="warning" />} my="md" role="alert">
      <Stack gap="xs" align="flex-start">
        {issues.length > 1 ? (
          <List size="sm">
            {issues.map(({ text, expression }) => (
              <List.Item key={`${expression} ${text}`}>{text}</List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm">{errorText(error)}</Text>
        )}
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={() => onRetry()}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

function titleOf(error: unknown): string {
  const status = error instanceof Problem ? error.status : undefined
  if (status === 0 || status === 503) return 'The server is away'
  if (status === 404 || status === 410) return 'This is not there'
  if (status === 403) return 'This is not allowed'
  if (status === 409 || status === 412) return 'Somebody else was faster'
  return 'This did not work'
}

function SandboxOff({ clinic }: { readonly clinic: string }) {
  const toggle = useSwitchSandbox(clinic)
  const action = (
    <Button loading={toggle.isPending} onClick={() => toggle.mutate({ enabled: true })}>
      Turn the sandbox on
    </Button>
  )
  return (
    <Empty icon="warning" title="The sandbox is turned off" action={action}>
      FHIR requests and live calls are refused, and nothing is shown. All data are kept.
    </Empty>
  )
}

/** Pixels: the height of a placeholder row, and the gap between two. */
const ROW = 28
const GAP = 12

export const Loading = ({ rows = 5 }: { readonly rows?: number }) => (
  <Stack gap={GAP} aria-busy="true" aria-label="Loading" role="status">
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
      <Skeleton key={row} height={ROW} />
    ))}
  </Stack>
)

interface QueryLike<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/**
 * The result of a query, or a stand-in for it. While the sandbox is off nothing is shown, but half-filled forms are
 * kept
 * until it is on again.
 */
export function Loaded<T>({
  query,
  rows = 5,
  children,
}: {
  readonly query: QueryLike<T>
  readonly rows?: number
  readonly children: (data: T) => ReactNode
}) {
  const isOff = isSandboxOff(query.error)
  if (query.data !== undefined) {
    return (
      <>
        {isOff && <ErrorView error={query.error} />}
        <div style={{ display: isOff ? 'none' : 'contents' }}>{children(query.data)}</div>
      </>
    )
  }
  if (query.error) return <ErrorView error={query.error} onRetry={() => query.refetch()} />
  return <Loading rows={rows} />
}

interface WhenReadProps {
  readonly queries: readonly { readonly isPending: boolean }[]
  readonly rows?: number
  readonly children: ReactNode
}

/**
 * Several parts of a page, shown once all that they read is there or refused: one by one they would push each other away. They
 * stay while something else is read for them later.
 */
export function WhenRead({ queries, rows = 10, children }: WhenReadProps) {
  const isRead = queries.every(({ isPending }) => !isPending)
  const [wasRead, setRead] = useState(isRead)
  useEffect(() => {
    if (isRead) setRead(true)
  }, [isRead])
  return isRead || wasRead ? children : <Loading rows={rows} />
}

const isSandboxOff = (error: unknown): boolean => error instanceof Problem && error.reason === 'sandbox-off'

export const PagePending = () => <Loading rows={8} />

/** The error boundary of a page; the rest of the dashboard keeps working. */
export function PageError({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  // After an upgrade, the files of a page that was not opened before may be gone.
  const isStale = error instanceof TypeError && /module|import/i.test(error.message)
  if (!isStale) return <ErrorView error={error} onRetry={retry} />
  return (
    <Empty
      icon="refresh"
      title="The dashboard has been upgraded"
      action={<Button onClick={() => location.reload()}>Load it again</Button>}
    >
      This page is of an earlier version.
    </Empty>
  )
}

export const NotFound = () => (
  <Empty
    icon="search"
    title="There is no such page"
    action={
      <LinkButton size="xs" to="/">
        Overview
      </LinkButton>
    }
  >
    The address may be of another version of the dashboard.
  </Empty>
)
