/** Rows that come while somebody reads a list wait behind a button that counts them, so that none moves under a hand. */
import { Button } from '@mantine/core'
import { useState } from 'react'

interface Arriving<T> {
  /** All that there are now. */
  readonly items: readonly T[]
  readonly idOf: (item: T) => string
  /** The items have been read since the list is seen; what was there by then has not arrived. */
  readonly isCurrent: boolean
}

/** @returns what the list has, without what has come since, and how that is shown */
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
