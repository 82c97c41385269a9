/** The settings, a tab at a time, saved as a whole. */
import { Alert, Button, Fieldset, Group, List, Stack } from '@mantine/core'
import type { TaggedSettings } from '../../api/clinic-settings.ts'
import { Conflict } from '../../parts/conflict.tsx'
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
  readonly isReadOnly: boolean
}

export function SettingsForm({ clinic, first, tab, isReadOnly }: SettingsFormProps) {
  const form = useSettings(clinic, first)
  const fields: FieldsProps = {
    settings: form.settings,
    onChange: form.setSettings,
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
        <Fieldset variant="unstyled" m={0} disabled={isReadOnly} className={isReadOnly ? 'read-only' : undefined}>
          <Stack>
            {(GROUPS[tab] ?? []).map((group) => (
              <Fields key={group.title} group={group} {...fields} />
            ))}
            {tab === 'connectors' && (
              <ConnectorPanels {...fields} clinic={clinic} isChanged={form.isChanged} isReadOnly={isReadOnly} />
            )}
          </Stack>
        </Fieldset>
        <Problems problems={form.problems} />
        {!isReadOnly && (
          <Group className="save-bar">
            <Button type="submit" loading={form.isBusy} disabled={!form.isChanged}>
              Save
            </Button>
            <Button variant="default" disabled={!form.isChanged} onClick={form.reset}>
              Undo the changes
            </Button>
          </Group>
        )}
      </Stack>
      {form.theirs !== undefined && (
        <Conflict
          base={form.base.settings}
          mine={form.settings}
          theirs={form.theirs.settings}
          labelOf={labelOfSetting}
          textOf={textOfSetting}
          isBusy={form.isBusy}
          onClose={form.leaveConflict}
          onSave={(whole) => form.theirs && void form.saveOn(whole, form.theirs)}
        />
      )}
    </form>
  )
}

/** All of them, as some may be about another tab. */
function Problems({ problems }: { readonly problems: readonly string[] }) {
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
