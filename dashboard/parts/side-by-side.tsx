/** A table of two records side by side, a row for each element. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface SideBySideProps {
  readonly heads: readonly [left: string, right: string]
  readonly children: ReactNode
}

export const SideBySide = ({ heads, children }: SideBySideProps) => (
  <Table layout="fixed" horizontalSpacing={6} fz="sm">
    <Table.Thead>
      <Table.Tr>
        <Table.Td w={88} />
        {heads.map((head) => (
          <Table.Th key={head}>{head}</Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>{children}</Table.Tbody>
  </Table>
)
