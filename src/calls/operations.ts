/** The live-call tools of the specification, as operations of Patient. */
import type { Operation } from '../core/operation.ts'
import { escalateBilling } from './tools/escalate-billing.ts'
import { recordSelfPayDecision } from './tools/record-self-pay-decision.ts'
import { resolvePatientIdentity } from './tools/resolve-patient-identity.ts'
import { submitInsuranceInfo } from './tools/submit-insurance-info.ts'
import { submitIntake } from './tools/submit-intake.ts'
import { updateRegistrationField } from './tools/update-registration-field.ts'
import { validateIntakeField } from './tools/validate-intake-field.ts'

export const callOperations: readonly Operation[] = [
  resolvePatientIdentity,
  updateRegistrationField,
  submitInsuranceInfo,
  recordSelfPayDecision,
  escalateBilling,
  validateIntakeField,
  submitIntake,
]
