/** New rows of a list wait behind a button that counts them, so that no row moves while the user reads or clicks. */
import { Button } from '@mantine/core'
import { useState } from 'react'

interface Arriving<T> {
  /** All current items. */
  readonly items: readonly T[]
  readonly idOf: (item: T) => string
  /** Whether the items have been read since the list was opened; those of the first read do not count as new. */
  readonly isCurrent: boolean
}

/** @returns whether an item is to be shown, and a function that shows the new ones */
export function useArrivals<T>({ items, idOf, isCurrent }: Arriving<T>) {
  const [seen, setSeen] = useState<ReadonlySet<string>>()
  const showAll = () => setSeen(new Set([...(seen ?? []), ...items.map(idOf)]))
  if (isCurrent && seen === undefined) showAll()
  return { hasSeen: (item: T): boolean => seen?.has(idOf(item)) ?? true, showAll }
}

interface ArrivalsProps {
  readonly count: number
  readonly onShow: () => void
}

export const Arrivals = ({ count, onShow }: ArrivalsProps) => (
  <div role="status">
    {count > 0 && (
      <Button size="xs" mb="xs" onClick={onShow}>
        {count} new
      </Button>
    )}
  </div>
)
