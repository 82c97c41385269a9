/** AuditEvents as a list, the newest first: who, what, whose data, from where, and how it ended. */
import { Badge } from '@mantine/core'
import type { AuditEvent } from 'fhir/r4'
import { type Parameters, usePages } from '../api/queries.ts'
import { deedOf } from '../fhir/audit.ts'
import { dayText, secondsText } from '../fhir/time.ts'
import classes from './audit-events.module.css'
import { useClinic } from './clinic-context.tsx'
import { PlainLink } from './links.tsx'
import { Empty, Loaded } from './page-states.tsx'
import { VirtualList } from './virtual-list.tsx'

interface AuditEventsProps {
  readonly parameters: Parameters
  /** In CSS. */
  readonly height: string
}

export function AuditEvents({ parameters, height }: AuditEventsProps) {
  const query = usePages<AuditEvent>('AuditEvent', [...parameters, ['_count', '100']], { keepsPrevious: true })
  return (
    <Loaded query={{ ...query, data: query.resources }} rows={12}>
      {(events) =>
        events.length === 0 && !query.hasNextPage ? (
          <Empty icon="history" title="No events">
            Nobody has done what the filters ask for, or it is not kept any more, or the audit trail of the server is
            off.
          </Empty>
        ) : (
          <div className="card">
            <VirtualList
              items={events}
              label="Audit events"
              keyOf={({ id }) => id ?? ''}
              height={height}
              hasMore={query.hasNextPage && !query.isFetchingNextPage}
              onEnd={query.fetchNextPage}
            >
              {(event) => <EventRow event={event} />}
            </VirtualList>
          </div>
        )
      }
    </Loaded>
  )
}

function EventRow({ event }: { readonly event: AuditEvent }) {
  const { timeZone } = useClinic()
  const { recorded = '' } = event
  const { who, action, what, patient, from, outcome, said } = deedOf(event)
  return (
    <PlainLink className={`row ${classes.row}`} to="/explorer" search={{ path: `AuditEvent/${event.id}` }}>
      <time className={`number ${classes.time}`} dateTime={recorded}>
        <span>{recorded !== '' && dayText(recorded, timeZone)}</span>
        <span>{recorded !== '' && secondsText(recorded, timeZone)}</span>
      </time>
      <span className="cut" title={who}>
        <bdi>{who === '' ? 'Nobody known' : who}</bdi>
      </span>
      <span className="cut" title={`${action} ${what}`}>
        {action} <bdi className="mono">{what}</bdi>
      </span>
      <span className={`${classes.patient} cut`} title={patient}>
        <bdi>{patient}</bdi>
      </span>
      <span className={`${classes.from} cut`} title={from}>
        {from}
      </span>
      <span>
        {outcome !== 'done' && (
          <Badge size="sm" color="red" variant="filled" title={said}>
            {outcome}
          </Badge>
        )}
      </span>
    </PlainLink>
  )
}

/** Shown to staff, who find no events of the trail. */
export const ForAdmins = () => (
  <Empty icon="key" title="The audit trail is for admins">
    Admins and operators of the clinic see who had access to which data.
  </Empty>
)
