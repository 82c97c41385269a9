/** How the clinic works: its name and zone, numbers, policies, connectors, the sandbox switch, accounts, tokens. */
import { Tabs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { taggedSettingsOf } from '../../api/clinic-settings.ts'
import { useMaybeClinic, useUser } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { NamedTabs } from '../../parts/named-tabs.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { Accounts } from './accounts.tsx'
import { ClinicSwitch } from './clinic-switch.tsx'
import { SettingsForm } from './settings-form.tsx'
import { isAccess, type SettingsTab, TABS } from './settings-tabs.ts'
import { Tokens } from './tokens.tsx'

export function SettingsPage() {
  const own = useMaybeClinic()?.id
  const { role } = useUser()
  const [{ tab, clinic: asked }, setFilters] = useFilters({ tab: '', clinic: '' })
  // Operators configure every clinic.
  const other = role === 'operator' && asked !== '' && asked !== own ? asked : undefined
  const clinic = other ?? own
  const isAdmin = useMayChange()
  const names = (Object.keys(TABS) as SettingsTab[]).filter((name) => (isAccess(name) ? isAdmin : clinic !== undefined))
  const shown = names.find((name) => name === tab) ?? names[0]
  return (
    <>
      <PageHead
        title="Settings"
        actions={
          role === 'operator' && (
            <ClinicSwitch value={other ?? ''} own={own} onChange={(id) => setFilters({ clinic: id })} />
          )
        }
      />
      <NamedTabs names={names} labels={TABS} value={shown} onOpen={(tab) => setFilters({ tab })}>
        {shown !== undefined && (
          <Tabs.Panel value={shown}>
            {shown === 'accounts' && <Accounts of={other} />}
            {shown === 'tokens' && <Tokens key={`tokens of ${clinic}`} of={other} />}
            {clinic !== undefined && <ClinicSettings key={clinic} clinic={clinic} tab={shown} />}
          </Tabs.Panel>
        )}
      </NamedTabs>
    </>
  )
}

interface ClinicSettingsProps {
  readonly clinic: string
  readonly tab: SettingsTab
}

/** One form for all tabs, so that changes in one are not lost by switching to another. */
function ClinicSettings({ clinic, tab }: ClinicSettingsProps) {
  const query = useQuery(taggedSettingsOf(clinic))
  return (
    <div hidden={isAccess(tab)}>
      <Loaded query={query}>{(first) => <SettingsForm clinic={clinic} first={first} tab={tab} />}</Loaded>
    </div>
  )
}
