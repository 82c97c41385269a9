/** log_call_outcome: how a recovery call ended; some outcomes close the recovery. docs/abandonment.md */
import type { Task } from 'fhir/r4'
import { defineOperation } from '../../core/operation.ts'
import { keptText } from '../../spoken/kept-text.ts'
import { lettersOf } from '../record/contact-consent.ts'
import { abandonmentOf, noteOutput } from '../recovery/abandonment-of.ts'

/** New status of the Task, by outcome; undefined: unchanged. */
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
const MAX_OUTCOME = 200

export const logCallOutcome = defineOperation('task-log-call-outcome', (request) => {
  // "Call back scheduled" is callback-scheduled.
  const said = lettersOf(String(request.input.outcome))
  const known = [...OUTCOMES.keys()].find((one) => lettersOf(one) === said)
  // Any other outcome is kept for staff to read: the call is over, so no agent could correct it.
  const outcome = known ?? keptText(request.input.outcome, MAX_OUTCOME) ?? 'unknown'
  return request.access.change(async (ctx) => {
    const abandonment = await abandonmentOf(ctx, request)
    const note = keptText(request.input.note, MAX_NOTE)
    const text = note === undefined ? outcome : `${outcome}: ${note}`
    const status = abandonment.isOpen && known !== undefined ? OUTCOMES.get(known) : undefined
    await noteOutput(ctx, request, abandonment, [['call-outcome', text]], logCallOutcome.code, status)
    return {
      success: true,
      ...(known === undefined ? { code: 'outcome-unknown' } : {}),
      say: 'Thank you for your time. Goodbye.',
    }
  })
})
