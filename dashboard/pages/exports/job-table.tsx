/** The jobs as a list, each with what can be done with it. */
import { Badge, Button, Group, Progress, Table, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isUnderWay, JOBS, type Job, removeJob } from '../../api/jobs.ts'
import { useFilters } from '../../parts/filters.ts'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Time } from '../../parts/times.tsx'
import { doLater, tellProblem } from '../../parts/undo.tsx'
import { pathIn, titleOf } from './job-words.ts'

interface JobTableProps {
  readonly jobs: readonly Job[]
  readonly onRemove: (id: string, isRemoved: boolean) => void
}

export const JobTable = ({ jobs, onRemove }: JobTableProps) => (
  <ListTable label="Jobs" titles={['What', 'State', 'By', 'Started', 'Kept until', 'Actions']} minWidth={860}>
    {jobs.map((job) => (
      <Table.Tr key={job.id} h={72}>
        <Table.Th scope="row" maw={320}>
          <TitleLink job={job} />
          <Text className="mono cut" size="xs" c="dimmed">
            {pathIn(job)}
          </Text>
        </Table.Th>
        <Table.Td w={240}>
          <JobState job={job} />
        </Table.Td>
        <Table.Td>
          <bdi>{job.owner.name}</bdi>
        </Table.Td>
        <Table.Td>
          <Time at={job.createdAt} />
        </Table.Td>
        <Table.Td>
          <Time at={job.expiresAt} />
        </Table.Td>
        <Table.Td>
          {isUnderWay(job) ? (
            <CancelJob job={job} />
          ) : (
            <RemoveJob job={job} onRemove={(isRemoved) => onRemove(job.id, isRemoved)} />
          )}
        </Table.Td>
      </Table.Tr>
    ))}
  </ListTable>
)

function TitleLink({ job }: { readonly job: Job }) {
  const [{ kind }] = useFilters({ kind: '' })
  return (
    <PageLink to="/exports" search={{ kind, job: job.id }}>
      {titleOf(job)}
    </PageLink>
  )
}

const LOOKS = {
  waiting: { label: 'waiting', variant: 'default' },
  running: { label: 'running', variant: 'default' },
  done: { label: 'done', color: 'cyan', variant: 'filled' },
  failed: { label: 'failed', color: 'red', variant: 'filled' },
} as const satisfies Readonly<Record<Job['state'], object>>

/** How far it is, or how it ended. */
export function JobState({ job }: { readonly job: Job }) {
  const { label, ...look } = LOOKS[job.state]
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Badge {...look} size="sm" flex="none">
          {label}
        </Badge>
        <Text size="sm" lineClamp={2} title={job.error ?? job.progress}>
          {job.error ?? (job.progress === job.state ? '' : job.progress)}
        </Text>
      </Group>
      {isUnderWay(job) && job.share !== undefined && (
        <Progress mt={4} value={job.share * 100} aria-label={`Progress of the ${job.kind}`} />
      )}
    </>
  )
}

/** At once, as it goes on meanwhile; one that is cancelled can be started again. */
export function CancelJob({ job }: { readonly job: Job }) {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const cancel = async () => {
    setBusy(true)
    await removeJob(job.id).catch(tellProblem)
    await client.invalidateQueries({ queryKey: [JOBS] })
    setBusy(false)
  }
  return (
    <Button size="compact-sm" variant="default" loading={isBusy} onClick={cancel}>
      Cancel
    </Button>
  )
}

interface RemoveJobProps {
  readonly job: Job
  readonly onRemove: (isRemoved: boolean) => void
}

function RemoveJob({ job: { id }, onRemove }: RemoveJobProps) {
  const client = useQueryClient()
  const remove = () => {
    const back = () => onRemove(false)
    onRemove(true)
    const act = async () => {
      await removeJob(id).finally(back)
      await client.invalidateQueries({ queryKey: [JOBS] })
    }
    doLater('The job is removed, with its files.', { things: [`${JOBS}/${id}`], act, undone: back })
  }
  return (
    <Button size="compact-sm" variant="default" onClick={remove}>
      Remove
    </Button>
  )
}
