/** The data of a calendar: columns, entries, and the time behind them. */
import type { ReactNode } from 'react'

export interface CalendarColumn {
  readonly id: string
  /** The Schedule whose entries it has, and their day. */
  readonly row: string
  readonly day: string
  readonly head: ReactNode
  /** The name that screen readers hear. */
  readonly name: string
}

export interface CalendarEntry {
  readonly id: string
  readonly row: string
  /** The full description, as a tooltip. */
  readonly title: string
  readonly label: string
  /** Heard by screen readers after the label. */
  readonly spoken: string
  /** A kind of visit, which the legend explains. */
  readonly kind: string
  /** Instants. */
  readonly start: string
  readonly end: string
  readonly look: 'visit' | 'done' | 'held' | 'missed' | 'free'
  readonly isMovable: boolean
}

/** Time behind the entries: that of the hours, and that which is taken out of them, with the reason. */
export interface CalendarShade {
  readonly id: string
  readonly row: string
  readonly start: string
  readonly end: string
  readonly look: 'open' | 'shut'
  readonly text: string
  /** The id with which it is opened; absent: it cannot be. */
  readonly opens?: string | undefined
}

/** Place at which an entry would be after a drop; undefined where it may not be dropped. */
export type Drop = { readonly start: string; readonly end: string } | undefined

export interface CalendarProps {
  readonly name: string
  readonly columns: readonly CalendarColumn[]
  readonly entries: readonly CalendarEntry[]
  readonly shades: readonly CalendarShade[]
  readonly zone: string
  /** Minutes of the shortest entry. */
  readonly step: number
  readonly onOpen: (id: string) => void
  /** @returns where the entry would be if it were dropped at a wall time of the clinic, `2026-11-24 10:30:00` */
  readonly dropsOf: (id: string) => (row: string, naive: string) => Drop
  readonly onDrop: (id: string, row: string, naive: string) => void
}
