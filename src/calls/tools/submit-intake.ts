/**
 * submit_intake (spec 2.3, 4.1 rule 8, 7): writes the intake to the Patient, and syncs it to the clinic's CRM when one
 * is enabled. All values that are missing or bad are reported together, and nothing is written. The CRM is asked once
 * the Patient is saved.
 */
import type { Patient } from 'fhir/r4'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { defineOperation, type OperationInput, type OperationRequest } from '../../core/operation.ts'
import type { CrmContact } from '../../core/ports.ts'
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { deliverStaged } from '../../integrations/outbox/delivery.ts'
import { newMessageId } from '../../integrations/outbox/rows.ts'
import { stageContact } from '../../integrations/outbox/staging.ts'
import { recordCall } from '../record/call-record.ts'
import { deliveryTasks } from '../record/delivery-tasks.ts'
import { patientFields } from '../record/patient-fields.ts'
import { activateWhenComplete } from '../record/registration.ts'
import { followRegistration } from '../recovery/registration-follow-up.ts'
import { patientOfRequest } from '../session/patient-of-request.ts'
import { provisional } from '../session/replay.ts'
import { argumentIssue, type ClinicLocale, localeOf, readStated } from '../spoken/stated-values.ts'

const FIELDS = ['firstName', 'lastName', 'dateOfBirth', 'phone', 'email', 'address', 'reasonForVisit'] as const
type Intake = Readonly<Record<(typeof FIELDS)[number], string>>

const SUBMITTED = {
  success: true,
  code: 'intake-submitted',
  say: 'Thank you, I have everything I need for your visit.',
}

const NOT_SYNCED = {
  success: false,
  code: 'crm-sync-failed',
  error: 'crm sync failed',
  say: 'Thank you, I have your details. Our staff will finish the rest.',
}

/** The result until the CRM has answered, and for good when the process ends before that. */
const SYNC_PENDING = provisional(NOT_SYNCED)

export const submitIntake = defineOperation('patient-submit-intake', async (request) => {
  const { access, integrations } = request
  const messageId = newMessageId(access.reader().now)
  const saved = await access.change((ctx) => write(ctx, request, messageId))
  if (saved === SUBMITTED) return SUBMITTED
  const delivery = await deliverStaged(access, { ...integrations, tasks: deliveryTasks }, messageId)
  return delivery.delivered ? SUBMITTED : NOT_SYNCED
})

/** @throws FhirError 400 for arguments that are missing or bad, or when the request has no patient */
async function write(ctx: Context, request: OperationRequest, messageId: string) {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  const intake = readIntake(request.input, localeOf(settings, ctx.now))
  const before = await patientOfRequest(ctx, request)
  const next = withIntake(before.resource, intake)
  const patient = next === before.resource ? before : await ctx.update<Patient>(next)
  await followRegistration(ctx, before.resource, patient)
  await recordCall(ctx, request.call, patient, {
    activity: submitIntake.code,
    written: patient === before ? [] : [patient],
    reasonForVisit: intake.reasonForVisit,
  })
  if (!settings.crm?.enabled) return SUBMITTED
  await stageContact(ctx, contactOf(ctx.clinic, patient.id, messageId, intake), request.call)
  return SYNC_PENDING
}

/** An intake that brings the last missing field completes the registration too (spec 2.4). */
const withIntake = (patient: Patient, intake: Intake): Patient =>
  activateWhenComplete(FIELDS.reduce((changed, field) => patientFields[field].set(changed, intake[field]), patient))

const contactOf = (clinic: string, patient: string, messageId: string, intake: Intake): CrmContact => ({
  clinic,
  patient,
  event: 'intake.submitted',
  messageId,
  fields: intake,
})

/** @throws FhirError 400 with one issue for each value that is missing or bad, the missing ones first */
function readIntake(input: OperationInput, locale: ClinicLocale): Intake {
  const stated = FIELDS.map((field) => ({ field, ...readStated(field, input[field], locale) }))
  const issues = stated.flatMap((entry) =>
    entry.ok ? [] : [argumentIssue(entry.field, input[entry.field], entry.error)],
  )
  if (issues.length > 0)
    throw new FhirError(
      400,
      issues.toSorted((a, b) => rank(a) - rank(b)),
    )
  const values = Object.fromEntries(stated.map((entry) => [entry.field, entry.ok ? entry.value : '']))
  return values as Intake
}

const rank = ({ code }: Issue): number => (code === 'required' ? 0 : 1)
