/**
 * Changes that are shown at once, before the server has confirmed them: a dragged visit stands where it was dropped,
 * and
 * a missed one looks so. Refused changes are reverted.
 */
import { useCallback, useState } from 'react'
import { Problem } from '../../api/problem.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { timeText } from '../../fhir/time.ts'
import { type Visit, type VisitStatus, visitStatusText } from '../../fhir/visits.ts'
import { doLater, offerUndo, tellProblem } from '../../parts/undo.tsx'
import { pathOf, type VisitActions } from './visit-actions.ts'

type Shown = Partial<Pick<Visit, 'start' | 'end' | 'schedule' | 'status'>>

interface MoveOptions {
  readonly zone: string
  /** Shows the free times instead. */
  readonly onRefused: (visit: Visit) => void
}

export function useMoves(actions: VisitActions, { zone, onRefused }: MoveOptions) {
  const [shown, setShown] = useState<Readonly<Record<string, Shown>>>({})
  const show = (id: string, as: Shown) => setShown((all) => ({ ...all, [id]: as }))

  /** Unless something newer is shown by now. */
  const end = (id: string, as: Shown) =>
    setShown((all) => {
      const { [id]: current, ...others } = all
      return current === as ? others : all
    })

  /** @throws Problem, or Error where the visit has been changed since it was seen */
  const moveOrFail = async (visit: Visit, time: FreeTime): Promise<void> => {
    const as: Shown = { start: time.start, end: time.end, schedule: time.schedule }
    show(visit.id, as)
    try {
      const moved = await actions.move(visit.appointment, time.slots)
      const said = `${visit.patient} is moved to ${timeText(time.start, zone)}.`
      if (visit.slots.length > 0) {
        offerUndo(said, { things: [pathOf(visit.id)], undo: () => actions.move(moved, visit.slots) })
      }
    } catch (error) {
      const isNewer = error instanceof Problem && error.status === 412
      throw isNewer ? new Error(`The visit of ${visit.patient} has been changed since, so it is not moved.`) : error
    } finally {
      end(visit.id, as)
    }
  }

  const move = (visit: Visit, time: FreeTime): Promise<void> =>
    moveOrFail(visit, time).catch((error: unknown) =>
      tellProblem(error, { label: 'Show free times', onClick: () => onRefused(visit) }),
    )

  const become = (visit: Visit, status: VisitStatus): void => {
    const as: Shown = { status }
    show(visit.id, as)
    doLater(`${visit.patient}: ${visitStatusText(status).toLowerCase()}.`, {
      things: [pathOf(visit.id)],
      act: () => actions.become(visit, status).finally(() => end(visit.id, as)),
      undone: () => end(visit.id, as),
    })
  }

  const asShown = useCallback((visit: Visit): Visit => ({ ...visit, ...shown[visit.id] }), [shown])
  return { move, moveOrFail, become, asShown }
}
