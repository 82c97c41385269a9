/** The capabilities of the system and of a type. */
import { SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import type { ReactNode } from 'react'
import { useSearch } from '../../api/queries.ts'
import { PageLink } from '../../parts/links.tsx'
import { Panel } from '../../parts/panel.tsx'
import { OperationView } from './capability-operation.tsx'
import classes from './explorer.module.css'
import { OfferRow } from './offer-row.tsx'
import { type DeclaredType, type Example, NO_EXAMPLE, offersOf, operationsOf, systemOffers } from './offers.ts'

interface SystemViewProps {
  readonly statement: CapabilityStatement
}

export function SystemView({ statement }: SystemViewProps) {
  const [rest] = statement.rest ?? []
  return (
    <Stack miw={0}>
      <Panel title="The whole system">
        <Stack gap={6}>
          {systemOffers(statement).map((offer) => (
            <OfferRow key={offer.code} offer={offer} statement={statement} />
          ))}
        </Stack>
        <Text size="sm" mt="sm">
          {rest?.documentation}
        </Text>
        <Text size="sm" mt="xs" c="dimmed">
          {rest?.security?.description}
        </Text>
      </Panel>
      <Operations statement={statement} type="" example={NO_EXAMPLE} operations={operationsOf(rest)} />
      <SearchParameters parameters={rest?.searchParam ?? []} type="" />
    </Stack>
  )
}

interface TypeViewProps extends SystemViewProps {
  readonly resource: DeclaredType
}

export function TypeView({ statement, resource }: TypeViewProps) {
  const { type, searchParam = [], searchInclude = [], searchRevInclude = [] } = resource
  const example = useExample(resource)
  return (
    <Stack miw={0}>
      <Panel title={type}>
        <Stack gap={6}>
          {offersOf(resource, example).map((offer) => (
            <OfferRow key={offer.code} offer={offer} statement={statement} />
          ))}
        </Stack>
        <Flags resource={resource} />
      </Panel>
      <Operations statement={statement} type={type} example={example} operations={operationsOf(resource)} />
      <SearchParameters parameters={searchParam} type={type} />
      <Included title="Included by _include" name="_include" type={type} values={searchInclude} />
      <Included title="Included by _revinclude" name="_revinclude" type={type} values={searchRevInclude} />
    </Stack>
  )
}

/** The newest resource of the type, to which requests can be made. */
function useExample({ type, interaction = [] }: DeclaredType): Example {
  const isSearched = interaction.some(({ code }) => code === 'search-type')
  const { data } = useSearch(
    type,
    [
      ['_count', '1'],
      ['_sort', '-_lastUpdated'],
      ['_summary', 'true'],
    ],
    { enabled: isSearched },
  )
  const [found] = data?.entry ?? []
  const { id, meta } = found?.resource ?? {}
  return id === undefined ? NO_EXAMPLE : { id, version: meta?.versionId ?? '1' }
}

/** The members of a declared resource that are about versions, conditions and references. */
const FLAGS: readonly (readonly [name: keyof DeclaredType, label: string])[] = [
  ['profile', 'Profile'],
  ['supportedProfile', 'Supported profiles'],
  ['versioning', 'Versioning'],
  ['readHistory', 'Reads past versions'],
  ['updateCreate', 'Creates by update'],
  ['conditionalCreate', 'Conditional create'],
  ['conditionalRead', 'Conditional read'],
  ['conditionalUpdate', 'Conditional update'],
  ['conditionalDelete', 'Conditional delete'],
  ['referencePolicy', 'References'],
]

const Flags = ({ resource }: { readonly resource: DeclaredType }) => (
  <Table layout="fixed" verticalSpacing={4} mt="sm">
    <Table.Tbody>
      {FLAGS.filter(([name]) => resource[name] !== undefined).map(([name, label]) => (
        <Table.Tr key={name}>
          <Table.Th scope="row" w="40%" fw={400}>
            {label}
          </Table.Th>
          <Table.Td className="mono">{flagText(resource[name])}</Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)

function flagText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') : String(value)
}

interface OperationsProps extends SystemViewProps {
  readonly type: string
  readonly example: Example
  readonly operations: ReturnType<typeof operationsOf>
}

function Operations({ operations, ...of }: OperationsProps) {
  if (operations.length === 0) return null
  return (
    <Panel title="Operations">
      {operations.map((operation) => (
        <OperationView key={operation.code} {...of} operation={operation} />
      ))}
    </Panel>
  )
}

interface SearchParametersProps {
  readonly type: string
  readonly parameters: NonNullable<DeclaredType['searchParam']>
}

const SearchParameters = ({ type, parameters }: SearchParametersProps) => (
  <Panel title={`${parameters.length} search parameters`}>
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xs" verticalSpacing={2}>
      {parameters.map(({ name, type: kind, documentation }) => (
        <Text key={name} size="sm" title={documentation}>
          <Search path={`${type}?${name}=`}>{name}</Search>{' '}
          <Text span inherit c="dimmed">
            {kind}
          </Text>
        </Text>
      ))}
    </SimpleGrid>
  </Panel>
)

/** A search in the console, in parts where it is one of a type. */
const Search = ({ path, children }: { readonly path: string; readonly children: ReactNode }) => (
  <span className="mono">
    <PageLink to="/explorer" search={{ path, build: 'yes' }}>
      {children}
    </PageLink>
  </span>
)

interface IncludedProps {
  readonly title: string
  readonly name: string
  readonly type: string
  readonly values: readonly (string | null)[]
}

function Included({ title, name, type, values }: IncludedProps) {
  if (values.length === 0) return null
  return (
    <details className={`card ${classes.folded}`}>
      <summary>
        {title}: {values.length}
      </summary>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xs" verticalSpacing={2}>
        {values.map((value) => (
          <Text key={value} size="sm">
            <Search path={`${type}?${name}=${value}`}>{value}</Search>
          </Text>
        ))}
      </SimpleGrid>
    </details>
  )
}
