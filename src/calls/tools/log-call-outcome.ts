/** log_call_outcome: how a recovery call ended; some outcomes close the recovery. docs/abandonment.md */
import type { Task } from 'fhir/r4'
import { defineOperation } from '../../core/operation.ts'
import { abandonmentOf } from '../recovery/abandonment-of.ts'
import { noteOutput } from '../recovery/note-output.ts'
import { lettersOf } from '../recovery/stated-channel.ts'
import { keptText } from '../spoken/kept-text.ts'
import { invalidArgument } from '../spoken/stated-values.ts'

/** What the Task becomes with each; undefined: it stays open. */
const OUTCOMES: ReadonlyMap<string, Task['status'] | undefined> = new Map([
  ['recovered', 'completed'],
  ['declined', 'cancelled'],
  ['wrong-number', 'cancelled'],
  ['link-sent', undefined],
  ['callback-scheduled', undefined],
  ['no-answer', undefined],
  ['voicemail', undefined],
  ['hung-up', undefined],
] as const)

/** Characters. */
const MAX_NOTE = 2_000

export const logCallOutcome = defineOperation('task-log-call-outcome', (request) => {
  // "Call back scheduled" is callback-scheduled.
  const said = lettersOf(String(request.input.outcome))
  const outcome = [...OUTCOMES.keys()].find((one) => lettersOf(one) === said)
  if (outcome === undefined) throw invalidArgument('outcome', `it must be ${[...OUTCOMES.keys()].join(', ')}`)
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    const note = keptText(request.input.note, MAX_NOTE)
    const text = note === undefined ? outcome : `${outcome}: ${note}`
    const status = abandonment.isOpen ? OUTCOMES.get(outcome) : undefined
    await noteOutput(ctx, request, abandonment, [['call-outcome', text]], logCallOutcome.code, status)
    return { success: true, say: 'Thank you for your time. Goodbye.' }
  })
})
