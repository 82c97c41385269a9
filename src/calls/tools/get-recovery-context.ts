/** get_recovery_context: the completed and the missing fields of an abandoned form. docs/abandonment.md */
import { defineOperation } from '../../core/operation.ts'
import { abandonmentOf, requireItsPerson } from '../recovery/abandonment-of.ts'
import { fieldsOf, sayMissing } from '../recovery/form-fields.ts'

export const getRecoveryContext = defineOperation('task-get-recovery-context', async (request) => {
  const ctx = request.access.reader()
  const abandonment = await abandonmentOf(ctx, request)
  await requireItsPerson(ctx, request, abandonment)
  const { kind, stepReached } = abandonment
  const { known, missing } = await fieldsOf(ctx, abandonment)
  return {
    success: true,
    kind,
    stepReached,
    // In FHIR, one parameter with two parts for each value.
    knownFields: request.call === undefined ? Object.entries(known).map(named) : known,
    missingFields: missing,
    say: `You had begun a ${kind} with us and did not finish it. ${sayMissing(missing)}`,
  }
})

const named = ([name, value]: [string, string | boolean]) => ({ name, value: String(value) })
