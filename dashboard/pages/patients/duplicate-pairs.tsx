/**
 * Pairs of records that are likely to be of one person, found by a search of the whole clinic; each merged or kept
 * apart.
 */
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Patient } from 'fhir/r4'
import { useState } from 'react'
import { declareDistinct, usePairs } from '../../api/duplicates.ts'
import { patientName, telecomOf } from '../../fhir/names.ts'
import type { Pair } from '../../fhir/pairs.ts'
import { isPlaceholder } from '../../fhir/patients.ts'
import { dateText, timeText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { LikelihoodBadge } from '../../parts/likelihood.tsx'
import { PageLink } from '../../parts/links.tsx'
import { Merge } from '../../parts/merge.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { ZoneNote } from '../../parts/times.tsx'
import { offerUndo, tellProblem } from '../../parts/undo.tsx'
import { DuplicateSearch } from './duplicate-search.tsx'

interface DuplicatePairsProps {
  /** Number of the search that is watched; empty: none. */
  readonly run: string
  readonly onRun: (run: string) => void
}

export function DuplicatePairs({ run, onRun }: DuplicatePairsProps) {
  const query = usePairs()
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  return (
    <Stack maw={860}>
      <DuplicateSearch run={run} onRun={onRun} />
      <Loaded query={query}>
        {({ pairs, notes }) => (
          <>
            {pairs.length === 0 ? (
              <Empty icon="check" title="No pairs">
                A search compares every patient with those who may be the same person, and lists the pairs here.
              </Empty>
            ) : (
              <Pairs pairs={pairs} />
            )}
            {hasNextPage && (
              <Button variant="default" w="fit-content" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
                Show more
              </Button>
            )}
            <Notes notes={notes} />
          </>
        )}
      </Loaded>
    </Stack>
  )
}

/** For clients over FHIR: the page has a button. */
const HOW_TO_BEGIN = /; begin one with the header .*/
const INSTANT = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** The server's remarks on the search, with their times in the clinic's zone. */
function Notes({ notes }: { readonly notes: readonly string[] }) {
  const { timeZone } = useClinic()
  if (notes.length === 0) return null
  return (
    <Text component="div" c="dimmed" role="note">
      {notes.map((note) => (
        <Text key={note}>{note.replace(HOW_TO_BEGIN, '.').replace(INSTANT, (at) => timeText(at, timeZone))}</Text>
      ))}
      <ZoneNote />
    </Text>
  )
}

function Pairs({ pairs }: { readonly pairs: readonly Pair[] }) {
  const [merging, setMerging] = useState<Pair>()
  return (
    <Stack component="ul" gap="sm" m={0} p={0} aria-label="Pairs" style={{ listStyle: 'none' }}>
      {pairs.map((pair) => (
        <PairCard key={`${pair.source.id} ${pair.other.id}`} pair={pair} onMerge={() => setMerging(pair)} />
      ))}
      {merging !== undefined && (
        <Merge target={merging.source} source={merging.other} onClose={() => setMerging(undefined)} />
      )}
    </Stack>
  )
}

function PairCard({ pair, onMerge }: { readonly pair: Pair; readonly onMerge: () => void }) {
  const { source, other } = pair
  const client = useQueryClient()
  const declare = async (isRevoked: boolean) => {
    await declareDistinct([source.id ?? '', other.id ?? ''], isRevoked)
    await client.invalidateQueries({ queryKey: ['Patient', '$find-duplicates'] })
  }
  const keepApart = () =>
    declare(false).then(
      () =>
        offerUndo(`${patientName(source)} and ${patientName(other)} are two people.`, {
          things: [`pairs/${source.id}/${other.id}`],
          undo: () => declare(true),
        }),
      tellProblem,
    )
  return (
    <li className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} mb="sm">
        <Side patient={source} />
        <Side patient={other} />
      </SimpleGrid>
      <Group justify="space-between" gap="sm">
        <LikelihoodBadge {...pair} />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={keepApart}>
            These are two people
          </Button>
          <Button size="xs" variant="light" onClick={onMerge}>
            Compare and merge
          </Button>
        </Group>
      </Group>
    </li>
  )
}

function Side({ patient }: { readonly patient: Patient }) {
  const { id, birthDate, telecom, identifier } = patient
  const born = dateText(birthDate)
  const facts = [
    born && `born ${born}`,
    telecomOf(telecom, 'phone'),
    identifier?.[0]?.value,
    isPlaceholder(patient) && 'unknown caller',
  ]
  return (
    <Stack gap={0} miw={0}>
      <Text size="sm" fw={600}>
        <PageLink to={`/patients/${id}`}>
          <bdi>{patientName(patient)}</bdi>
        </PageLink>
      </Text>
      <Text size="sm" c="dimmed">
        {facts.filter(Boolean).join(' · ')}
      </Text>
    </Stack>
  )
}
