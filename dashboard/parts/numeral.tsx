/** A number with its label, in a `dl`. */
import { Skeleton, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface NumeralProps {
  readonly label: string
  /** Undefined while it loads. */
  readonly value: ReactNode
  readonly isBad?: boolean
}

export const Numeral = ({ label, value, isBad = false }: NumeralProps) => (
  <div className="card" style={{ padding: 'var(--mantine-spacing-md)' }}>
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} fz={28} fw={650} lh={1.2} className="number" c={isBad ? 'red' : undefined}>
      {(typeof value === 'number' ? value.toLocaleString('en') : value) ?? <Skeleton height="1.2em" width={48} />}
    </Text>
  </div>
)
