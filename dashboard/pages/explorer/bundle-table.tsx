/** The entries of a Bundle as a table; where all are of one type, with the columns of that type. */
import { Anchor, Badge, Button, Table } from '@mantine/core'
import type { Bundle, BundleEntry, CapabilityStatement } from 'fhir/r4'
import { useState } from 'react'
import { useReferenceNames } from '../../api/reference-names.ts'
import { resourceName } from '../../fhir/resource-name.ts'
import { Cells, type Members, referencesIn } from './cells.tsx'
import { useColumns } from './use-columns.ts'

interface BundleTableProps {
  readonly bundle: Bundle
  readonly statement: CapabilityStatement
  readonly onOpen: (path: string) => void
}

/** Rows that are drawn at first, and added by the button. */
const ROWS = 100

export function BundleTable({ bundle: { entry = [] }, statement, onOpen }: BundleTableProps) {
  const [shown, setShown] = useState(ROWS)
  const rows = entry.slice(0, shown)
  const types = [
    ...new Set(entry.flatMap(({ resource, search }) => (isMatch(search) ? (resource?.resourceType ?? []) : []))),
  ]
  const [type = ''] = types
  const columns = useColumns(statement, type, types.length === 1) ?? []
  const names = useReferenceNames(referencesIn(rows.map(membersOf), columns))
  return (
    <>
      <Table.ScrollContainer minWidth={600}>
        <Table verticalSpacing={6} striped>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Resource</Table.Th>
              <Table.Th>Entry</Table.Th>
              {columns.map(({ name }) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
              {columns.length === 0 && <Table.Th>Name</Table.Th>}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((one, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no other name
              <Table.Tr key={index}>
                <Table.Td>
                  <Address entry={one} onOpen={onOpen} />
                </Table.Td>
                <Table.Td>
                  <Role entry={one} />
                </Table.Td>
                {columns.length === 0 ? (
                  <Table.Td>{resourceName(membersOf(one))}</Table.Td>
                ) : (
                  <Cells
                    resource={one.resource?.resourceType === type ? membersOf(one) : {}}
                    columns={columns}
                    names={names}
                  />
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {entry.length > shown && (
        <Button mt="xs" size="xs" variant="default" onClick={() => setShown(shown + ROWS)}>
          {entry.length - shown} more
        </Button>
      )}
    </>
  )
}

const isMatch = (search: BundleEntry['search']): boolean => search?.mode === undefined || search.mode === 'match'

const membersOf = ({ resource }: BundleEntry): Members => (resource ?? {}) as Members

function Address({ entry, onOpen }: { readonly entry: BundleEntry; readonly onOpen: (path: string) => void }) {
  const { resource, request, response, fullUrl } = entry
  const own = resource?.id === undefined ? undefined : `${resource.resourceType}/${resource.id}`
  const address = own ?? request?.url ?? response?.location ?? fullUrl ?? ''
  if (resource?.resourceType === 'OperationOutcome') return <>{resource.resourceType}</>
  if (own === undefined) return <span className="mono">{address}</span>
  return (
    <Anchor component="button" type="button" inherit className="mono" ta="start" onClick={() => onOpen(own)}>
      {own}
    </Anchor>
  )
}

function Role({ entry: { search, request, response, resource } }: { readonly entry: BundleEntry }) {
  const said = [request?.method, response?.status, search?.mode].filter(Boolean).join(' ')
  return (
    <>
      {said !== '' && <Badge variant="default">{said}</Badge>}{' '}
      {resource?.meta?.versionId && `version ${resource.meta.versionId}`}
    </>
  )
}
