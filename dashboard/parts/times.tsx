/** A time of the clinic, with the full time and zone as a tooltip. */
import { now } from '../api/clock.ts'
import { timeText, zoneText } from '../fhir/time.ts'
import { useClinic } from './clinic-context.tsx'

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

/** Names the zone of all times of a page. */
export function ZoneNote() {
  const { timeZone } = useClinic()
  return <>Times of {zoneText(timeZone, now())}</>
}
