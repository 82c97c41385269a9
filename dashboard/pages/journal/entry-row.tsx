/** One exchange of the list, or a place where some are missing. */
import { Badge } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import { type Entry, type Exchange, isGap } from '../../api/exchanges.ts'
import { callNote, callText } from '../../fhir/calls.ts'
import { secondsText, timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PlainLink } from '../../parts/links.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import classes from './journal.module.css'

export function EntryRow({ entry }: { readonly entry: Entry }) {
  const { timeZone } = useClinic()
  if (!isGap(entry)) return <Row exchange={entry} />
  const { count, from, to, why } = entry.gap
  return (
    <div className={`row ${classes.gap}`}>
      {count} exchanges are missing, {timeText(from, timeZone)} to {secondsText(to, timeZone)}: {why}
    </div>
  )
}

function Row({ exchange }: { readonly exchange: Exchange }) {
  const { timeZone } = useClinic()
  // The exchange leads to the next one of the same list.
  const search = useSearch({ strict: false })
  const { id, time, method, address, duration, direction, reason, fault } = exchange
  return (
    <PlainLink className={`row ${classes.row}`} to={`/journal/${id}`} search={search}>
      <time className="number" dateTime={time} title={timeText(time, timeZone)}>
        {secondsText(time, timeZone)}
      </time>
      <span>
        <StatusBadge exchange={exchange} />
      </span>
      <span className="cut mono" title={address}>
        {fault !== undefined && (
          <Badge size="xs" variant="default" mr={6}>
            {fault}
          </Badge>
        )}
        {direction === 'out' && (
          <Badge size="xs" variant="default" mr={6}>
            to {exchange.system}
          </Badge>
        )}
        <b>{method}</b> {address}
      </span>
      <span className={`${classes.who} cut`} title={callNote(exchange.call)}>
        <bdi>{whoOf(exchange)}</bdi>
      </span>
      <span className={`${classes.reason} cut`} title={reason?.text}>
        {reason?.text ?? toolsOf(exchange)}
      </span>
      <span className={`${classes.duration} number`}>{Math.round(duration)} ms</span>
    </PlainLink>
  )
}

const whoOf = ({ user, call }: Exchange): string => (call === undefined ? (user?.name ?? '') : callText(call))

const toolsOf = ({ tools = [] }: Exchange): string =>
  tools.map(({ tool, success, code }) => (success === false ? `${tool}: ${code ?? 'failed'}` : tool)).join(', ')
