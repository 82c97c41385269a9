/** The clinic whose settings are shown, for operators; it is in the address. */
import { NativeSelect } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { clinicList } from '../../api/clinics.ts'

interface ClinicSwitchProps {
  /** '' for the own clinic, or for all accounts where there is none. */
  readonly value: string
  readonly own: string | undefined
  readonly onChange: (clinic: string) => void
}

export function ClinicSwitch({ value, own, onChange }: ClinicSwitchProps) {
  const { data } = useQuery(clinicList)
  const others = (data?.clinics ?? [])
    .filter(({ id }) => id !== own)
    .map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))
  // A link may name one that is not in the list.
  const unlisted = value === '' || others.some((one) => one.value === value) ? [] : [{ value, label: value }]
  const first = { value: '', label: own === undefined ? 'All clinics' : `Your clinic (${own})` }
  return (
    <NativeSelect
      label="Clinic"
      description="Its settings, accounts and tokens; no patient data"
      maw={320}
      data={[first, ...others, ...unlisted]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
