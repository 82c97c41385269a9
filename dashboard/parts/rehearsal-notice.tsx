/** Tells on every page that the clinic has another time than the real one, or that faults are on. */
import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { clinicNow, isRealTime } from '../api/clock.ts'
import { type FaultRule, rulesOf } from '../api/faults.ts'
import { clockOf } from '../api/rehearsal.ts'
import { clockText, dayText } from '../fhir/time.ts'
import type { Clinic } from './clinic-context.tsx'
import { LinkToPage } from './links.tsx'

export function RehearsalNotice({ clinic: { id, timeZone } }: { readonly clinic: Clinic }) {
  const { data: clock } = useQuery(clockOf(id))
  const { data: rules = [] } = useQuery(rulesOf(id))
  const hasOwnTime = clock !== undefined && !isRealTime()
  return (
    <div role="status">
      {(hasOwnTime || rules.length > 0) && (
        <Text size="sm" className="card" p="xs" mb="md">
          {hasOwnTime && (
            <LinkToPage to="/sandbox" search={{ tab: 'clock' }}>
              The clinic’s clock {clock?.runs === false ? 'stands at' : 'is set to'} {dayText(clinicNow(), timeZone)},{' '}
              {clockText(clinicNow(), timeZone)}
            </LinkToPage>
          )}
          {hasOwnTime && rules.length > 0 && ' · '}
          {rules.length > 0 && (
            <LinkToPage to="/sandbox" search={{ tab: 'faults' }}>
              {faultsText(rules)}
            </LinkToPage>
          )}
        </Text>
      )}
    </div>
  )
}

/** Names of a list that is not longer than a line. */
const NAMED = 4

function faultsText(rules: readonly FaultRule[]): string {
  const names = [...new Set(rules.map(({ fault }) => fault))]
  const more = names.length - NAMED
  return `Faults are on: ${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
