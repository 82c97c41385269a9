/** How the clinic works: its name and zone, numbers, policies, connectors, the sandbox switch, accounts, tokens. */
import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { taggedSettingsOf } from '../../api/clinic-settings.ts'
import { type Clinic, useMaybeClinic, useUser } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { NamedTabs } from '../../parts/named-tabs.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Accounts } from './accounts.tsx'
import { SettingsForm } from './settings-form.tsx'
import { isAccess, type SettingsTab, TABS } from './settings-tabs.ts'
import { Tokens } from './tokens.tsx'

export function SettingsPage() {
  const clinic = useMaybeClinic()
  const { role } = useUser()
  const [{ tab }, setFilters] = useFilters({ tab: clinic === undefined ? 'accounts' : 'clinic' })
  const hasAccounts = role === 'admin' || role === 'operator'
  const names = (Object.keys(TABS) as SettingsTab[]).filter((name) =>
    isAccess(name) ? hasAccounts : clinic !== undefined,
  )
  const shown = names.find((name) => name === tab) ?? names[0]
  return (
    <>
      <PageHead title="Settings" />
      <NamedTabs names={names} labels={TABS} value={shown} onOpen={(tab) => setFilters({ tab })}>
        {shown !== undefined && (
          <Tabs.Panel value={shown}>
            {shown === 'accounts' && <Accounts />}
            {shown === 'tokens' && <Tokens />}
            {clinic !== undefined && <ClinicSettings clinic={clinic} tab={shown} />}
          </Tabs.Panel>
        )}
      </NamedTabs>
    </>
  )
}

interface ClinicSettingsProps {
  readonly clinic: Clinic
  readonly tab: SettingsTab
}

/** One form for all tabs, so that changes in one are not lost by switching to another. */
function ClinicSettings({ clinic, tab }: ClinicSettingsProps) {
  const query = useQuery(taggedSettingsOf(clinic.id))
  return (
    <div hidden={isAccess(tab)}>
      <Loaded query={query}>{(first) => <SettingsForm clinic={clinic.id} first={first} tab={tab} />}</Loaded>
    </div>
  )
}
