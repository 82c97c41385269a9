/** The work that the server does in the background: exports, imports and asynchronous requests. docs/async-requests.md */
import { Button, SegmentedControl, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { JOBS, jobsOf } from '../../api/jobs.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { JobDialog } from './job-dialog.tsx'
import { JobTable } from './job-table.tsx'
import { NewExport } from './new-export.tsx'

const KINDS = [
  { value: '', label: 'All' },
  { value: 'export', label: 'Exports' },
  { value: 'import', label: 'Imports' },
  { value: 'request', label: 'Requests' },
]

const NO_FILTERS = { kind: '', job: '', new: '' }

export function ExportsPage() {
  const { id } = useClinic()
  useFresh(id, [], [JOBS])
  const [{ kind, job, new: isNew }, setFilters] = useFilters(NO_FILTERS)
  const [removed, setRemoved] = useState<readonly string[]>([])
  const query = useQuery(jobsOf(id))
  const close = () => setFilters({ job: '', new: '' })
  const remove = (one: string, isRemoved: boolean) =>
    setRemoved((before) => (isRemoved ? [...before, one] : before.filter((other) => other !== one)))
  return (
    <Stack gap="sm">
      <PageHead
        title="Exports"
        description={<Whose />}
        actions={<Button onClick={() => setFilters({ new: 'yes' })}>New export…</Button>}
      />
      <SegmentedControl
        aria-label="Which jobs"
        data={KINDS}
        value={kind}
        onChange={(chosen) => setFilters({ kind: chosen })}
        w="fit-content"
      />
      <Loaded query={query}>
        {(jobs) => {
          const shown = jobs.filter((one) => (kind === '' || one.kind === kind) && !removed.includes(one.id))
          return (
            <>
              {shown.length === 0 ? <Nothing /> : <JobTable jobs={shown} onRemove={remove} />}
              {job !== '' && <JobDialog job={jobs.find((one) => one.id === job)} onClose={close} />}
            </>
          )
        }}
      </Loaded>
      {isNew !== '' && <NewExport onClose={close} onStarted={(started) => setFilters({ new: '', job: started })} />}
    </Stack>
  )
}

const Whose = () => (
  <>
    {useMayChange() ? 'All of the clinic' : 'Those that you have started'}. <ZoneNote />
  </>
)

const Nothing = () => (
  <Empty icon="download" title="Nothing is done in the background">
    An export makes files of the data of the clinic. Imports, and requests with Prefer: respond-async, are listed here
    too. Results are kept for a day.
  </Empty>
)
