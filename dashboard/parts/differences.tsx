/** The differences between two versions, line by line: before and after. */
import { Table, Text } from '@mantine/core'
import type { Difference } from '../fhir/diff.ts'

export function Differences({ differences }: { readonly differences: readonly Difference[] }) {
  if (differences.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Nothing but meta differs.
      </Text>
    )
  }
  return (
    <Table layout="fixed" verticalSpacing={4} withRowBorders={false}>
      <Table.Tbody>
        {differences.map(({ path, before, after }) => (
          <Table.Tr key={path}>
            <Table.Th scope="row" w="35%" className="mono" fw={400}>
              {path}
            </Table.Th>
            <Table.Td>
              {before !== undefined && <del className="before">{before}</del>}{' '}
              {after !== undefined && <ins className="after">{after}</ins>}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
