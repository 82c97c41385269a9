/** The command palette: pages, patients, and `Type/id`. */
import { Kbd, Text } from '@mantine/core'
import { createSpotlight, Spotlight } from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import type { Patient } from 'fhir/r4'
import { useEffect, useLayoutEffect, useState } from 'react'
import { isCurrent, useSearch } from '../../api/queries.ts'
import { matchesIn } from '../../fhir/bundles.ts'
import { patientName, referenceParts } from '../../fhir/names.ts'
import { criteriaOf, piecesOf } from '../../fhir/patient-criteria.ts'
import { reasonsFor, SEARCHED } from '../../fhir/patient-reasons.ts'
import { dateText } from '../../fhir/time.ts'
import { useMaybeClinic } from '../clinic-context.tsx'
import { Icon } from '../icon.tsx'
import { useDateReading } from '../use-date-reading.ts'
import { useGo } from '../use-go.ts'
import { useNavigation } from '../use-navigation.ts'
import { DocEntries, useDocs } from './doc-entries.tsx'

const [store, palette] = createSpotlight()

interface PaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function Palette({ isOpen, onClose }: PaletteProps) {
  const [query, setQuery] = useState('')
  useEffect(() => (isOpen ? palette.open() : palette.close()), [isOpen])
  const lead = useGo()
  const go: EntriesProps['go'] = (to, search) => {
    onClose()
    lead(to, search)
  }
  return (
    <Spotlight.Root
      store={store}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={onClose}
      shortcut={null}
      scrollable
      maxHeight={360}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <Spotlight.Search
        placeholder="Page, patient, or Patient/123"
        aria-label="Page, patient, or Patient/123"
        leftSection={<Icon name="search" />}
      />
      <Spotlight.ActionsList>
        <Entries query={query.trim()} go={go} />
      </Spotlight.ActionsList>
      <Spotlight.Footer>
        <Text size="xs" c="dimmed">
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> choose, <Kbd size="xs">Enter</Kbd> opens,{' '}
          <Kbd size="xs">Esc</Kbd> closes
        </Text>
      </Spotlight.Footer>
    </Spotlight.Root>
  )
}

/** Marks the first entry once the search is done, unless the arrow keys have marked another one meanwhile. */
function markFirst(): void {
  if (store.getState().selected <= 0) mark(0)
}

/** Keeps the mark on its entry where others come or go above it; where it is gone itself, the first one has the mark. */
function keepMark(): void {
  const at = entries().findIndex((entry) => entry.dataset['selected'] !== undefined)
  if (at < 0) mark(0)
  else if (at !== store.getState().selected) store.updateState((state) => ({ ...state, selected: at }))
}

/** Marks an entry as Spotlight does, which knows it by its index. */
function mark(index: number): void {
  const all = entries()
  for (const entry of all) entry.removeAttribute('data-selected')
  all[index]?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: index }))
}

const entries = (): readonly HTMLElement[] => [
  ...(document.getElementById(store.getState().listId)?.querySelectorAll<HTMLElement>('[data-action]') ?? []),
]

interface EntriesProps {
  readonly query: string
  readonly go: (to: string, search?: Record<string, string>) => void
}

function Entries({ query, go }: EntriesProps) {
  const clinic = useMaybeClinic()
  const navigation = useNavigation()
  const pieces = piecesOf(query, useDateReading())
  const isReference = referenceParts(query) !== undefined
  // Each letter starts a search at once, and aborts the one before.
  const isName = query !== '' && !isReference && clinic !== undefined
  const found = useSearch('Patient', [...criteriaOf(pieces), ['_count', '6'], ['_elements', SEARCHED]], {
    enabled: isName,
    keepsPrevious: true,
  })
  // A new patient is offered below those who are found, and is never what Enter takes while they are searched.
  const isSettled = isName && isCurrent(found)
  // Before the entries are seen, so that Enter finds the one that is marked.
  useLayoutEffect(() => {
    if (isSettled) markFirst()
  }, [isSettled])
  useLayoutEffect(() => {
    if (query !== '') keepMark()
  })
  const isCommand = 'new patient'.startsWith(query.toLowerCase())
  const patients = isName && found.data !== undefined ? matchesIn<Patient>(found.data) : []
  const shown = navigation.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()))
  const docs = useDocs(isReference ? '' : query)
  const isEmpty = !isReference && docs.length === 0 && shown.length === 0 && patients.length === 0 && !found.isFetching
  return (
    <>
      {isReference && <ReferenceEntry reference={query} go={go} />}
      {shown.map(({ path, label, icon }) => (
        <Spotlight.Action key={path} label={label} leftSection={<Icon name={icon} />} onClick={() => go(path)} />
      ))}
      {patients.map((patient) => (
        <Spotlight.Action
          key={patient.id}
          label={patientName(patient)}
          description={[dateText(patient.birthDate), reasonsFor(patient, pieces)].filter(Boolean).join(' · ')}
          leftSection={<Icon name="user" />}
          onClick={() => go(`/patients/${patient.id}`)}
        />
      ))}
      {isSettled && (
        <Spotlight.Action
          label={isCommand ? 'New patient …' : `New patient “${query}” …`}
          leftSection={<Icon name="user" />}
          onClick={() => go('/patients', { ...(isCommand ? {} : { q: query }), dialog: 'new' })}
        />
      )}
      <DocEntries found={docs} go={go} />
      {isEmpty && <Spotlight.Empty>No page and no patient is called so</Spotlight.Empty>}
    </>
  )
}

function ReferenceEntry({ reference, go }: { readonly reference: string; readonly go: EntriesProps['go'] }) {
  const { type = '', id = '' } = referenceParts(reference) ?? {}
  const open = () => (type === 'Patient' ? go(`/patients/${id}`) : go('/explorer', { open: `${type}/${id}` }))
  return <Spotlight.Action label={`Open ${type}/${id}`} leftSection={<Icon name="explorer" />} onClick={open} />
}
