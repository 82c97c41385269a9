/** A long list of links that draws only the visible rows, and loads more when its end is near. */
import { Box } from '@mantine/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'

interface VirtualListProps<T> {
  readonly items: readonly T[]
  readonly label: string
  readonly keyOf: (item: T) => string
  /** A link or a button that fills its row. */
  readonly children: (item: T) => ReactNode
  /** Pixels. */
  readonly rowHeight?: number
  /** At most, in CSS. */
  readonly height: string
  readonly hasMore?: boolean
  readonly onEnd?: () => void
}

/** Rows before the end at which more are loaded. */
const AHEAD = 30

export function VirtualList<T>({
  items,
  label,
  keyOf,
  children,
  rowHeight = 40,
  height,
  hasMore = false,
  onEnd,
}: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keyOf(items[index] as T),
    overscan: 6,
  })
  const rows = virtual.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= items.length - AHEAD) onEnd?.()
  }, [hasMore, last, items.length, onEnd])
  const setSize = hasMore ? -1 : items.length
  return (
    <Box
      ref={box}
      className="rows"
      h={`min(${height}, ${items.length * rowHeight}px)`}
      role="list"
      aria-label={label}
      onKeyDown={moveByArrows}
    >
      <Box h={virtual.getTotalSize()} pos="relative" role="presentation">
        {rows.map(({ index, key, start }) => (
          <Box
            key={key}
            role="listitem"
            aria-posinset={index + 1}
            aria-setsize={setSize}
            pos="absolute"
            top={0}
            left={0}
            right={0}
            h={rowHeight}
            style={{ transform: `translateY(${start}px)` }}
          >
            {children(items[index] as T)}
          </Box>
        ))}
      </Box>
    </Box>
  )
}

/** Up and down go from row to row. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = (event.target as HTMLElement).closest('[role=listitem]')
  if (step === undefined || row === null) return
  const at = Number(row.getAttribute('aria-posinset'))
  const next = row.parentElement?.querySelector<HTMLElement>(`[aria-posinset="${at + step}"] :is(a, button)`)
  if (next === null || next === undefined) return
  event.preventDefault()
  next.focus()
}
