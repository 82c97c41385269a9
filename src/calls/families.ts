/**
 * The live-call tools (spec 4.1) by family: the single list from which routes, paths that accept the voice secret,
 * provider operations, documentation and tests are derived.
 */
import { CONTACT_CHANNELS } from './record/contact-consent.ts'
import { SELF_PAY_DECISIONS } from './record/coverage.ts'
import { defineTool, type ToolFamilies } from './tool.ts'
import {
  bookAppointment,
  cancelAppointment,
  joinWaitlist,
  listAppointments,
  rescheduleAppointment,
} from './tools/appointments.ts'
import { escalateBilling, recordSelfPayDecision, submitInsuranceInfo } from './tools/billing.ts'
import { findAvailableSlots } from './tools/find-available-slots.ts'
import { getClinicInfo, listAppointmentTypes } from './tools/get-clinic-info.ts'
import {
  CALL_OUTCOMES,
  LINK_CHANNELS,
  logCallOutcome,
  recordAbandonReason,
  scheduleCallback,
  sendResumeLink,
  setContactPreference,
} from './tools/recovery-calls.ts'
import { getRecoveryContext, saveRecoveryField } from './tools/recovery-fields.ts'
import { INTAKE_FIELDS, submitIntake, updateRegistrationField, validateIntakeField } from './tools/registration.ts'
import { resolvePatientIdentity } from './tools/resolve-patient-identity.ts'
import { verifyPatient } from './tools/verify-patient.ts'

export const toolFamilies: ToolFamilies = {
  'patient-journey': {
    resolve_patient_identity: defineTool(resolvePatientIdentity, { argumentsCheckedBy: 'handler' }),
    update_registration_field: defineTool(updateRegistrationField, { argumentsCheckedBy: 'handler' }),
    submit_insurance_info: defineTool(submitInsuranceInfo, { argumentsCheckedBy: 'handler' }),
    record_self_pay_decision: defineTool(recordSelfPayDecision, {
      argumentsCheckedBy: 'handler',
      values: { decision: SELF_PAY_DECISIONS },
    }),
    escalate_billing: defineTool(escalateBilling),
  },
  'emr-scheduling': {
    get_clinic_info: defineTool(getClinicInfo),
    list_appointment_types: defineTool(listAppointmentTypes),
    find_available_slots: defineTool(findAvailableSlots),
    book_appointment: defineTool(bookAppointment),
    list_appointments: defineTool(listAppointments),
    reschedule_appointment: defineTool(rescheduleAppointment),
    cancel_appointment: defineTool(cancelAppointment),
    join_waitlist: defineTool(joinWaitlist),
    verify_patient: defineTool(verifyPatient, { argumentsCheckedBy: 'handler' }),
  },
  'patient-intake': {
    validate_intake_field: defineTool(validateIntakeField, {
      argumentsCheckedBy: 'handler',
      values: { fieldName: INTAKE_FIELDS },
    }),
    submit_intake: defineTool(submitIntake, { argumentsCheckedBy: 'handler' }),
  },
  'abandonment-recovery': {
    get_recovery_context: defineTool(getRecoveryContext),
    save_recovery_field: defineTool(saveRecoveryField, { argumentsCheckedBy: 'handler' }),
    send_resume_link: defineTool(sendResumeLink, { values: { channel: LINK_CHANNELS } }),
    record_abandon_reason: defineTool(recordAbandonReason),
    schedule_callback: defineTool(scheduleCallback, { argumentsCheckedBy: 'handler' }),
    set_contact_preference: defineTool(setContactPreference, {
      argumentsCheckedBy: 'handler',
      values: { channel: [...CONTACT_CHANNELS, 'all'] },
    }),
    log_call_outcome: defineTool(logCallOutcome, { values: { outcome: [...CALL_OUTCOMES.keys()] } }),
  },
}
