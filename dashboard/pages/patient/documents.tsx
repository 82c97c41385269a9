/** The documents of a patient, with one of them open beside or below the list. */
import { Badge, NavLink, SimpleGrid, Stack, Text } from '@mantine/core'
import type { DocumentReference, Patient } from 'fhir/r4'
import { useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { conceptText, referenceText, statusText } from '../../fhir/names.ts'
import { dateText } from '../../fhir/time.ts'
import { useFilters } from '../../parts/filters.ts'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { DocumentViewer } from './document-viewer.tsx'

export function Documents({ patient }: { readonly patient: Patient }) {
  const query = useSearch('DocumentReference', [
    ['patient', patient.id ?? ''],
    ['_sort', '-date'],
    ['_count', '100'],
    // Without contents, which are fetched one by one.
    ['_elements', 'type,date,description,status,author'],
  ])
  return <Loaded query={query}>{(bundle) => <List documents={matchesIn<DocumentReference>(bundle)} />}</Loaded>
}

function List({ documents }: { readonly documents: readonly DocumentReference[] }) {
  const [{ document: open }, setFilters] = useFilters({ tab: 'details', document: '' })
  if (documents.length === 0) {
    return (
      <Empty icon="document" title="No documents">
        POST /DocumentReference adds one, and so does an IHE MHD client.
      </Empty>
    )
  }
  const shown = documents.find(({ id }) => id === open) ?? documents[0]
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Stack gap={2}>
        {documents.map(({ id = '', type, description, date, status, author = [] }) => (
          <NavLink
            key={id}
            active={id === shown?.id}
            onClick={() => setFilters({ document: id }, { replace: true })}
            leftSection={<Icon name="document" />}
            label={<bdi>{description ?? (conceptText(type) || 'Document')}</bdi>}
            description={
              <Text span size="xs" c="dimmed">
                {[dateText(date?.slice(0, 10)), conceptText(type), author.map(referenceText).join(', ')]
                  .filter(Boolean)
                  .join(' · ')}
              </Text>
            }
            rightSection={status === 'current' ? undefined : <Badge variant="default">{statusText(status)}</Badge>}
          />
        ))}
      </Stack>
      {shown?.id !== undefined && <DocumentViewer key={shown.id} id={shown.id} />}
    </SimpleGrid>
  )
}
