/** A list as a table: a card that scrolls sideways where it is narrow. */
import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

interface ListTableProps {
  readonly titles: readonly string[]
  /** Pixels. */
  readonly minWidth: number
  readonly label?: string
  /** The rows. */
  readonly children: ReactNode
}

export const ListTable = ({ titles, minWidth, label, children }: ListTableProps) => (
  <Table.ScrollContainer minWidth={minWidth} className="card">
    <Table verticalSpacing="xs" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {titles.map((title) => (
            <Table.Th key={title}>{title}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)
