/** The cells of a row of resources of one type, by its columns. */
import { Table } from '@mantine/core'
import { useMemo } from 'react'
import type { Column } from '../../fhir/columns.ts'
import { timeText } from '../../fhir/time.ts'
import { valueText } from '../../fhir/value-text.ts'
import { useZone } from '../../parts/times.tsx'

export type Members = Readonly<Record<string, unknown>>

interface CellsProps {
  readonly resource: Members
  readonly columns: readonly Column[]
  /** By `Patient/p1`; undefined until they are read. */
  readonly names: ReadonlyMap<string, string> | undefined
}

/** Characters of a cell. */
const MOST = 200

export function Cells({ resource, columns, names }: CellsProps) {
  const zone = useZone()
  const told = useMemo(
    () => ({ time: (at: string) => timeText(at, zone), target: (reference: string) => names?.get(reference) }),
    [zone, names],
  )
  return columns.map(({ name, elements }) => {
    const texts = elements.map((element) => valueText(resource[element.name], element.type.code, told))
    return (
      <Table.Td key={name} maw={260}>
        <bdi>{texts.join(' ').trim().slice(0, MOST)}</bdi>
      </Table.Td>
    )
  })
}

/** The references in these columns, whose names are to be read. */
export const referencesIn = (resources: readonly Members[], columns: readonly Column[]): readonly string[] =>
  resources.flatMap((resource) =>
    columns
      .flatMap(({ elements }) => elements)
      .filter(({ type }) => type.code === 'Reference')
      .flatMap(({ name }) => [resource[name] ?? []].flat())
      .flatMap(referenceWithoutName),
  )

function referenceWithoutName(value: unknown): readonly string[] {
  const { reference, display } = (value ?? {}) as Members
  return typeof reference === 'string' && display === undefined ? [reference] : []
}
