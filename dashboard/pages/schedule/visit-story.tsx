/** The history of a visit: who booked it and how, its moves and changes. */
import { List, Text } from '@mantine/core'
import type { Appointment, Bundle, Provenance } from 'fhir/r4'
import { useGet, useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { timeText } from '../../fhir/time.ts'
import { storyOf, type Writer } from '../../fhir/visit-story.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Time } from '../../parts/times.tsx'
import { pathOf } from './visit-actions.ts'

export function VisitStory({ id }: { readonly id: string }) {
  const { timeZone } = useClinic()
  const versions = useGet<Bundle>(`${pathOf(id)}/_history?_count=50`)
  const provenances = useSearch('Provenance', [
    ['target', pathOf(id)],
    ['_sort', '-recorded'],
    ['_count', '100'],
  ])
  const signed = provenances.data === undefined ? [] : matchesIn<Provenance>(provenances.data)
  const say = (at: string) => timeText(at, timeZone)
  return (
    <section aria-label="History">
      <Text component="h3" size="sm" fw={600} m={0} mb={4}>
        History
      </Text>
      <Loaded query={versions} rows={1}>
        {(history) => (
          <List size="sm" spacing={4} mah={180} style={{ overflowY: 'auto' }} tabIndex={0} aria-label="Versions">
            {storyOf(matchesIn<Appointment>(history), signed, say).map(({ version, at, what, who }) => (
              <List.Item key={version}>
                <bdi>{what}</bdi>
                <Text span inherit c="dimmed">
                  {' · '}
                  <By who={who} />
                  {' · '}
                  <Time at={at} />
                </Text>
              </List.Item>
            ))}
          </List>
        )}
      </Loaded>
    </section>
  )
}

function By({ who }: { readonly who: Writer | undefined }) {
  if (who === undefined) return 'by another program'
  if (who.call === undefined) return <bdi>by {who.name}, at the desk</bdi>
  return (
    <>
      by{' '}
      <PageLink to="/calls" search={{ call: who.call }}>
        phone call
      </PageLink>
    </>
  )
}
