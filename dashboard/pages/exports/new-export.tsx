/** The form that starts an export. docs/bulk-data.md */
import { Button, Modal, NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { CapabilityStatement, Group } from 'fhir/r4'
import { JOBS, startExport } from '../../api/jobs.ts'
import { useGet, useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { resourceName } from '../../fhir/resource-name.ts'
import { wallTime, zoneText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useUnsavedNew } from '../../parts/unsaved.tsx'
import { useTyped } from '../../parts/use-typed.ts'

interface NewExportProps {
  readonly onClose: () => void
  /** @param id of its job */
  readonly onStarted: (id: string) => void
}

const SCOPES = [
  { value: '$export', label: 'All data of the clinic' },
  { value: 'Patient/$export', label: 'The records of all patients' },
  { value: 'Group', label: 'The records of a group' },
]
const FIRST = { scope: '$export', group: '', types: '', elements: '', since: '' }

export function NewExport({ onClose, onStarted }: NewExportProps) {
  const { timeZone } = useClinic()
  const client = useQueryClient()
  const groups = useGroups()
  const { typed, set } = useTyped(FIRST)
  const group = typed.group === '' ? groups[0]?.value : typed.group
  const { error, isBusy, submit } = useSubmit(async () => {
    const id = await startExport({
      operation: typed.scope === 'Group' ? `Group/${group}/$export` : typed.scope,
      types: listIn(typed.types),
      elements: listIn(typed.elements),
      since: typed.since === '' ? '' : wallTime(`${typed.since}:00`, timeZone),
    })
    await client.invalidateQueries({ queryKey: [JOBS] })
    onStarted(id)
  })
  const isChanged = `${typed.types}${typed.elements}${typed.since}` !== ''
  const { question, close } = useUnsavedNew(isChanged && !isBusy, onClose)
  return (
    <Modal opened onClose={close} title="New export">
      <form onSubmit={submit} aria-label="New export">
        <Stack>
          <Radio.Group
            label="What"
            value={typed.scope}
            onChange={(value) => set('scope')({ currentTarget: { value } })}
          >
            <Stack gap="xs" mt="xs">
              {SCOPES.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          {typed.scope === 'Group' && (
            <NativeSelect
              label="Group"
              required
              data={groups.length === 0 ? [{ value: '', label: 'The clinic has no groups' }] : groups}
              value={group ?? ''}
              onChange={set('group')}
            />
          )}
          <TypesField text={typed.types} onText={(value) => set('types')({ currentTarget: { value } })} />
          <TextInput
            type="datetime-local"
            label="Changed since"
            description={`Only what was changed after it, and what was deleted. Time of ${zoneText(timeZone, Date.now())}.`}
            value={typed.since}
            onChange={set('since')}
          />
          <TextInput
            label="Elements"
            description="Only these, with commas: id, Patient.name. Mandatory ones are always written."
            placeholder="All elements"
            value={typed.elements}
            onChange={set('elements')}
          />
          <FormError text={error} />
          {question}
          <Button type="submit" loading={isBusy} disabled={typed.scope === 'Group' && group === undefined}>
            Start the export
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}

/** `Patient, Slot,` as a parameter has it: `Patient,Slot`. */
const listIn = (text: string): string =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .join()

/** The groups that can be chosen. */
function useGroups(): { readonly value: string; readonly label: string }[] {
  const { data } = useSearch('Group', [
    ['_count', '200'],
    ['_elements', 'name,type,code'],
  ])
  return (data === undefined ? [] : matchesIn<Group>(data)).map((group) => ({
    value: group.id ?? '',
    label: resourceName(group) ?? `Group/${group.id}`,
  }))
}

interface TypesFieldProps {
  readonly text: string
  readonly onText: (text: string) => void
}

/** Names of types with commas; the last one is completed. */
function TypesField({ text, onText }: TypesFieldProps) {
  const { data: statement } = useGet<CapabilityStatement>('metadata')
  const names = text.split(',').map((name) => name.trim())
  const begun = names.at(-1)?.toLowerCase() ?? ''
  const offered = (statement?.rest?.[0]?.resource ?? [])
    .flatMap(({ type }) => type ?? [])
    .filter((type) => !names.includes(type) && type.toLowerCase().startsWith(begun))
  return (
    <Combobox
      label="Types"
      placeholder="All types"
      text={text}
      options={offered.map((type) => ({ key: type, text: type }))}
      onText={onText}
      onChoose={(type) => onText(`${[...names.slice(0, -1), type].join(', ')}, `)}
    />
  )
}
