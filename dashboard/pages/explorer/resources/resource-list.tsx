/** The resources of a type, found by a search, sorted by a column, page after page. */
import { Button, Group, NativeSelect, Stack, Table, TextInput, UnstyledButton } from '@mantine/core'
import type { CapabilityStatement, FhirResource } from 'fhir/r4'
import { type FormEvent, useEffect, useState } from 'react'
import { usePages } from '../../../api/queries.ts'
import { useReferenceNames } from '../../../api/reference-names.ts'
import type { Column } from '../../../fhir/columns.ts'
import { useFilters } from '../../../parts/filters.ts'
import { LinkButton, PageLink } from '../../../parts/links.tsx'
import { Empty, Loaded, Loading } from '../../../parts/page-states.tsx'
import { Time } from '../../../parts/times.tsx'
import { Cells, type Members, referencesIn } from '../cells.tsx'
import { isOffered, typesWithSearch } from '../offers.ts'
import { BuildButton, SearchBuilder } from '../search-builder.tsx'
import { useColumns } from '../use-columns.ts'

/** Resources of a page. */
const PAGE = '50'

const FILTERS = { view: 'console', type: 'Patient', id: '', q: '', sort: '-_lastUpdated', build: '' }

interface ResourceListProps {
  readonly statement: CapabilityStatement
}

export function ResourceList({ statement }: ResourceListProps) {
  const [filters, setFilters] = useFilters(FILTERS)
  const types = typesWithSearch(statement)
  const type = types.includes(filters.type) ? filters.type : (types[0] ?? '')
  return (
    <Stack>
      <Group align="start" gap="sm">
        <NativeSelect
          label="Type"
          data={[...types]}
          value={type}
          onChange={(event) => setFilters({ type: event.currentTarget.value, id: '', q: '', sort: FILTERS.sort })}
        />
        <SearchForm key={type} statement={statement} type={type} />
        {isOffered(statement, type, 'create') && (
          <LinkButton
            mt={{ base: 0, sm: 24 }}
            variant="default"
            to="/explorer"
            // The form saves by an update; where there is none, the console creates.
            search={
              isOffered(statement, type, 'update')
                ? { view: 'resources', type, new: 'yes' }
                : { method: 'POST', path: type, fill: 'yes' }
            }
          >
            New {type}
          </LinkButton>
        )}
      </Group>
      {type !== '' && <Found statement={statement} type={type} />}
    </Stack>
  )
}

/** The search of the list: as its query, or in parts. */
function SearchForm({ statement, type }: ResourceListProps & { readonly type: string }) {
  const [{ q, build }, setFilters] = useFilters(FILTERS)
  const [typed, setTyped] = useState(q)
  useEffect(() => setTyped(q), [q])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setFilters({ q: typed })
  }
  const isBuilt = build === 'yes'
  return (
    <>
      <form onSubmit={submit} style={{ flex: '1 1 260px' }} aria-label="Search">
        <Group align="end" gap="xs">
          <TextInput
            label="Search parameters"
            placeholder="status=active&_count=20"
            flex="1 1 160px"
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit">Search</Button>
          <BuildButton isBuilt={isBuilt} onChange={setFilters} />
        </Group>
      </form>
      {isBuilt && (
        <SearchBuilder
          statement={statement}
          path={typed === '' ? type : `${type}?${typed}`}
          onChange={(path) => setTyped(path.slice(type.length + 1))}
        />
      )}
    </>
  )
}

function Found({ statement, type }: ResourceListProps & { readonly type: string }) {
  const [{ q, sort }] = useFilters(FILTERS)
  const asked: [string, string][] = [...new URLSearchParams(q)]
  const isGiven = (name: string): boolean => asked.some(([one]) => one === name)
  const search = usePages<FhirResource>(
    type,
    [
      ...asked,
      ...(isGiven('_sort') || sort === '' ? [] : [['_sort', sort] as const]),
      ...(isGiven('_count') ? [] : [['_count', PAGE] as const]),
    ],
    { keepsPrevious: false },
  )
  const columns = useColumns(statement, type)
  const data = columns && search.resources
  const query = { data, error: search.error, refetch: search.refetch }
  return (
    <Loaded query={query} rows={10}>
      {(resources) => (
        <>
          <Rows type={type} resources={resources as unknown as readonly Members[]} columns={columns ?? []} />
          {search.hasNextPage && (
            <Group>
              <Button variant="default" loading={search.isFetchingNextPage} onClick={() => void search.fetchNextPage()}>
                Next page
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  )
}

interface RowsProps {
  readonly type: string
  readonly resources: readonly Members[]
  readonly columns: readonly Column[]
}

function Rows({ type, resources, columns }: RowsProps) {
  const names = useReferenceNames(referencesIn(resources, columns))
  if (resources.length === 0)
    return (
      <Empty icon="search" title={`No ${type} is found`}>
        Another search may find some, and a new one stands here at once.
      </Empty>
    )
  // A name may take more lines than a reference.
  if (names === undefined) return <Loading rows={10} />
  return (
    <Table.ScrollContainer minWidth={240 + columns.length * 140}>
      <Table verticalSpacing={6} aria-label={type}>
        <Table.Thead>
          <Table.Tr>
            <SortHead name="Id" sort="_id" />
            {columns.map(({ name, sort }) => (
              <SortHead key={name} name={name} sort={sort} />
            ))}
            <SortHead name="Last updated" sort="_lastUpdated" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {resources.map((resource) => (
            <Table.Tr key={String(resource.id)}>
              <Table.Td miw={130} maw={200}>
                <PageLink to="/explorer" search={{ view: 'resources', type, id: String(resource.id) }}>
                  <span className="mono">{String(resource.id)}</span>
                </PageLink>
              </Table.Td>
              <Cells resource={resource} columns={columns} names={names} />
              <Table.Td>
                <Time at={(resource.meta as { readonly lastUpdated?: string } | undefined)?.lastUpdated} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const DIRECTIONS = { '': 'none', '-': 'descending', '+': 'ascending' } as const

/** A heading that sorts: first upwards, then downwards. */
function SortHead({ name, sort }: { readonly name: string; readonly sort: string | undefined }) {
  const [filters, setFilters] = useFilters(FILTERS)
  if (sort === undefined) return <Table.Th>{name}</Table.Th>
  const direction = filters.sort === sort ? '+' : filters.sort === `-${sort}` ? '-' : ''
  return (
    <Table.Th aria-sort={DIRECTIONS[direction]}>
      <UnstyledButton
        fw={700}
        fz="sm"
        onClick={() => setFilters({ sort: direction === '+' ? `-${sort}` : sort }, { replace: true })}
      >
        {name}
        <span aria-hidden="true">{{ '': '', '-': ' ↓', '+': ' ↑' }[direction]}</span>
      </UnstyledButton>
    </Table.Th>
  )
}
