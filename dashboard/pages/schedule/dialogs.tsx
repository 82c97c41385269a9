/** The dialogs over the schedule, loaded when the first one is opened. */
import type { FreeTime } from '../../fhir/free-times.ts'
import type { Visit } from '../../fhir/visits.ts'
import { BookDialog } from './book-dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Opened } from './opened.ts'
import type { useMoves } from './use-moves.ts'
import type { Column } from './use-plan.ts'
import { VisitDialog } from './visit-dialog.tsx'

interface DialogsProps {
  readonly opened: Opened
  readonly open: (opened: Opened | undefined) => void
  readonly columns: readonly Column[]
  readonly moves: ReturnType<typeof useMoves>
  readonly visits: readonly Visit[]
  /** Called when the dialog of a booking closes. */
  readonly onLeft: (time: FreeTime | undefined) => void
}

export function Dialogs({ opened, open, onLeft, columns, moves, visits }: DialogsProps) {
  const close = () => open(undefined)
  if (opened.kind === 'book') {
    const leave = () => {
      onLeft(opened.time)
      close()
    }
    return <BookDialog time={opened.time} entry={opened.entry} columns={columns} onClose={leave} />
  }
  // The current version of the visit, if it is still shown.
  const visit = visits.find(({ id }) => id === opened.visit.id) ?? opened.visit
  if (opened.kind === 'move') {
    return (
      <MoveDialog visit={visit} columns={columns} onMove={(time) => moves.moveOrFail(visit, time)} onClose={close} />
    )
  }
  if (opened.kind === 'cancel') return <CancelDialog visit={visit} onClose={close} />
  return (
    <VisitDialog
      visit={visit}
      columns={columns}
      onBecome={(status) => {
        moves.become(visit, status)
        close()
      }}
      onMove={() => open({ kind: 'move', visit })}
      onCancel={() => open({ kind: 'cancel', visit })}
      onClose={close}
    />
  )
}
