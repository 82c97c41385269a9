/** Patients of a tool call, for the audit trail: the patient of the call, and the verified one. */
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { VERIFICATION } from './verification.ts'

/** Wraps `access`, so that each committed change reports the patients it has touched. */
export const recordPatientsSeen = (
  access: ClinicAccess,
  call: CallSession,
  tell: (patient: string) => void,
): ClinicAccess => ({
  ...access,
  async change(work) {
    const { returned, patients } = await access.change(async (ctx) => {
      const returned = await work(ctx)
      return { returned, patients: patientsIn(ctx, call) }
    })
    for (const patient of patients) tell(patient)
    return returned
  },
})

/** A tool that does not read the verification of the caller does not concern the verified patient. */
function patientsIn({ unit: { records }, now }: Context, { callId }: CallSession): readonly string[] {
  const key = callKey(callId)
  const verification = records.known(VERIFICATION, key)
  const isCurrent = verification?.due != null && verification.due > now
  return [records.known(CALL, key)?.value.patient, isCurrent ? verification.value.patient : undefined].filter(
    (patient) => patient !== undefined,
  )
}
