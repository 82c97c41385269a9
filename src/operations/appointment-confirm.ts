/** Appointment/[id]/$confirm: docs/operations/appointment-confirm.md. */
import { confirm } from '../booking/book.ts'
import { defineOperation } from '../core/operation.ts'
import { referredId } from './appointment-input.ts'

export const appointmentConfirm = defineOperation('appointment-confirm', async (request) => {
  const { access, input, id = '' } = request
  const patient = input.patient === undefined ? undefined : `Patient/${referredId(request, 'patient', 'Patient')}`
  return (await access.change((ctx) => confirm(ctx, id, patient))).resource
})
