/**
 * Changes that are shown at once, before the server has agreed: a visit that is dragged stands where it was dropped, one
 * that is missed looks so. What the server refuses goes back.
 */
import { useState } from 'react'
import type { FreeTime } from '../../fhir/free-times.ts'
import { clockText, dayText } from '../../fhir/time.ts'
import { STATUS_TEXT, type Visit } from '../../fhir/visits.ts'
import { doLater, offerUndo, tellProblem } from '../../parts/undo.tsx'
import type { VisitActions } from './visit-actions.ts'

type Shown = Partial<Pick<Visit, 'start' | 'end' | 'schedule' | 'status'>>

interface MoveOptions {
  readonly zone: string
  /** Shows what is free instead. */
  readonly onRefused: (visit: Visit) => void
}

export function useMoves(actions: VisitActions, { zone, onRefused }: MoveOptions) {
  const [shown, setShown] = useState<Readonly<Record<string, Shown>>>({})
  const show = (id: string, as: Shown | undefined) =>
    setShown(({ [id]: _, ...others }) => (as === undefined ? others : { ...others, [id]: as }))

  const move = async (visit: Visit, time: FreeTime): Promise<void> => {
    show(visit.id, { start: time.start, end: time.end, schedule: time.schedule })
    try {
      await actions.move(visit.id, time.slots)
      const said = `${visit.patient} is moved to ${dayText(time.start, zone)}, ${clockText(time.start, zone)}.`
      if (visit.slots.length > 0) offerUndo(said, () => actions.move(visit.id, visit.slots))
    } catch (error) {
      tellProblem(error, { label: 'Show free times', onClick: () => onRefused(visit) })
    } finally {
      show(visit.id, undefined)
    }
  }

  const become = (visit: Visit, status: Visit['status']): void => {
    show(visit.id, { status })
    const act = () => actions.become(visit.id, status).finally(() => show(visit.id, undefined))
    doLater(`${visit.patient}: ${STATUS_TEXT[status].toLowerCase()}.`, act, () => show(visit.id, undefined))
  }

  return { move, become, asShown: (visit: Visit): Visit => ({ ...visit, ...shown[visit.id] }) }
}
