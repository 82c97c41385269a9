/** The working hours of a practitioner, from which the free times are generated: docs/schedule.md. */
import { useParams } from '@tanstack/react-router'
import type { Schedule } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { referenceText } from '../../fhir/names.ts'
import { LinkButton } from '../../parts/links.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, WhenRead } from '../../parts/page-states.tsx'
import { HoursForm } from './hours-form.tsx'

export function HoursPage() {
  const { id = '' }: { readonly id?: string } = useParams({ strict: false })
  const query = useGet<Schedule>(`Schedule/${id}`)
  return (
    <WhenRead queries={[query]}>
      <PageHead
        title={query.data === undefined ? 'Working hours' : `Working hours of ${whoOf(query.data)}`}
        description="What is saved is generated as free times a moment later. What is booked stays."
        actions={
          <LinkButton size="xs" variant="default" to="/schedule" search={{ who: id }}>
            Schedule
          </LinkButton>
        }
      />
      <Loaded query={query}>{(schedule) => <HoursForm key={id} schedule={schedule} />}</Loaded>
    </WhenRead>
  )
}

const whoOf = ({ actor, id }: Schedule): string =>
  referenceText(actor.find(({ reference }) => !reference?.startsWith('Location/')) ?? actor[0]) || (id ?? '')
