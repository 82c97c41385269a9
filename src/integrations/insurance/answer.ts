/** The response of a verification system as a result: docs/insurance.md. Nothing of an invalid response is kept. */
import { INSURANCE_STATUSES, type InsuranceResult, type InsuranceStatus } from '../../core/ports.ts'
import { isObject } from '../../fhir/resource.ts'

/** Characters of an errorMessage. */
const MAX_MESSAGE = 500

/** Undefined for an invalid response. @param body the JSON of the response */
export function resultOf(body: unknown): InsuranceResult | undefined {
  if (!isObject(body)) return undefined
  const { status, copayCents, errorMessage } = body
  if (!isStatus(status) || !isCopay(copayCents) || !isMessage(errorMessage)) return undefined
  const isFailure = status !== 'VERIFIED' && status !== 'PENDING'
  const message = isFailure ? oneLine(errorMessage ?? '') : ''
  return {
    status,
    ...(copayCents == null ? {} : { copayCents }),
    ...(message === '' ? {} : { errorMessage: message }),
  }
}

const isStatus = (value: unknown): value is InsuranceStatus => INSURANCE_STATUSES.some((status) => status === value)

/** Whole cents. */
const isCopay = (value: unknown): value is number | null | undefined =>
  value == null || (Number.isSafeInteger(value) && Number(value) >= 0)

const isMessage = (value: unknown): value is string | null | undefined =>
  value == null || (typeof value === 'string' && value.length <= MAX_MESSAGE)

/** Makes a text fit to be spoken and stored: without line breaks, control characters and lone surrogates. */
const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
