/** The server for integrators: its capabilities, read from /metadata, and a console to try them. */
import { SegmentedControl } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Capabilities } from './capabilities.tsx'
import { Console } from './console.tsx'

const VIEWS = [
  { value: 'console', label: 'Console' },
  { value: 'capabilities', label: 'Capabilities' },
]

export function ExplorerPage() {
  const [{ view }, setFilters] = useFilters({ view: 'console' })
  const statement = useGet<CapabilityStatement>('metadata')
  return (
    <>
      <PageHead
        title="FHIR explorer"
        description="What the server offers, as its CapabilityStatement says, and requests with your token"
        actions={
          <SegmentedControl
            aria-label="View"
            data={VIEWS}
            value={view}
            onChange={(value) => setFilters({ view: value })}
          />
        }
      />
      <Loaded query={statement} rows={10}>
        {(found) => (view === 'capabilities' ? <Capabilities statement={found} /> : <Console statement={found} />)}
      </Loaded>
    </>
  )
}
