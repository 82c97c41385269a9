/** Rehearsing: what the clinic is filled with, its clock, what goes wrong, and with whom. docs/rehearsal.md */
import { Alert, Tabs } from '@mantine/core'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { NamedTabs } from '../../parts/named-tabs.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { RehearsalOnly } from '../../parts/rehearsal-only.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { ClockTab } from './clock-tab.tsx'
import { ClonesTab } from './clones-tab.tsx'
import { FaultsTab } from './faults-tab.tsx'
import { PeopleTab } from './people-tab.tsx'
import { ResetDialog } from './reset-dialog.tsx'
import { ScenariosTab } from './scenarios-tab.tsx'
import { SnapshotsTab } from './snapshots-tab.tsx'

const TABS = {
  scenarios: 'Scenarios',
  snapshots: 'Snapshots',
  clones: 'Clones',
  clock: 'Clock',
  faults: 'Faults',
  people: 'Magic people',
} as const

type Tab = keyof typeof TABS
const NAMES = Object.keys(TABS) as Tab[]

export const SandboxPage = () => (
  <RehearsalOnly title="Sandbox">
    <Rehearsal />
  </RehearsalOnly>
)

function Rehearsal() {
  const { id } = useClinic()
  useFresh(id, [])
  const mayChange = useMayChange()
  const [filters, setFilters] = useFilters({ tab: 'scenarios', reset: '', restore: '', fault: '' })
  const tab = NAMES.find((name) => name === filters.tab) ?? 'scenarios'
  const closeReset = () => setFilters({ reset: '', restore: '' })
  return (
    <>
      <PageHead title="Sandbox" description={<ZoneNote />} />
      {!mayChange && <Alert mb="md">Admins of the clinic change what is here; you see it as it is.</Alert>}
      <NamedTabs names={NAMES} labels={TABS} value={tab} onOpen={(tab) => setFilters({ tab })}>
        <Tabs.Panel value="scenarios">
          <ScenariosTab onReset={(scenario) => setFilters({ reset: scenario })} />
        </Tabs.Panel>
        <Tabs.Panel value="snapshots">
          <SnapshotsTab onRestore={(snapshot) => setFilters({ restore: snapshot })} />
        </Tabs.Panel>
        <Tabs.Panel value="clones">
          <ClonesTab />
        </Tabs.Panel>
        <Tabs.Panel value="clock">
          <ClockTab />
        </Tabs.Panel>
        <Tabs.Panel value="faults">
          <FaultsTab opened={filters.fault} onOpen={(fault) => setFilters({ fault })} />
        </Tabs.Panel>
        <Tabs.Panel value="people">
          <PeopleTab />
        </Tabs.Panel>
      </NamedTabs>
      {mayChange && filters.reset !== '' && <ResetDialog target={{ scenario: filters.reset }} onClose={closeReset} />}
      {mayChange && filters.restore !== '' && (
        <ResetDialog target={{ snapshot: filters.restore }} onClose={closeReset} />
      )}
    </>
  )
}
