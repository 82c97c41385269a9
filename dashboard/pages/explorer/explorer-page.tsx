/** The server for integrators: how a client connects, its capabilities, read from /metadata, and a console to try them. */
import { SegmentedControl } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import type { CapabilityStatement } from 'fhir/r4'
import { lazy, Suspense } from 'react'
import { useGet } from '../../api/queries.ts'
import { LazyConnect } from '../../parts/connect/lazy-connect.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Loading } from '../../parts/page-states.tsx'
import { Console } from './console.tsx'
import { viewIn } from './console-filters.ts'

const Capabilities = lazy(async () => ({ default: (await import('./capabilities.tsx')).Capabilities }))
const Resources = lazy(async () => ({ default: (await import('./resources/resources.tsx')).Resources }))

const VIEWS = [
  { value: 'connect', label: 'Connect' },
  { value: 'console', label: 'Console' },
  { value: 'resources', label: 'Resources' },
  { value: 'capabilities', label: 'Capabilities' },
]

export function ExplorerPage() {
  const [, setFilters] = useFilters({ view: 'connect' })
  const view = viewIn(useSearch({ strict: false }))
  const statement = useGet<CapabilityStatement>('metadata')
  return (
    <>
      <PageHead
        title="FHIR explorer"
        description="How a client connects, what the server offers, and requests with your token"
        actions={
          <SegmentedControl
            aria-label="View"
            data={VIEWS}
            value={view}
            onChange={(value) => setFilters({ view: value })}
          />
        }
      />
      {view === 'connect' ? (
        <LazyConnect />
      ) : (
        <Loaded query={statement} rows={10}>
          {(found) => (
            <Suspense fallback={<Loading rows={10} />}>
              <View view={view} statement={found} />
            </Suspense>
          )}
        </Loaded>
      )}
    </>
  )
}

interface ViewProps {
  readonly view: string
  readonly statement: CapabilityStatement
}

function View({ view, statement }: ViewProps) {
  if (view === 'capabilities') return <Capabilities statement={statement} />
  return view === 'resources' ? <Resources statement={statement} /> : <Console statement={statement} />
}
