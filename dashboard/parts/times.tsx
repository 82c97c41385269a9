/** Times of the clinic, with the full time as a tooltip. */
import { Text } from '@mantine/core'
import { clinicNow } from '../api/clock.ts'
import { secondsText, timeText, zoneText } from '../fhir/time.ts'
import { useClinic, useMaybeClinic } from './clinic-context.tsx'

/** @param at FHIR's instant, dateTime or date */
export function Time({ at }: { readonly at: string | undefined }) {
  const { timeZone } = useClinic()
  if (at === undefined) return null
  return (
    <time dateTime={at} title={`${timeText(at, timeZone)} (${zoneText(timeZone, at)})`} className="number">
      {timeText(at, timeZone)}
    </time>
  )
}

/** To the second, in a list of what happened. @param at FHIR's instant; '' for none */
export function Seconds({ at }: { readonly at: string }) {
  const { timeZone } = useClinic()
  if (at === '') return null
  return (
    <time className="number" dateTime={at} title={timeText(at, timeZone)}>
      <Text span size="sm" c="dimmed">
        {secondsText(at, timeZone)}
      </Text>
    </time>
  )
}

/** The zone of times on pages that an operator of no clinic has too. */
export const useZone = (): string => useMaybeClinic()?.timeZone ?? 'UTC'

/** Names the zone of all times of a page. */
export function ZoneNote() {
  const { timeZone } = useClinic()
  return <>Times of {zoneText(timeZone, clinicNow())}</>
}
