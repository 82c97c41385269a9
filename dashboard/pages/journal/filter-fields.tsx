/** The filters of the journal: those that are used most, and the others behind a button. */
import { Button, Group, NativeSelect, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import type { Counts } from '../../api/exchanges.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import type { FiltersInAddress } from '../../parts/exchange-filters.ts'
import { TimeFields } from '../../parts/time-fields.tsx'
import { TypedFilter } from '../../parts/typed-filter.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'

const STATUSES = [
  { value: '', label: 'Any status' },
  { value: '2xx', label: '2xx: done' },
  { value: '4xx', label: '4xx: refused' },
  { value: '5xx', label: '5xx: failed' },
  { value: '499', label: '499: the client left' },
  { value: '0', label: 'No response' },
]

const DIRECTIONS = [
  { value: '', label: 'In and out' },
  { value: 'in', label: 'In: received' },
  { value: 'out', label: 'Out: sent' },
]

const METHODS = ['', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((value) => ({
  value,
  label: value === '' ? 'Any method' : value,
}))

const MORE = ['direction', 'user', 'operation', 'type', 'call', 'run', 'trace', 'fault'] as const

interface FilterFieldsProps {
  readonly filters: FiltersInAddress & { readonly follow: string }
  readonly onChange: (changes: Partial<FilterFieldsProps['filters']>) => void
  /** Names the values that there are. */
  readonly counts: Counts | undefined
  /** Absent: none of them is set. */
  readonly onClear?: (() => void) | undefined
}

export function FilterFields(props: FilterFieldsProps) {
  const { filters, onChange, onClear } = props
  const set = MORE.filter((name) => filters[name] !== '').length
  const [isOpen, { toggle }] = useDisclosure(set > 0)
  const more = useId()
  return (
    <>
      <Group mb="sm" gap="sm" align="end">
        <TimeFields filters={filters} onChange={onChange} />
        <TypedFilter
          label="Words"
          value={filters.text}
          placeholder="Address, reason, user"
          onChange={(text) => onChange({ text })}
        />
        <TypedFilter label="Path" value={filters.path} placeholder="/Patient" onChange={(path) => onChange({ path })} />
        <NativeSelect
          label="Method"
          data={METHODS}
          value={filters.method}
          onChange={(event) => onChange({ method: event.currentTarget.value })}
        />
        <NativeSelect
          label="Status"
          data={STATUSES}
          value={filters.status}
          onChange={(event) => onChange({ status: event.currentTarget.value })}
        />
      </Group>
      <Group mb="sm" gap="md">
        <Button size="xs" variant="default" aria-expanded={isOpen} aria-controls={more} onClick={toggle}>
          {set === 0 ? 'More filters' : `More filters (${set})`}
        </Button>
        {onClear !== undefined && (
          <Button size="xs" variant="default" onClick={onClear}>
            Clear filters
          </Button>
        )}
        <Switches filters={filters} onChange={onChange} />
      </Group>
      <Group id={more} mb="sm" gap="sm" align="end" display={isOpen ? undefined : 'none'}>
        {isOpen && <MoreFields {...props} />}
      </Group>
    </>
  )
}

function MoreFields({ filters, onChange, counts }: FilterFieldsProps) {
  const { isRehearsal } = useClinic()
  return (
    <>
      <NativeSelect
        label="Direction"
        data={DIRECTIONS}
        value={filters.direction}
        onChange={(event) => onChange({ direction: event.currentTarget.value })}
      />
      <TypedFilter label="User" value={filters.user} of={counts?.users} onChange={(user) => onChange({ user })} />
      <TypedFilter
        label="Operation"
        value={filters.operation}
        of={counts?.operations}
        placeholder="$match"
        onChange={(operation) => onChange({ operation })}
      />
      <TypedFilter label="Type" value={filters.type} placeholder="Patient" onChange={(type) => onChange({ type })} />
      <TypedFilter label="Call" value={filters.call} onChange={(call) => onChange({ call })} />
      <TypedFilter label="Run" value={filters.run} onChange={(run) => onChange({ run })} />
      <TypedFilter label="Trace" value={filters.trace} onChange={(trace) => onChange({ trace })} />
      {isRehearsal && <TypedFilter label="Fault" value={filters.fault} onChange={(fault) => onChange({ fault })} />}
    </>
  )
}

function Switches({
  filters: { follow, own, authentication },
  onChange,
}: Pick<FilterFieldsProps, 'filters' | 'onChange'>) {
  const isAdmin = useMayChange()
  return (
    <>
      <Switch
        label="Follow"
        checked={follow === 'on'}
        onChange={(event) => onChange({ follow: event.currentTarget.checked ? 'on' : 'off' })}
      />
      <Switch
        label="What the dashboard reads"
        checked={own === 'shown'}
        onChange={(event) => onChange({ own: event.currentTarget.checked ? 'shown' : 'hidden' })}
      />
      {isAdmin && (
        <Switch
          label="Failed authentications"
          checked={authentication === 'failed'}
          onChange={(event) => onChange({ authentication: event.currentTarget.checked ? 'failed' : '' })}
        />
      )}
    </>
  )
}
