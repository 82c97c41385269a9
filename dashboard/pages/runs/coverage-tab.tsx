/** The interactions, search parameters and operations that the client used, of those that the server offers. */
import { SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { CapabilityStatement } from 'fhir/r4'
import { useGet } from '../../api/queries.ts'
import type { Run } from '../../api/rehearsal-answers.ts'
import { Numeral } from '../../parts/numeral.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { type Coverage, type Covered, coverageOf, KINDS } from './coverage.ts'

const TITLES = { interactions: 'Interactions', searchParameters: 'Search parameters', operations: 'Operations' }

export function CoverageTab({ run: { observed, as } }: { readonly run: Run }) {
  const query = useGet<CapabilityStatement>(as === undefined ? 'metadata' : `as/${as}/metadata`)
  return (
    <Loaded query={query} rows={8}>
      {(statement) => (
        <Stack>
          <CoverageView coverage={coverageOf(statement, observed)} />
          {observed.tools.length > 0 && <Text size="sm">Tools that were called: {observed.tools.join(', ')}</Text>}
        </Stack>
      )}
    </Loaded>
  )
}

const ofAll = ({ used, offered }: Covered): string =>
  `${used.length.toLocaleString('en')} of ${offered.toLocaleString('en')}`

function CoverageView({ coverage: { types, offered, totals } }: { readonly coverage: Coverage }) {
  if (types.length === 0) {
    return (
      <Empty icon="explorer" title="No FHIR request of a type so far">
        What the client uses of the CapabilityStatement shows up here.
      </Empty>
    )
  }
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 4 }} component="dl" m={0}>
        <Numeral label="Types" value={`${types.length} of ${offered}`} />
        {KINDS.map((kind) => (
          <Numeral key={kind} label={TITLES[kind]} value={ofAll(totals[kind])} />
        ))}
      </SimpleGrid>
      <Table.ScrollContainer minWidth={760} className="card">
        <Table verticalSpacing="xs" aria-label="Coverage of the CapabilityStatement">
          <Table.Thead>
            <Table.Tr>
              {['Type', ...KINDS.map((kind) => TITLES[kind]), 'Used, but not offered'].map((title) => (
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {types.map((row) => (
              <Table.Tr key={row.type}>
                <Table.Th scope="row">{row.type}</Table.Th>
                {KINDS.map((kind) => (
                  <Table.Td key={kind}>
                    <span className="number">{ofAll(row[kind])}</span>
                    <Text size="xs" c="dimmed">
                      {row[kind].used.join(', ')}
                    </Text>
                  </Table.Td>
                ))}
                <Table.Td>{row.others.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}
