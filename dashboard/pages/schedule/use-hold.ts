/**
 * The hold of a time for as long as its dialog is open: docs/operations/appointment-hold.md. The server ends it after some
 * minutes; closing the dialog, or another time in it, ends it sooner.
 */
import type { Appointment } from 'fhir/r4'
import { useEffect, useReducer, useRef, useState } from 'react'
import { errorText } from '../../api/problem.ts'
import { useGet } from '../../api/queries.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import type { Column } from './use-plan.ts'
import { pathOf, type VisitActions } from './visit-actions.ts'

export type Hold =
  | { readonly kind: 'asking' }
  | { readonly kind: 'held'; readonly visit: Appointment }
  | { readonly kind: 'ended' }
  | { readonly kind: 'refused'; readonly why: string }

type Made = Exclude<Hold, { readonly kind: 'ended' }>

interface Holding extends Pick<VisitActions, 'hold' | 'release'> {
  /** Receives the ids of the Slots that are held from now on. */
  readonly onAsk: (slots: readonly string[]) => void
}

export function useHold(time: FreeTime | undefined, columns: readonly Column[], actions: Holding) {
  const [made, setMade] = useState<Made>()
  const [round, again] = useReducer((count: number) => count + 1, 0)
  const latest = useRef<Promise<Appointment | undefined>>(Promise.resolve(undefined))
  const given = useRef({ time, columns, actions })
  given.current = { time, columns, actions }
  const key = time?.slots.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hold is of the slots, and made anew when it is asked for
  useEffect(() => {
    const { time: wanted, columns: all, actions: act } = given.current
    if (key === undefined || wanted === undefined) return
    let isOver = false
    setMade({ kind: 'asking' })
    act.onAsk(wanted.slots)
    const schedule = all.find(({ id }) => id === wanted.schedule)?.schedule
    // The time before it is let go first, as both may have a slot in common.
    const asked = latest.current.then(() => (isOver ? undefined : act.hold(wanted, schedule)))
    latest.current = asked.then(
      (visit) => {
        if (!isOver && visit !== undefined) setMade({ kind: 'held', visit })
        return visit
      },
      (error: unknown) => {
        if (!isOver) setMade({ kind: 'refused', why: errorText(error) })
        return undefined
      },
    )
    return () => {
      isOver = true
      latest.current = latest.current.then(async (visit) => {
        if (visit !== undefined) await act.release(visit)
        return undefined
      })
    }
  }, [key, round])
  return {
    hold: useCurrent(time === undefined ? undefined : made),
    again,
    /** The hold that a booking ends, once the server has responded. */
    held: () => latest.current,
    /** Leaves a hold alone that a booking has ended. */
    forget: () => {
      latest.current = Promise.resolve(undefined)
    },
  }
}

/** The hold as it is by now: others may have ended it. */
function useCurrent(made: Made | undefined): Hold | undefined {
  const visit = made?.kind === 'held' ? made.visit : undefined
  const { data } = useGet<Appointment>(pathOf(visit?.id ?? ''), { enabled: visit !== undefined })
  return visit !== undefined && data !== undefined && data.status !== 'pending' ? { kind: 'ended' } : made
}
