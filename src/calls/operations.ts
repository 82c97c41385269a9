/** The live-call tools of the specification, as operations of Patient. */
import type { Operation } from '../operations/operation.ts'
import { escalateBilling } from './escalate-billing.ts'
import { recordSelfPayDecision } from './record-self-pay-decision.ts'
import { resolvePatientIdentity } from './resolve-patient-identity.ts'
import { submitInsuranceInfo } from './submit-insurance-info.ts'
import { submitIntake } from './submit-intake.ts'
import { updateRegistrationField } from './update-registration-field.ts'
import { validateIntakeField } from './validate-intake-field.ts'

export const callOperations: readonly Operation[] = [
  resolvePatientIdentity,
  updateRegistrationField,
  submitInsuranceInfo,
  recordSelfPayDecision,
  escalateBilling,
  validateIntakeField,
  submitIntake,
]
