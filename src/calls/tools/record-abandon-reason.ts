/** record_abandon_reason: the reason for not finishing, for staff. docs/abandonment.md */
import { defineOperation } from '../../core/operation.ts'
import { keptText } from '../../spoken/kept-text.ts'
import { abandonmentOf, noteOutput, requireItsPerson } from '../recovery/abandonment-of.ts'

/** Most characters of the reason. */
const MAX_REASON = 2_000

export const recordAbandonReason = defineOperation('task-record-abandon-reason', (request) =>
  request.access.change(async (ctx) => {
    const { reason, detail } = request.input
    const text = [reason, detail].flatMap((said) => keptText(said, MAX_REASON) ?? []).join(': ')
    const abandonment = await abandonmentOf(ctx, request)
    await requireItsPerson(ctx, request, abandonment)
    await noteOutput(ctx, request, abandonment, [['abandon-reason', text]], recordAbandonReason.code)
    return { success: true, say: 'Thank you for telling me. I have noted that.' }
  }),
)
