/** The settings, a tab at a time, saved as a whole. */
import { Stack } from '@mantine/core'
import type { Settings, TaggedSettings } from '../../api/clinic-settings.ts'
import { Conflict } from '../../parts/conflict.tsx'
import { NotSaved, SaveBar } from '../../parts/save-bar.tsx'
import { ConnectorPanels } from './connectors.tsx'
import type { FieldsProps } from './field-input.tsx'
import { Fields } from './fields.tsx'
import { SandboxSwitch } from './sandbox-switch.tsx'
import { problemAt, textOfSetting } from './setting-values.ts'
import { BOOKING, CLINIC, DATA, labelOfSetting, type SettingsGroup } from './settings-fields.ts'
import type { SettingsTab } from './settings-tabs.ts'
import { useSettings } from './use-settings.ts'

const GROUPS: Partial<Record<SettingsTab, readonly SettingsGroup[]>> = { clinic: CLINIC, booking: BOOKING, data: DATA }

interface SettingsFormProps {
  readonly clinic: string
  readonly first: TaggedSettings
  readonly tab: SettingsTab
}

export function SettingsForm({ clinic, first, tab }: SettingsFormProps) {
  const form = useSettings(clinic, first)
  const fields: FieldsProps = {
    settings: form.value,
    onChange: (settings) => form.setValue(settings as Settings),
    problemAt: (path) => problemAt(form.problems, path),
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void form.save()
      }}
    >
      <Stack maw={860}>
        {tab === 'clinic' && <SandboxSwitch clinic={clinic} />}
        {(GROUPS[tab] ?? []).map((group) => (
          <Fields key={group.title} group={group} {...fields} />
        ))}
        {tab === 'connectors' && <ConnectorPanels {...fields} clinic={clinic} isChanged={form.isChanged} />}
        {/* All of them, as some may be about another tab. */}
        <NotSaved problems={form.problems} />
        <SaveBar isBusy={form.isBusy} isChanged={form.isChanged} onReset={form.reset} />
      </Stack>
      {form.conflict && <Conflict {...form.conflict} labelOf={labelOfSetting} textOf={textOfSetting} />}
    </form>
  )
}
