/** Appointment/[id]/$cancel: docs/operations/appointment-cancel.md. */
import type { CodeableConcept } from 'fhir/r4'
import { cancel } from '../booking/cancel.ts'
import { defineOperation } from '../core/operation.ts'

export const appointmentCancel = defineOperation('appointment-cancel', async ({ access, input, id = '' }) => {
  const reason = input.reason as CodeableConcept | undefined
  const comment = input.comment as string | undefined
  return (await access.change((ctx) => cancel(ctx, id, { reason, comment }))).resource
})
