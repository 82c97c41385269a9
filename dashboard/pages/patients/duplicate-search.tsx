/** The clinic's search for duplicates: begun, watched, ended. It continues without this page. */
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { endDuplicateSearch, searchForDuplicates, useDuplicateSearch } from '../../api/duplicates.ts'
import { shareOf } from '../../fhir/pairs.ts'
import { ErrorView } from '../../parts/page-states.tsx'
import { tellProblem } from '../../parts/undo.tsx'

interface DuplicateSearchProps {
  readonly run: string
  readonly onRun: (run: string) => void
}

export const DuplicateSearch = ({ run, onRun }: DuplicateSearchProps) =>
  run === '' ? <Begin onRun={onRun} /> : <UnderWay run={run} onOver={() => onRun('')} />

function Begin({ onRun }: { readonly onRun: (run: string) => void }) {
  const [isBusy, setBusy] = useState(false)
  const begin = () => {
    setBusy(true)
    searchForDuplicates()
      .then(onRun, tellProblem)
      .finally(() => setBusy(false))
  }
  return (
    <Group gap="sm">
      <Button loading={isBusy} onClick={begin}>
        Search the clinic
      </Button>
      <Text size="sm" c="dimmed" flex="1 1 200px">
        Compares all patients in the background; it takes some two minutes for 10,000.
      </Text>
    </Group>
  )
}

function UnderWay({ run, onOver }: { readonly run: string; readonly onOver: () => void }) {
  const client = useQueryClient()
  const { data, error, refetch } = useDuplicateSearch(run)
  const isOver = data !== undefined && data.progress === undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is over
  useEffect(() => {
    if (!isOver) return
    void client.invalidateQueries({ queryKey: ['Patient', '$find-duplicates'] })
    onOver()
  }, [isOver])
  if (error !== null) return <ErrorView error={error} onRetry={refetch} />
  const progress = data?.progress ?? ''
  const share = shareOf(progress)
  const end = () => endDuplicateSearch(run).then(() => refetch(), tellProblem)
  return (
    <Stack className="card" p="md" gap="xs">
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {progress === '' ? 'The search is under way' : progress}
        </Text>
        <Button size="xs" variant="default" onClick={end}>
          End the search
        </Button>
      </Group>
      <Progress value={share ?? 100} animated={share === undefined} aria-label="Patients compared" />
    </Stack>
  )
}
