/** The inputs of a Task in words: docs/work-list.md. */
import type { Task, TaskInput } from 'fhir/r4'
import { conceptText } from './names.ts'
import { phoneText } from './phones.ts'
import { dateText } from './time.ts'
import { codeOf } from './work.ts'

export const inputCodeOf = ({ type }: TaskInput): string => type.coding?.[0]?.code ?? ''

/** `Insurance payer` of `insurance-payer`, `First name` of `firstName`, `Existing` of `EXISTING`. */
export function inWords(code: string): string {
  const words = code
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]+/g, ' ')
    .toLowerCase()
    .replace(/\bemail\b/g, 'e-mail')
    .replace(/\bcomms\b/g, 'contact')
    .replace(/\b(id|crm|mrn)\b/g, (word) => word.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Labels that say more than the words of the code. */
const LABELS: Readonly<Record<string, string>> = {
  'call-id': 'Call',
  'caller-number': 'Caller',
  'dialed-number': 'Dialled',
  'missing-field': 'Missing',
  'self-pay-price-cents': 'Self-pay price',
  'insurance-copay-cents': 'Copayment',
  'insurance-message': 'The insurer says',
  'insurance-response': 'Response of the insurer',
  slot: 'Slot offered',
  candidate: 'May be',
  verification: 'Verified',
  'recorded-patient': 'Taken for',
  'call-patient': 'Patient of the call',
  'stated-before': 'Stated before',
  'failed-attempts': 'Failed attempts',
  'identity-outcome': 'Outcome of identity',
  'contact-consent': 'Agreed to be contacted',
  'communication-consent': 'Agreed to be contacted',
  form: 'Form so far',
}

export const inputLabel = (input: TaskInput): string =>
  LABELS[inputCodeOf(input)] ?? (inWords(inputCodeOf(input)) || conceptText(input.type) || 'Attached')

/** The value in words; undefined: it is a reference, or of another kind than the server attaches. */
export function inputText(input: TaskInput): string | undefined {
  const { valueString, valueCode, valueInteger, valueBoolean, valueDate, valueCodeableConcept } = input
  const code = inputCodeOf(input)
  if (valueBoolean !== undefined) return valueBoolean ? 'yes' : 'no'
  if (valueInteger !== undefined) return code.endsWith('-cents') ? (valueInteger / 100).toFixed(2) : `${valueInteger}`
  if (valueCode !== undefined) return inWords(valueCode).toLowerCase()
  if (valueDate !== undefined) return dateText(valueDate)
  if (valueCodeableConcept !== undefined) return conceptText(valueCodeableConcept)
  if (valueString === undefined) return input.valueUri ?? input.valueDateTime
  if (/^(missing-field|stated-before)$/.test(code)) return inWords(valueString).toLowerCase()
  return code.endsWith('date-of-birth') ? dateText(valueString) : phoneText(valueString)
}

/** The fields of a registration that are missing, `first name, e-mail`; empty: none is. */
export const missingOf = ({ input = [] }: Task): string =>
  input.flatMap((one) => (inputCodeOf(one) === 'missing-field' ? (inputText(one) ?? []) : [])).join(', ')

/** Inputs with a number to call, those that the person has asked to be called at first. */
const NUMBERS = ['callback-phone', 'contact-phone', 'stated-phone', 'caller-number', 'phone'] as const

/** The number to call about the Task; empty: its inputs have none. */
export function numberIn({ input = [] }: Task): string {
  const found = NUMBERS.map((code) => input.find((one) => inputCodeOf(one) === code)?.valueString)
  return phoneText(found.find((number) => number !== undefined) ?? '')
}

/** The id of the call that has left the Task. */
export const callOf = ({ input = [] }: Task): string | undefined =>
  input.find((one) => inputCodeOf(one) === 'call-id')?.valueString

/** Short names for the codes of the clinic's CodeSystem/task-code. */
export const CODE_TEXT: Readonly<Record<string, string>> = {
  'billing-escalation': 'Billing escalation',
  callback: 'Callback',
  'identity-outcome': 'Identity outcome',
  'identity-contradiction': 'Somebody else calls',
  'identity-guessing': 'Many failed verifications',
  'record-change': 'Record changed by a call',
  'insurance-follow-up': 'Insurance follow-up',
  'waitlist-offer': 'Waitlist offer',
  'crm-sync-failed': 'CRM sync failed',
  'message-not-sent': 'Message not sent',
  'abandonment-recovery': 'Abandonment recovery',
}

/** The kind of a Task: the short name of its code, else the text of it. */
export const kindText = (task: Task): string => CODE_TEXT[codeOf(task)] ?? conceptText(task.code)
