/** The way to a first request: base URL, token, snippets that run as they stand, descriptions to import, and the request as it comes in. */
import { Code, Group, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { baseUrl } from '../../api/address.ts'
import { now } from '../../api/clock.ts'
import type { Session } from '../../api/session.ts'
import { relativeText } from '../../fhir/time.ts'
import { useMaybeClinic, useUser } from '../clinic-context.tsx'
import { Copied, CopyButton } from '../copy.tsx'
import { Facts } from '../facts.tsx'
import { useFilters } from '../filters.ts'
import { LinkButton } from '../links.tsx'
import { NamedTabs } from '../named-tabs.tsx'
import { Panel } from '../panel.tsx'
import classes from './connect.module.css'
import { Downloads } from './downloads.tsx'
import { FirstRequest } from './first-request.tsx'
import { SNIPPET_NAMES, SNIPPETS, type SnippetName, type Target } from './snippets.ts'

export function Connect() {
  const clinic = useMaybeClinic()
  const user = useUser()
  const target = { base: baseUrl, token: user.token, dialedNumber: clinic?.settings.dialedNumbers[0] }
  return (
    <Stack gap="md">
      {clinic !== undefined && <FirstRequest clinic={clinic.id} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Panel title="Address and token">
          <Stack gap="sm">
            <Facts
              facts={[
                ['Base URL', <Copied key="base" text={baseUrl} what="base URL" />],
                ['Token', <Copied key="token" text={user.token} what="token" />],
                ['Clinic', clinic?.id],
                ['Number', target.dialedNumber],
              ]}
            />
            <TokenNote user={user} />
          </Stack>
        </Panel>
        <Downloads />
      </SimpleGrid>
      <Snippets target={target} />
    </Stack>
  )
}

function TokenNote({ user: { expiresAt, role, isPasted } }: { readonly user: Session }) {
  const isManager = role !== 'staff'
  return (
    <>
      <Text size="sm">
        The token is that of your session
        {Number.isFinite(expiresAt) && `: it expires ${relativeText(expiresAt, now())}`}
        {!isPasted && ', and the page shows the next one'}.{' '}
        {!isPasted && !isManager && 'An admin makes tokens for programs, which last longer, in the settings.'}
      </Text>
      {!isPasted && isManager && (
        <LinkButton to="/settings" search={{ tab: 'tokens' }} variant="default" w="fit-content">
          Tokens for programs
        </LinkButton>
      )}
    </>
  )
}

const LABELS = Object.fromEntries(SNIPPET_NAMES.map((name) => [name, SNIPPETS[name].label])) as Record<
  SnippetName,
  string
>

function Snippets({ target }: { readonly target: Target }) {
  const [{ snippet }, setFilters] = useFilters({ view: 'connect', snippet: 'curl' })
  const name = SNIPPET_NAMES.find((one) => one === snippet) ?? 'curl'
  const text = SNIPPETS[name].textOf(target)
  return (
    <Panel title="A first request">
      <NamedTabs names={SNIPPET_NAMES} labels={LABELS} value={name} onOpen={(one) => setFilters({ snippet: one })}>
        <Tabs.Panel value={name}>
          <Stack gap="sm">
            <Code block className={classes.snippet}>
              {text}
            </Code>
            <Group>
              <CopyButton text={text} label="Copy the snippet" said="The snippet is copied, with your token in it." />
            </Group>
          </Stack>
        </Tabs.Panel>
      </NamedTabs>
    </Panel>
  )
}
